/* The clients' buffers: see clients.h. */
#include "clients.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "socket.h"

enum {
    MAX_UNSENT_BYTES = 16 << 20,
    MAX_OWN_BYTES = 1 << 30, /* a profile that the program takes: it asked for it */
    CATCH_UP_BYTES = 1 << 20,
    CATCH_UP_ROWS = 1 << 14,
};

struct sg_client *sg_clients_add(struct sg_clients *clients, int descriptor) {
    struct sg_client *client = clients->n < SG_MAX_CLIENTS ? calloc(1, sizeof *client) : NULL;
    if (!client)
        return NULL;
    client->descriptor = descriptor;
    clients->at[clients->n++] = client;
    clients->had_any = true;
    return client;
}

void sg_clients_drop(struct sg_clients *clients, size_t i) {
    struct sg_client *client = clients->at[i];
    if (client->descriptor >= 0)
        close(client->descriptor);
    sg_buffer_free(&client->out);
    free(client);
    clients->n--;
    memmove(clients->at + i, clients->at + i + 1, (clients->n - i) * sizeof *clients->at);
}

void sg_clients_close(struct sg_clients *clients) {
    while (clients->n)
        sg_clients_drop(clients, clients->n - 1);
    clients->had_any = false;
}

struct sg_client *sg_clients_own(struct sg_clients *clients) {
    for (size_t i = 0; i < clients->n; i++)
        if (clients->at[i]->descriptor < 0)
            return clients->at[i];
    return NULL;
}

size_t sg_clients_n_remote(const struct sg_clients *clients) {
    size_t n = 0;
    for (size_t i = 0; i < clients->n; i++)
        n += clients->at[i]->descriptor >= 0;
    return n;
}

void sg_clients_tell(struct sg_clients *clients, const struct sg_buffer *bytes,
                     bool only_up_to_date) {
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        if (bytes->failed)
            client->out.failed = true; /* it misses something: dropped when flushed */
        else if (!only_up_to_date || client->is_up_to_date)
            sg_put_raw(&client->out, bytes->bytes, bytes->size);
    }
}

static void catch_up(struct sg_client *client, const struct sg_intern *intern,
                     const struct sg_thread_names *threads, const struct sg_cursor *sent) {
    while (!client->is_up_to_date && !client->out.failed &&
           (client->descriptor < 0 || client->out.size - client->n_sent < CATCH_UP_BYTES)) {
        struct sg_cursor to = sg_cursor_step(&client->cursor, sent, CATCH_UP_ROWS);
        if (!sg_cursor_equals(&to, &client->cursor))
            sg_put_batch(&client->out, intern, threads, &client->cursor, &to, NULL);
        client->cursor = to;
        client->is_up_to_date = sg_cursor_equals(&to, sent);
    }
}

void sg_clients_catch_up(struct sg_clients *clients, const struct sg_intern *intern,
                         const struct sg_thread_names *threads, const struct sg_cursor *sent) {
    for (size_t i = 0; i < clients->n; i++)
        catch_up(clients->at[i], intern, threads, sent);
}

/* False = the client is gone or hopelessly behind. */
static bool flush(struct sg_client *client) {
    struct sg_buffer *out = &client->out;
    if (client->descriptor < 0)
        return !out->failed && out->size < MAX_OWN_BYTES;
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
        sg_buffer_clear(out);
        client->n_sent = 0;
        return !has_failed;
    }
    if (client->n_sent > out->size / 2) {
        memmove(out->bytes, out->bytes + client->n_sent, out->size - client->n_sent);
        out->size -= client->n_sent;
        client->n_sent = 0;
    }
    return !out->failed && out->size - client->n_sent < MAX_UNSENT_BYTES;
}

void sg_clients_wait(const struct sg_clients *clients, int listener, int most_ms) {
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
    poll(polled, n, most_ms);
}

void sg_clients_flush(struct sg_clients *clients) {
    for (size_t i = clients->n; i-- > 0;)
        if (!flush(clients->at[i]) && clients->at[i]->descriptor >= 0)
            sg_clients_drop(clients, i);
}

bool sg_clients_has_unsent(const struct sg_clients *clients) {
    for (size_t i = 0; i < clients->n; i++)
        if (clients->at[i]->descriptor >= 0 && clients->at[i]->n_sent < clients->at[i]->out.size)
            return true;
    return false;
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
