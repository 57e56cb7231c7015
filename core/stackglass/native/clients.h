/* Who watches: the sockets' other ends, and a profile that the program itself takes.
 *
 *     joined ──definitions so far, in steps──▶ up to date ──▶ every Batch, as it is made
 *
 * Each client has a buffer of what it has not taken yet. One that lets it grow too large is
 * dropped: nobody's slowness reaches the program. The writer's alone. */
#ifndef STACKGLASS_CLIENTS_H
#define STACKGLASS_CLIENTS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "encode.h"
#include "messages.h"
#include "requests.h"

enum { SG_MAX_CLIENTS = 16 };

/* Tables beside the definitions that it is told: see told_rows.h. */
enum sg_told_table { SG_TOLD_HEAP, SG_TOLD_CONTENTION, SG_N_TOLD };
struct sg_told_cursor {
    bool is_up_to_date;
    uint32_t n_rows; /* that it knows, until it is up to date */
    uint32_t turn;   /* when it was told the first of them; 0 = it was not */
};

struct sg_client {
    int descriptor; /* -1 = the program itself: everything stays in `out` */
    struct sg_buffer out;
    size_t n_sent; /* of out */
    uint8_t in[SG_MAX_REQUEST_BYTES + 16];
    size_t n_in;
    struct sg_cursor cursor;
    bool is_up_to_date; /* has all definitions that were sent to anybody */
    bool wants_snapshot;
    bool wants_census;
    bool wants_lock_waits;
    struct sg_told_cursor told[SG_N_TOLD];
    uint32_t n_locks; /* of contention's, that it knows, until it is up to date there */
};

struct sg_clients {
    struct sg_client *at[SG_MAX_CLIENTS]; /* (n,); owned */
    size_t n;
    bool had_any;
};

/* A new client, who has not been told anything; NULL if there is no room. */
struct sg_client *sg_clients_add(struct sg_clients *clients, int descriptor);
void sg_clients_drop(struct sg_clients *clients, size_t i);
void sg_clients_close(struct sg_clients *clients);

/* The program's own, or NULL. */
struct sg_client *sg_clients_own(struct sg_clients *clients);
size_t sg_clients_n_remote(const struct sg_clients *clients);

/* Append the same bytes to everybody's buffer; `only_up_to_date`: to those. */
void sg_clients_tell(struct sg_clients *clients, const struct sg_buffer *bytes,
                     bool only_up_to_date);
/* Send the definitions up to `sent` to those who lack them, a step at a time. */
void sg_clients_catch_up(struct sg_clients *clients, const struct sg_intern *intern,
                         const struct sg_thread_names *threads, const struct sg_cursor *sent);

/* Until somebody says something, can be told more, or knocks at `listener` (-1 = there is none). */
void sg_clients_wait(const struct sg_clients *clients, int listener, int most_ms);
/* Send what can be sent. Drops who is gone, or does not read. */
void sg_clients_flush(struct sg_clients *clients);
bool sg_clients_has_unsent(const struct sg_clients *clients);
/* Take in what client `i` said; false = it is gone. */
bool sg_client_receive(struct sg_client *client);
/* The next whole request of it: 1, 0 = none, -1 = it speaks nonsense. */
int sg_client_next_request(struct sg_client *client, struct sg_request *request);

#endif
