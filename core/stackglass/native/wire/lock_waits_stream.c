/* Handles a snapshot of waits; cycles need a second snapshot:
 *
 *     snapshot ──no cycle──▶ ready ──stacks named, locks sent, or 5 s──▶ sent
 *         └──cycle──▶ again after 0.1 s ─▶ confirm: which are deadlocks? ─▶ ready */
#include "wire/lock_waits_stream.h"

#include <stdlib.h>
#include <string.h>

#include "platform/time.h"
#include "waits/deadlocks.h"
#include "wire/messages.h"

enum { SECONDS_FOR_NAMES = 5 };
static const int64_t S = 1000 * 1000 * 1000;

void sg_lock_waits_stream_close(struct sg_lock_waits_stream *stream) {
    for (size_t i = 0; i < stream->n_threads; i++)
        free(stream->threads[i].frames);
    free(stream->threads);
    free(stream->waits);
    sg_hash_index_discard(&stream->by_tid);
    sg_deadlocks_forget();
    memset(stream, 0, sizeof *stream);
}

/* ---- The stack of a thread: each waiter and each holder is looked up some times a second ---- */

struct sought {
    const struct sg_stack *threads;
    pid_t tid;
};

static uint32_t hash_of(pid_t tid) { return (uint32_t)sg_hash_index_mix((uint64_t)tid, 0); }

static bool is_sought(uint32_t number, const void *key) {
    const struct sought *sought = key;
    return sought->threads[number].tid == sought->tid;
}

static void index_threads(struct sg_lock_waits_stream *stream) {
    for (uint32_t i = 0; i < stream->n_threads; i++) {
        if (!sg_hash_index_reserve(&stream->by_tid)) {
            sg_hash_index_discard(&stream->by_tid);
            return;
        }
        sg_hash_index_put(&stream->by_tid, hash_of(stream->threads[i].tid), i);
    }
}

/* Return the first stack of a thread; NULL if it has none. */
static const struct sg_stack *find_stack(const struct sg_lock_waits_stream *stream, pid_t tid) {
    struct sought sought = {stream->threads, tid};
    if (stream->by_tid.entries) {
        uint32_t found = sg_hash_index_find(&stream->by_tid, hash_of(tid), is_sought, &sought);
        return found == UINT32_MAX ? NULL : &stream->threads[found];
    }
    for (uint32_t i = 0; i < stream->n_threads; i++) {
        if (is_sought(i, &sought))
            return &stream->threads[i];
    }
    return NULL;
}

/* ---- The snapshot ---- */

void sg_lock_waits_stream_take(struct sg_lock_waits_stream *stream, struct sg_job *job) {
    if (!stream->again_mono_ns && sg_deadlocks_watch(job->lock_waits.at, job->lock_waits.n)) {
        stream->again_mono_ns = sg_time_mono_ns() + SG_CYCLE_WATCH_NS;
        return;
    }
    sg_deadlocks_confirm(job->lock_waits.at, job->lock_waits.n);
    sg_lock_waits_stream_close(stream);
    *stream = (struct sg_lock_waits_stream){
        .is_ready = true,
        .waits = job->lock_waits.at,
        .n_waits = job->lock_waits.n,
        .threads = job->stacks.at,
        .n_threads = job->stacks.n,
        .taken_mono_ns = job->taken_mono_ns,
    };
    memset(&job->lock_waits, 0, sizeof job->lock_waits);
    memset(&job->stacks, 0, sizeof job->stacks);
    index_threads(stream);
}

static bool is_late(const struct sg_lock_waits_stream *stream) {
    return sg_time_mono_ns() - stream->taken_mono_ns > SECONDS_FOR_NAMES * S;
}

/* Return the node of a thread's stack; SG_NODE_EMPTY if it has none, SG_NO_NODE if a name is
 * missing. */
static uint32_t find_node(const struct sg_lock_waits_stream *stream, struct sg_stacks *stacks,
                          pid_t tid) {
    const struct sg_stack *stack = tid ? find_stack(stream, tid) : NULL;
    return stack ? sg_stacks_node(stacks, stack->frames, stack->depth, is_late(stream))
                 : SG_NODE_EMPTY;
}

