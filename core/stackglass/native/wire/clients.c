/* Each client has a cursor of the definitions that it has received, and a buffer of unsent bytes:
 *
 *     connected ─▶ definitions, in steps of 16 384 rows, while less than 1 MiB is unsent (catch_up)
 *               ─▶ up to date: every Batch
 *     out       │ sent │ unsent … │     the sent part is cut off once it is more than half (flush)
 *
 * If memory for a message runs out, `out` is cut at n_whole, the end of the last complete message
 * of the turn before. So a client never gets half of a message. A client with 16 MiB unsent is
 * dropped. */
#include "wire/clients.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "platform/failure.h"
#include "platform/fd_table.h"
#include "wire/socket.h"

enum {
    MAX_UNSENT_BYTES = 16 << 20, /* of a client with a socket */
    MAX_OWN_BYTES = 1 << 30,     /* limit of the self profile, which the program has requested */
    CATCH_UP_BYTES = 1 << 20,    /* unsent bytes at which catching up pauses */
    CATCH_UP_ROWS = 1 << 14,     /* rows of definitions in one step */
};
/* How long a client that parts may take to receive its last bytes, a Bye at their end. */
static const int64_t PARTING_NS = INT64_C(5) * 1000 * 1000 * 1000;

struct sg_client *sg_clients_add(struct sg_clients *clients, int descriptor) {
    bool has_room = clients->n + clients->n_parting < SG_MAX_CLIENTS;
    struct sg_client *client = has_room ? calloc(1, sizeof *client) : NULL;
    if (!client)
        return NULL;
    client->descriptor = descriptor;
    clients->at[clients->n++] = client;
    clients->had_any = true;
    return client;
}

static void release(struct sg_client *client) {
    if (client->descriptor >= 0)
        sg_fd_table_close(client->descriptor);
    sg_encoder_buffer_free(&client->out);
    free(client);
}

void sg_clients_close(struct sg_clients *clients) {
    while (clients->n)
        release(clients->at[--clients->n]);
    while (clients->n_parting)
        release(clients->parting[--clients->n_parting]);
    clients->had_any = false;
}

void sg_client_part(struct sg_client *client, const char *reason) {
    if (client->stage >= SG_CLIENT_PARTING)
        return;
    client->stage = SG_CLIENT_PARTING;
    client->reason = reason;
}

void sg_client_give_up(struct sg_client *client) { client->stage = SG_CLIENT_GONE; }

size_t sg_clients_n_watching(const struct sg_clients *clients) {
    size_t n = 0;
    for (size_t i = 0; i < clients->n; i++)
        n += clients->at[i]->stage == SG_CLIENT_WATCHING;
    return n;
}

bool sg_clients_any_listens(const struct sg_clients *clients) {
    for (size_t i = 0; i < clients->n; i++)
        if (!clients->at[i]->is_quiet && clients->at[i]->stage != SG_CLIENT_GONE)
            return true;
    return false;
}

void sg_clients_find_rates(const struct sg_clients *clients, const struct sg_client_rates *started,
                           uint64_t values[SG_N_RATES]) {
    for (int rate = 0; rate < SG_N_RATES; rate++) {
        uint64_t order = started->requested[rate].order;
        values[rate] = order ? started->requested[rate].value : 0;
        for (size_t i = 0; i < clients->n; i++) {
            const struct sg_client_rates *rates = &clients->at[i]->rates;
            if (clients->at[i]->stage <= SG_CLIENT_DETACHING &&
                rates->requested[rate].order > order) {
                order = rates->requested[rate].order;
                values[rate] = rates->requested[rate].value;
            }
        }
    }
}

void sg_client_put(struct sg_client *client, const struct sg_buffer *message) {
    /* the client lacks a message, and parts at the next flush */
    client->out.failed |= message->failed;
    sg_encoder_put_raw(&client->out, message->bytes, message->size);
}

void sg_clients_publish(struct sg_clients *clients, const struct sg_buffer *bytes,
                        bool only_up_to_date) {
    for (size_t i = 0; i < clients->n; i++) {
        if (bytes->failed || !only_up_to_date || clients->at[i]->is_up_to_date)
            sg_client_put(clients->at[i], bytes);
    }
}

static void catch_up(struct sg_client *client, const struct sg_intern *intern,
                     const struct sg_thread_names *threads, const struct sg_cursor *sent) {
    while (!client->is_up_to_date && !client->out.failed &&
           (client->descriptor < 0 || client->out.size - client->n_sent < CATCH_UP_BYTES)) {
        struct sg_cursor to = sg_messages_cursor_step(&client->cursor, sent, CATCH_UP_ROWS);
        if (!sg_messages_cursor_equals(&to, &client->cursor))
            sg_messages_put_batch(&client->out, intern, threads, &client->cursor, &to, NULL, NULL);
        client->cursor = to;
        client->is_up_to_date = sg_messages_cursor_equals(&to, sent);
    }
}

void sg_clients_catch_up(struct sg_clients *clients, const struct sg_intern *intern,
                         const struct sg_thread_names *threads, const struct sg_cursor *sent) {
    for (size_t i = 0; i < clients->n; i++)
        catch_up(clients->at[i], intern, threads, sent);
}

