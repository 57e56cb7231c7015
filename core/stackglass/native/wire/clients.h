/* The clients: connected sockets, and a profile that the program itself takes.
 *
 *     joined ──definitions so far, in steps──▶ up to date ──▶ every Batch, as it is made
 *
 *     watching ──Detach──▶ detaching ──what was seen before is sent──▶ parting ──Bye sent──▶ gone
 *        └─────────────────────┴── hang-up, nonsense, too much unsent ────┴──────────────────▶
 *
 * Each client has a buffer of unsent bytes. One that lets it grow too large is dropped, so a slow
 * reader never slows the program down.
 *
 * Ownership: a struct sg_client belongs to struct sg_clients from sg_clients_add on. Every other
 * function only moves a client from stage to stage; sg_clients_settle, once a turn, is the one
 * place that frees. So a pointer to a client is valid until the end of the turn. The writer's
 * alone. */
#ifndef STACKGLASS_WIRE_CLIENTS_H
#define STACKGLASS_WIRE_CLIENTS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/encoder.h"
#include "wire/client_rates.h"
#include "wire/messages.h"
#include "wire/requests.h"

enum { SG_MAX_CLIENTS = 16 };

/* Tables beside the definitions that it is told: see row_publisher.h. */
enum sg_row_table { SG_TOLD_HEAP, SG_TOLD_CONTENTION, SG_N_TOLD };
struct sg_row_cursor {
    bool is_up_to_date;
    uint32_t n_rows; /* that it knows, until it is up to date */
    uint32_t turn;   /* when it was told the first of them; 0 = it was not */
};

enum sg_client_stage {
    SG_CLIENT_WATCHING,
    SG_CLIENT_DETACHING, /* still gets what was seen before its Detach */
    SG_CLIENT_PARTING,   /* gets its Bye and nothing after it */
    SG_CLIENT_GONE,
};

struct sg_client {
    enum sg_client_stage stage;
    int descriptor;      /* -1 = the program itself: everything stays in `out` */
    bool is_quiet;       /* the program itself, for its rates alone: it gets no messages */
    const char *reason;  /* of its Bye; a constant, or the writer's */
    int64_t deadline_ns; /* of the present stage, CLOCK_MONOTONIC; 0 = it has none yet */
    struct sg_buffer out;
    size_t n_sent; /* of out */
    uint8_t in[SG_MAX_REQUEST_BYTES + 16];
    size_t n_in;
    struct sg_cursor cursor;
    bool is_up_to_date; /* has all definitions that were sent to anybody */
    bool wants_snapshot;
    bool wants_census;
    bool wants_lock_waits;
    bool wants_thread_dump;
    struct sg_row_cursor told[SG_N_TOLD];
    uint32_t n_locks; /* of contention's, that it knows, until it is up to date there */
    struct sg_client_rates rates;
};

/* Those in `at` get messages; those in `parting` only wait for their last bytes to be sent.
 * n + n_parting <= SG_MAX_CLIENTS. */
struct sg_clients {
    struct sg_client *at[SG_MAX_CLIENTS]; /* (n,); owned */
    size_t n;
    struct sg_client *parting[SG_MAX_CLIENTS]; /* (n_parting,); owned */
    size_t n_parting;
    bool had_any;
};

/* A new client, who has not been told anything; NULL if there is no room. Takes `descriptor` over
 * unless it returns NULL. */
struct sg_client *sg_clients_add(struct sg_clients *clients, int descriptor);
/* Free all of them, sent or not. */
void sg_clients_close(struct sg_clients *clients);

/* The client gets a Bye, `reason` as above, and is freed when it has taken it, or at a deadline.
 * One that is parting or gone already stays so. */
void sg_client_part(struct sg_client *client, const char *reason);
/* The client is freed at the end of the turn, whatever it has not been sent. */
void sg_client_give_up(struct sg_client *client);

/* How many are watching, the program's own among them. */
size_t sg_clients_n_watching(const struct sg_clients *clients);

/* Append the same bytes to everybody's buffer; `only_up_to_date`: to those. */
void sg_clients_tell(struct sg_clients *clients, const struct sg_buffer *bytes,
                     bool only_up_to_date);
/* Send the definitions up to `sent` to those who lack them, a step at a time. */
void sg_clients_catch_up(struct sg_clients *clients, const struct sg_intern *intern,
                         const struct sg_thread_names *threads, const struct sg_cursor *sent);

/* Until somebody says something, can be told more, or knocks at `listener` (-1 = there is none). */
void sg_clients_wait(const struct sg_clients *clients, int listener, int most_ms);
/* The end of a turn: say Bye to those that part, send what can be sent, free those that are gone
 * or hopelessly behind. */
void sg_clients_settle(struct sg_clients *clients, int64_t now_ns);
/* Whether everything has been sent and every socket is closed. */
bool sg_clients_are_gone(const struct sg_clients *clients);
/* Read what the client has sent; false = its end of the socket is closed. */
bool sg_client_receive(struct sg_client *client);
/* The next whole request of it: 1, 0 = none, -1 = it speaks nonsense. */
int sg_client_next_request(struct sg_client *client, struct sg_request *request);

#endif