bool sg_lock_waits_stream_is_sent(const struct sg_lock_waits_stream *stream,
                                  const struct sg_contention_stream *contention,
                                  struct sg_stacks *stacks) {
    bool is_sent = true;
    for (size_t i = 0; i < stream->n_waits; i++) {
        const struct sg_lock_waiter *wait = &stream->waits[i];
        is_sent &= find_node(stream, stacks, wait->tid) != SG_NO_NODE;
        is_sent &= find_node(stream, stacks, wait->holder.tid) != SG_NO_NODE;
        is_sent &= !wait->lock || wait->lock < contention->n_locks_sent || is_late(stream);
    }
    return is_sent;
}

void sg_lock_waits_stream_put(const struct sg_lock_waits_stream *stream, struct sg_buffer *out,
                              const struct sg_contention_stream *contention,
                              struct sg_stacks *stacks) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_LOCK_WAITS);
    const struct sg_lock_waiter *waits = stream->waits;
    size_t n = stream->n_waits;
    sg_encoder_put_int(out, SG_TAG_LOCK_WAITS_TIME_MONO_NS, stream->taken_mono_ns);
    SG_PUT_COLUMN(out, SG_TAG_LOCK_WAITS_TID, n, waits[i].tid);
    SG_PUT_COLUMN(out, SG_TAG_LOCK_WAITS_LOCK, n,
                  waits[i].lock < contention->n_locks_sent ? waits[i].lock : 0);
    SG_PUT_COLUMN(out, SG_TAG_LOCK_WAITS_PRIMITIVE, n,
                  sg_intern_string(stacks->intern, sg_primitive_name(waits[i].primitive)));
    SG_PUT_COLUMN(out, SG_TAG_LOCK_WAITS_SINCE_MONO_NS, n, waits[i].since_mono_ns);
    SG_PUT_COLUMN(out, SG_TAG_LOCK_WAITS_HOLDER_TID, n, waits[i].holder.tid);
    SG_PUT_COLUMN(out, SG_TAG_LOCK_WAITS_NODE, n, find_node(stream, stacks, waits[i].tid));
    SG_PUT_COLUMN(out, SG_TAG_LOCK_WAITS_HOLDER_NODE, n,
                  find_node(stream, stacks, waits[i].holder.tid));
    SG_PUT_COLUMN(out, SG_TAG_LOCK_WAITS_HOLDER_INSIDE, n,
                  waits[i].holder.source == SG_HOLDER_INSIDE);
    SG_PUT_COLUMN(out, SG_TAG_LOCK_WAITS_HOLDER_TAKEN, n, waits[i].holder.source == SG_HOLDER_TOOK);
    SG_PUT_COLUMN(out, SG_TAG_LOCK_WAITS_STUCK, n, waits[i].stuck);
    sg_messages_end_from_engine(out, message);
}

static bool can_take(const struct sg_client *client) {
    return client->wants_lock_waits && client->is_up_to_date &&
           client->tables[SG_TABLE_CONTENTION].is_up_to_date;
}

void sg_lock_waits_stream_send(struct sg_lock_waits_stream *stream, struct sg_clients *clients,
                               const struct sg_buffer *message) {
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        if (!can_take(client))
            continue; /* the client connected later and gets another snapshot */
        client->wants_lock_waits = false;
        sg_client_put(client, message);
    }
    sg_lock_waits_stream_close(stream);
}

bool sg_lock_waits_stream_wants(struct sg_lock_waits_stream *stream,
                                const struct sg_clients *clients) {
    bool is_wanted = false;
    for (size_t i = 0; i < clients->n; i++)
        is_wanted |= can_take(clients->at[i]);
    if (!is_wanted && stream->again_mono_ns) /* a cycle watched for a client that has left */
        sg_lock_waits_stream_close(stream);
    return is_wanted && !stream->is_ready && sg_time_mono_ns() >= stream->again_mono_ns;
}
