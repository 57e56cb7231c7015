/* Clients: the connected sockets, and the self profile that the program has requested.
 *
 *     connected ──definitions so far, in steps──▶ up to date ──▶ every Batch
 *
 *     watching ──Detach──▶ detaching ──all from before is sent──▶ parting ──Bye sent──▶ gone
 *        └─────────────────────┴── hang-up, invalid request, too much unsent ─┴───────────▶
 *
 * A Greeting with another version of the protocol, missing memory or the engine's end moves a
 * client to parting at once.
 *
 * Each client has a buffer of unsent bytes. A client that does not read is dropped at a limit, so
 * that it never slows the program down.
 *
 * Ownership: a struct sg_client belongs to struct sg_clients from sg_clients_add on. Functions only
 * move a client from stage to stage; sg_clients_settle, once a turn, frees those that are gone, and
 * sg_clients_close all. So a pointer to a client is valid until the end of the turn. The writer
 * owns all clients. */
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

/* Tables of rows besides the definitions, see row_publisher.h. */
enum sg_row_table { SG_TABLE_HEAP, SG_TABLE_CONTENTION, SG_N_TABLES };
struct sg_row_cursor {
    bool is_up_to_date;
    uint32_t n_rows; /* rows sent to the client, until it is up to date */
    uint32_t turn;   /* turn in which the first row was sent; 0 = none was */
};

enum sg_client_stage {
    SG_CLIENT_WATCHING,
    SG_CLIENT_DETACHING, /* still gets everything from before its Detach request */
    SG_CLIENT_PARTING,   /* gets its Bye and nothing after it */
    SG_CLIENT_GONE,
};

struct sg_client {
    enum sg_client_stage stage;
    int descriptor; /* -1 = no socket: the self profile, whose bytes stay in `out`, or is_quiet */
    bool is_quiet;  /* the program itself, which only sets rates and gets no messages */
    const char *reason;  /* reason for its Bye; a constant, or owned by the writer */
    int64_t deadline_ns; /* end of the present stage, CLOCK_MONOTONIC; 0 = none yet */
    struct sg_buffer out;
    size_t n_sent;  /* bytes of `out` that were sent */
    size_t n_whole; /* bytes of `out` with complete messages, as of the last turn */
    uint8_t in[SG_MAX_REQUEST_BYTES + 16];
    size_t n_in;
    struct sg_cursor cursor;
    bool is_up_to_date; /* has all definitions that were sent to any client */
    bool wants_snapshot;
    bool wants_census;
    bool wants_lock_waits;
    bool wants_thread_dump;
    bool wants_leaks;          /* wants leaks with the dump */
    bool wants_creations;      /* wants creations of threads, from its request on */
    uint64_t n_creations_sent; /* number of changes sent, plus 1; 0 = nothing was sent */
    bool has_memory_trace;     /* gets the events of the memory trace */
    /* gets the next memory trace, once the trace of a client that left has ended */
    bool awaits_memory_trace;
    /* gets that trace with allocations by libraries that bypass Python's allocators */
    bool awaits_native_trace;
    bool wants_custom_profiles; /* from its request on */
    uint64_t n_custom_changes_sent;
    uint32_t n_custom_names_sent;
    bool wants_metrics; /* from its request on */
    struct sg_row_cursor tables[SG_N_TABLES];
    uint32_t n_locks; /* locks of contention sent to the client, until it is up to date */
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

/* Add a client. Returns NULL if there are too many or memory is short; otherwise the client owns
 * `descriptor`. */
struct sg_client *sg_clients_add(struct sg_clients *clients, int descriptor);
/* Free all clients, with their unsent bytes. */
void sg_clients_close(struct sg_clients *clients);

/* Send the client a Bye with `reason`, and free it once the Bye is sent, or at a deadline. No
 * effect on a client that is parting or gone already. */
void sg_client_part(struct sg_client *client, const char *reason);
/* Free the client at the end of the turn, with its unsent bytes. */
void sg_client_give_up(struct sg_client *client);

/* Return the number of watching clients, including those without a socket. */
size_t sg_clients_n_watching(const struct sg_clients *clients);

/* Return whether any client still gets messages: a socket, or the self profile. */
bool sg_clients_any_listens(const struct sg_clients *clients);

/* Set `values` to the rates in force: for each rate the last request of a client that is still
 * connected. `started` are the rates with which the engine was started, until a client takes them
 * over. */
void sg_clients_find_rates(const struct sg_clients *clients, const struct sg_client_rates *started,
                           uint64_t values[SG_N_RATES]);

/* Append a message to the client's buffer. The message is copied, so other clients can get it as
 * well. */
void sg_client_put(struct sg_client *client, const struct sg_buffer *message);
/* Append the same bytes to the buffers of all clients, or, if `only_up_to_date`, of those that have
 * all definitions. If the encoder of `bytes` ran out of memory, all clients part. */
void sg_clients_publish(struct sg_clients *clients, const struct sg_buffer *bytes,
                        bool only_up_to_date);
/* Send the definitions up to `sent` to clients that lack them, a step at a time. */
void sg_clients_catch_up(struct sg_clients *clients, const struct sg_intern *intern,
                         const struct sg_thread_names *threads, const struct sg_cursor *sent);

/* Wait until a client has sent something or can receive more, or a new one connects at `listener`
 * (-1 = none). Returns whether a new client may be waiting. The caller accepts only then, because
 * an accept without a client makes a socket and a file, and costs a quarter of a turn. */
bool sg_clients_wait(const struct sg_clients *clients, int listener, int most_ms);
/* End a turn: append the Bye of parting clients, send as much as possible, and free clients that
 * are gone or beyond the limit of unsent bytes. */
void sg_clients_settle(struct sg_clients *clients, int64_t now_ns);
/* Return whether everything has been sent and every socket is closed. */
bool sg_clients_are_gone(const struct sg_clients *clients);
/* Receive from the client. Returns false if it has closed its end. */
bool sg_client_receive(struct sg_client *client);
/* Read the client's next complete request. Returns 1, 0 if there is none, or -1 if the bytes are
 * invalid. */
int sg_client_next_request(struct sg_client *client, struct sg_request *request);

#endif
