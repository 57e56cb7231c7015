/* How creations become counts of sites:
 *
 *     hook's list, newest first ─▶ pending ─▶ oldest first, up to the first stack without names
 *                                                     └─▶ its site counts it; its thread is listed
 *
 * Creations stay in order: if two threads had the same id, the newer one must come last. Ended
 * threads are searched for once a second, or every 20 ms while a client watches. A client gets all
 * sites again when `n_changes` has grown since its last message. It keeps that number plus 1, as 0
 * means "nothing sent yet". */
#include "wire/thread_creations_stream.h"

#include <stdlib.h>
#include <string.h>

#include "platform/futex_sleepers.h"
#include "wire/messages.h"

enum { SITE_BEFORE_ATTACH = 0, MOST_SITES = 1 << 16 };
static const int64_t LOOK_NS = 1000 * 1000 * 1000;
static const int64_t WATCHED_LOOK_NS = 20 * 1000 * 1000;

void sg_thread_creations_stream_close(struct sg_thread_creations_stream *stream) {
    for (struct sg_creation *creation = stream->pending, *next; creation; creation = next) {
        next = creation->next;
        free(creation);
    }
    SG_ROWS_FREE(&stream->sites);
    SG_ROWS_FREE(&stream->threads);
    memset(stream, 0, sizeof *stream);
}

/* ---- Sites ---- */

/* Return the site with this node, which is added if it is new; SG_NO_NODE = memory is short, or
 * there are too many sites. */
static uint32_t find_site(struct sg_thread_creations_stream *stream, uint32_t node) {
    for (uint32_t site = 0; site < stream->sites.n; site++)
        if (stream->sites.at[site].node == node)
            return site;
    if (stream->sites.n >= MOST_SITES ||
        !SG_ROWS_ADD(&stream->sites, (struct sg_creation_site){.node = node}))
        return SG_NO_NODE;
    return (uint32_t)stream->sites.n - 1;
}

/* ---- Threads ---- */

static bool wants(const struct sg_thread_creations_stream *stream, const struct sg_client *client) {
    return client->wants_creations || stream->is_ending;
}

static bool has_watcher(const struct sg_thread_creations_stream *stream,
                        const struct sg_clients *clients) {
    for (size_t i = 0; i < clients->n; i++)
        if (wants(stream, clients->at[i]))
            return true;
    return false;
}

static struct sg_created_thread *find(const struct sg_thread_creations_stream *stream, pid_t tid) {
    for (size_t i = 0; i < stream->threads.n; i++)
        if (stream->threads.at[i].tid == tid)
            return &stream->threads.at[i];
    return NULL;
}

const struct sg_created_thread *
sg_thread_creations_stream_find(const struct sg_thread_creations_stream *stream, pid_t tid) {
    return find(stream, tid);
}

static void remove_ended(struct sg_thread_creations_stream *stream) {
    size_t n_kept = 0;
    for (size_t i = 0; i < stream->threads.n; i++)
        if (sg_futex_sleepers_clock(stream->threads.at[i].tid) != SG_NO_CPU_CLOCK)
            stream->threads.at[n_kept++] = stream->threads.at[i];
    stream->n_changes += stream->threads.n - n_kept;
    stream->threads.n = n_kept;
}

static void count(struct sg_thread_creations_stream *stream, pid_t tid, pid_t creator,
                  uint32_t site) {
    stream->n_changes++;
    stream->sites.at[site].ever++;
    if (!tid)
        return;
    const struct sg_created_thread now = {tid, creator, site};
    /* a thread with the same id, which was reused */
    struct sg_created_thread *thread = find(stream, tid);
    if (thread && site != SITE_BEFORE_ATTACH)
        *thread = now;
    else if (!thread)
        (void)SG_ROWS_ADD(&stream->threads, now);
}

/* Add the first site, with the threads that were alive at the attach. Returns false if memory is
 * short; then there are no sites. */
static bool begin(struct sg_thread_creations_stream *stream, struct sg_stacks *stacks) {
    static const struct sg_frame attach = {SG_BEFORE_ATTACH, -1};
    size_t n;
    const pid_t *before = sg_creations_before(&n);
    if (stream->sites.n)
        return true;
    if (find_site(stream, sg_stacks_node(stacks, &attach, 1, true)) != SITE_BEFORE_ATTACH)
        return false;
    for (size_t i = 0; i < n; i++)
        count(stream, before[i], 0, SITE_BEFORE_ATTACH);
    return true;
}

