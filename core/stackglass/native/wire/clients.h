/* Clients: connected sockets, and the self profile of the program.
 *
 *     connected ──definitions so far, in steps──▶ up to date ──▶ every Batch
 *
 *     watching ──Detach──▶ detaching ──all from before is sent──▶ parting ──Bye sent──▶ gone
 *        └─────────────────────┴── hang-up, invalid request, too much unsent ─┴───────────▶
 *
 * Each client has a buffer of unsent bytes. A client that does not read is dropped at a limit, so
 * that it never slows the program down.
 *
 * Ownership: a struct sg_client belongs to struct sg_clients from sg_clients_add on. Every other
 * function only moves a client from stage to stage; only sg_clients_settle, once a turn, frees. So
 * a pointer to a client is valid until the end of the turn. Owned by the writer. */
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

/* Tables of rows beside the definitions: see row_publisher.h. */
enum sg_row_table { SG_TABLE_HEAP, SG_TABLE_CONTENTION, SG_N_TABLES };
struct sg_row_cursor {
    bool is_up_to_date;
    uint32_t n_rows; /* sent to it, until it is up to date */
    uint32_t turn;   /* in which the first of them was sent; 0 = none was */
};

enum sg_client_stage {
    SG_CLIENT_WATCHING,
    SG_CLIENT_DETACHING, /* still gets everything from before its Detach */
    SG_CLIENT_PARTING,   /* gets its Bye and nothing after it */
    SG_CLIENT_GONE,
};

struct sg_client {
    enum sg_client_stage stage;
    int descriptor;      /* -1 = the self profile: everything stays in `out` */
    bool is_quiet;       /* the program itself, for its rates alone: it gets no messages */
    const char *reason;  /* of its Bye; a constant, or owned by the writer */
    int64_t deadline_ns; /* of the present stage, CLOCK_MONOTONIC; 0 = none yet */
    struct sg_buffer out;
    size_t n_sent;  /* of out */
    size_t n_whole; /* of out: complete messages, as of the last turn */
    uint8_t in[SG_MAX_REQUEST_BYTES + 16];
    size_t n_in;
    struct sg_cursor cursor;
    bool is_up_to_date; /* has all definitions that were sent to any client */
    bool wants_snapshot;
    bool wants_census;
    bool wants_lock_waits;
    bool wants_thread_dump;
    bool wants_leaks;          /* with the dump */
    bool wants_creations;      /* of threads: from its request on */
    uint64_t n_creations_sent; /* changes sent, plus 1; 0 = nothing was */
    bool has_memory_trace;     /* it gets the events of the memory trace */
    bool awaits_memory_trace;  /* it gets the next one, once that of a client that left has ended */
    bool awaits_native_trace;  /* … with what libraries allocate past Python's allocators */
    bool wants_custom_profiles; /* from its request on */
    uint64_t n_custom_changes_sent;
    uint32_t n_custom_names_sent;
    bool wants_metrics; /* from its request on */
    struct sg_row_cursor tables[SG_N_TABLES];
    uint32_t n_locks; /* locks of contention sent to it, until it is up to date */
    struct sg_client_rates rates;
};

/* Clients in `at` get messages; those in `parting` only wait until their last bytes are sent.
 * n + n_parting <= SG_MAX_CLIENTS. */
struct sg_clients {
    struct sg_client *at[SG_MAX_CLIENTS]; /* (n,); owned */
    size_t n;
    struct sg_client *parting[SG_MAX_CLIENTS]; /* (n_parting,); owned */
    size_t n_parting;
    bool had_any;
};

/* A new client; NULL if there are too many, or no memory. Takes `descriptor` over unless it returns
 * NULL. */
struct sg_client *sg_clients_add(struct sg_clients *clients, int descriptor);
/* Free all of them, sent or not. */
void sg_clients_close(struct sg_clients *clients);

/* The client gets a Bye, `reason` as above, and is freed once it is sent, or at a deadline. No
 * effect on a client that is parting or gone already. */
void sg_client_part(struct sg_client *client, const char *reason);
/* The client is freed at the end of the turn, with its unsent bytes. */
void sg_client_give_up(struct sg_client *client);

/* The number of watching clients, with the self profile. */
size_t sg_clients_n_watching(const struct sg_clients *clients);

/* Whether any client still gets messages: a socket's, or the self profile. */
bool sg_clients_any_listens(const struct sg_clients *clients);

/* The rates in force: of each rate the last request of a client that is still connected. `started`
 * are the rates that the engine was started with, until a client takes them over. */
void sg_clients_find_rates(const struct sg_clients *clients, const struct sg_client_rates *started,
                           uint64_t values[SG_N_RATES]);

/* Append a message, which another client may get as well. */
void sg_client_put(struct sg_client *client, const struct sg_buffer *message);
/* Append the same bytes to the buffers of all clients; `only_up_to_date`: of those. */
void sg_clients_publish(struct sg_clients *clients, const struct sg_buffer *bytes,
                        bool only_up_to_date);
/* Send the definitions up to `sent` to clients that lack them, a step at a time. */
void sg_clients_catch_up(struct sg_clients *clients, const struct sg_intern *intern,
                         const struct sg_thread_names *threads, const struct sg_cursor *sent);

/* Wait until a client has sent something, or can receive more, or a new one connects at `listener`
 * (-1 = none). Returns whether a new one may be there: an accept without one makes a socket and a
 * file, and costs a quarter of a turn. */
bool sg_clients_wait(const struct sg_clients *clients, int listener, int most_ms);
/* The end of a turn: put the Bye of parting clients, send as much as possible, free clients that
 * are gone or beyond the limit. */
void sg_clients_settle(struct sg_clients *clients, int64_t now_ns);
/* Whether everything has been sent and every socket is closed. */
bool sg_clients_are_gone(const struct sg_clients *clients);
/* Receive from the client; false = it has closed its end. */
bool sg_client_receive(struct sg_client *client);
/* Its next whole request: 1; 0 = none; -1 = invalid bytes. */
int sg_client_next_request(struct sg_client *client, struct sg_request *request);

#endif