/* Handle a message for which memory ran out. The client gets the complete messages before it, then
 * a Bye. If there is no memory even for the Bye, the attacher reads the failure. */
static void cut_incomplete(struct sg_client *client) {
    sg_failure_set(SG_FAILURE_MEMORY, ENOMEM);
    client->out.size = client->n_whole;
    client->out.failed = false;
    sg_client_part(client, "there is no memory for the engine's messages");
}

/* Send as much as possible. Returns false if the client is gone or its unsent bytes exceed the
 * limit. */
static bool flush(struct sg_client *client) {
    struct sg_buffer *out = &client->out;
    if (client->is_quiet) {
        sg_encoder_buffer_clear(out);
        out->failed = false;
        return true;
    }
    if (client->descriptor < 0) {
        if (out->size >= MAX_OWN_BYTES) { /* sg_self_profile_stop reports it */
            sg_encoder_buffer_free(out);
            out->failed = true;
        }
        return true;
    }
    if (out->failed && client->stage < SG_CLIENT_PARTING)
        cut_incomplete(client);
    while (client->n_sent < out->size) {
        ssize_t n = sg_socket_send(client->descriptor, out->bytes + client->n_sent,
                                   out->size - client->n_sent);
        if (n < 0)
            return false;
        if (n == 0)
            break;
        client->n_sent += (size_t)n;
    }
    if (client->n_sent == out->size) {
        bool has_failed = out->failed;
        sg_encoder_buffer_clear(out);
        client->n_sent = client->n_whole = 0;
        return !has_failed;
    }
    if (client->n_sent > out->size / 2) {
        memmove(out->bytes, out->bytes + client->n_sent, out->size - client->n_sent);
        out->size -= client->n_sent;
        client->n_sent = 0;
    }
    client->n_whole = out->size;
    return !out->failed && out->size - client->n_sent < MAX_UNSENT_BYTES;
}

bool sg_clients_wait(const struct sg_clients *clients, int listener, int most_ms) {
    struct pollfd polled[SG_MAX_CLIENTS + 1];
    nfds_t n = 0;
    if (listener >= 0)
        polled[n++] = (struct pollfd){.fd = listener, .events = POLLIN};
    for (size_t i = 0; i < clients->n; i++) {
        const struct sg_client *client = clients->at[i];
        short events = client->n_sent < client->out.size ? POLLIN | POLLOUT : POLLIN;
        if (client->descriptor >= 0)
            polled[n++] = (struct pollfd){.fd = client->descriptor, .events = events};
    }
    for (size_t i = 0; i < clients->n_parting; i++) /* parting clients are not read from any more */
        polled[n++] = (struct pollfd){.fd = clients->parting[i]->descriptor, .events = POLLOUT};
    if (poll(polled, n, most_ms) >= 0)
        return listener >= 0 && polled[0].revents;
    /* poll fails if the program's limit of open files (RLIMIT_NOFILE) is smaller than the array, or
     * memory is short. Without this wait the writer would take a whole processor. */
    poll(NULL, 0, most_ms);
    return true;
}

/* Move the parting clients from `at` to `parting`, and append a Bye to each buffer. */
static void send_byes(struct sg_clients *clients, int64_t now_ns) {
    size_t n_kept = 0;
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        if (client->stage != SG_CLIENT_PARTING) {
            clients->at[n_kept++] = client;
            continue;
        }
        if (client->out.failed)
            cut_incomplete(client);
        size_t n_whole = client->out.size;
        sg_messages_put_bye(&client->out, client->reason);
        if (client->out.failed)
            client->out.size = n_whole;
        client->deadline_ns = now_ns + PARTING_NS;
        clients->parting[clients->n_parting++] = client;
    }
    clients->n = n_kept;
}

static size_t free_gone(struct sg_client **at, size_t n) {
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (at[i]->stage == SG_CLIENT_GONE)
            release(at[i]);
        else
            at[n_kept++] = at[i];
    }
    return n_kept;
}

void sg_clients_settle(struct sg_clients *clients, int64_t now_ns) {
    send_byes(clients, now_ns);
    for (size_t i = 0; i < clients->n; i++)
        if (!flush(clients->at[i]))
            sg_client_give_up(clients->at[i]);
    for (size_t i = 0; i < clients->n_parting; i++) {
        struct sg_client *client = clients->parting[i];
        if (!flush(client) || !client->out.size || now_ns >= client->deadline_ns)
            sg_client_give_up(client);
    }
    clients->n = free_gone(clients->at, clients->n);
    clients->n_parting = free_gone(clients->parting, clients->n_parting);
}

bool sg_clients_are_gone(const struct sg_clients *clients) {
    return !clients->n && !clients->n_parting;
}

bool sg_client_receive(struct sg_client *client) {
    while (client->n_in < sizeof client->in) {
        ssize_t n = sg_socket_receive(client->descriptor, client->in + client->n_in,
                                      sizeof client->in - client->n_in);
        if (n <= 0)
            return n == 0;
        client->n_in += (size_t)n;
    }
    return true;
}

int sg_client_next_request(struct sg_client *client, struct sg_request *request) {
    long size = sg_request_read(client->in, client->n_in, request);
    if (size <= 0)
        return (int)size;
    client->n_in -= (size_t)size;
    memmove(client->in, client->in + size, client->n_in);
    return 1;
}