static struct sg_creation *reverse(struct sg_creation *creation) {
    struct sg_creation *reversed = NULL;
    while (creation) {
        struct sg_creation *next = creation->next;
        creation->next = reversed;
        reversed = creation;
        creation = next;
    }
    return reversed;
}

/* A program that always starts threads from new code would delay the end, so the hook's list is not
 * read any more then. */
void sg_thread_creations_stream_take_new(struct sg_thread_creations_stream *stream) {
    struct sg_creation *creation = stream->is_ending ? NULL : reverse(sg_creations_take());
    for (struct sg_creation *next; creation; creation = next) {
        next = creation->next;
        sg_thread_names_expect(stream->names, creation->tid, creation->name);
        creation->next = stream->pending;
        stream->pending = creation;
    }
}

/* Creations are counted oldest first, up to the first one without names: a reused thread id belongs
 * to the newer thread. */
void sg_thread_creations_stream_take(struct sg_thread_creations_stream *stream,
                                     struct sg_stacks *stacks, const struct sg_clients *clients,
                                     int64_t now_ns, bool is_last) {
    if (!begin(stream, stacks))
        return; /* else the next site would stand for the threads of before the attach */
    sg_thread_creations_stream_take_new(stream);
    struct sg_creation *creation = reverse(stream->pending);
    while (creation) {
        uint32_t node = sg_stacks_node(stacks, creation->frames, creation->depth, is_last);
        uint32_t site = node == SG_NO_NODE ? SG_NO_NODE : find_site(stream, node);
        if (node == SG_NO_NODE)
            break;
        struct sg_creation *next = creation->next;
        if (site != SG_NO_NODE) {
            count(stream, creation->tid, creation->creator, site);
        } else {
            stream->n_lost++;
            stream->n_changes++;
        }
        free(creation);
        creation = next;
    }
    stream->pending = reverse(creation);
    int64_t pause_ns = has_watcher(stream, clients) ? WATCHED_LOOK_NS : LOOK_NS;
    if (now_ns - stream->checked_mono_ns >= pause_ns || is_last) {
        stream->checked_mono_ns = now_ns;
        remove_ended(stream);
    }
}

/* ---- Clients ---- */

bool sg_thread_creations_stream_is_waiting(const struct sg_thread_creations_stream *stream,
                                           const struct sg_clients *clients) {
    return stream->pending && has_watcher(stream, clients);
}

static void put(struct sg_buffer *out, struct sg_thread_creations_stream *stream, int64_t now_ns) {
    struct sg_message message =
        sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_THREAD_CREATIONS);
    struct sg_creation_site *sites = stream->sites.at;
    size_t n = stream->sites.n;
    for (size_t i = 0; i < n; i++)
        sites[i].alive = 0;
    for (size_t i = 0; i < stream->threads.n; i++)
        sites[stream->threads.at[i].site].alive++;
    sg_encoder_put_int(out, SG_TAG_THREAD_CREATIONS_TIME_MONO_NS, now_ns);
    sg_encoder_put_uint(out, SG_TAG_THREAD_CREATIONS_N_LOST, sg_creations_lost() + stream->n_lost);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_CREATIONS_NODE, n, sites[i].node);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_CREATIONS_EVER, n, sites[i].ever);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_CREATIONS_ALIVE, n, sites[i].alive);
    sg_messages_end_from_engine(out, message);
}

static bool is_due(const struct sg_thread_creations_stream *stream,
                   const struct sg_client *client) {
    bool is_new = client->n_creations_sent != stream->n_changes + 1;
    return wants(stream, client) && client->is_up_to_date && stream->sites.n &&
           (is_new || client->stage == SG_CLIENT_DETACHING);
}

void sg_thread_creations_stream_send(struct sg_thread_creations_stream *stream,
                                     struct sg_clients *clients, int64_t now_ns) {
    struct sg_buffer message = {0};
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        if (!is_due(stream, client))
            continue;
        if (!message.size)
            put(&message, stream, now_ns);
        sg_client_put(client, &message);
        client->n_creations_sent = stream->n_changes + 1;
    }
    sg_encoder_buffer_free(&message);
}
