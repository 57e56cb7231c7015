/* From samples and names to messages: see stream.h. */
#include "wire/stream.h"
#include "native_memory/native_alloc.h"
#include "waits/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "platform/time.h"

enum { MAX_ROWS = 1 << 20 };

static void add_row(void *context, uint32_t node, const struct sg_sample *sample) {
    struct sg_stream *feed = context;
    if (feed->rows.node.n >= MAX_ROWS || !sg_messages_rows_add(&feed->rows, node, sample))
        feed->n_refused += sample->count;
}

bool sg_stream_open(struct sg_stream *feed, int minor) {
    memset(feed, 0, sizeof *feed);
    if (!sg_intern_open(&feed->intern))
        return false;
    sg_thread_names_open(&feed->threads, &feed->intern);
    sg_heap_stream_open(&feed->heap, &feed->threads);
    sg_contention_stream_open(&feed->contention, &feed->intern, &feed->threads);
    if (sg_stacks_open(&feed->stacks, &feed->intern, minor, add_row, feed))
        return true;
    sg_intern_close(&feed->intern);
    return false;
}

static void free_snapshot(struct sg_stream *feed) {
    for (size_t i = 0; i < feed->n_snapshot; i++)
        free(feed->snapshot[i].frames);
    free(feed->snapshot);
    feed->snapshot = NULL;
    feed->n_snapshot = 0;
}

void sg_stream_close(struct sg_stream *feed) {
    free_snapshot(feed);
    sg_heap_stream_close(&feed->heap);
    sg_contention_stream_close(&feed->contention);
    sg_census_stream_close(&feed->census);
    sg_lock_waits_stream_close(&feed->lock_waits);
    sg_thread_dump_stream_close(&feed->thread_dump);
    sg_messages_rows_free(&feed->rows);
    sg_stacks_close(&feed->stacks);
    sg_thread_names_close(&feed->threads);
    sg_intern_close(&feed->intern);
}

static void see(void *context, const struct sg_sample *sample) {
    struct sg_stream *feed = context;
    sg_thread_names_see(&feed->threads, sample->tid, sg_time_mono_ns());
    sg_stacks_add(&feed->stacks, sample);
}

void sg_stream_drain(struct sg_stream *feed) {
    sg_cpu_drain(see, feed);
    sg_stacks_end_drain(&feed->stacks);
}

void sg_stream_drain_heap(struct sg_stream *feed, bool is_last) {
    sg_native_alloc_measure();
    sg_heap_stream_drain(&feed->heap, &feed->stacks, is_last);
}

void sg_stream_drain_contention(struct sg_stream *feed, bool is_last) {
    sg_contention_stream_drain(&feed->contention, &feed->stacks, is_last);
}

void sg_stream_add_tombstone(struct sg_stream *feed) {
    bool is_news = false;
    for (struct sg_tombstone *dead = sg_code_ids_take_tombstones(), *next; dead; dead = next) {
        next = dead->next;
        sg_stacks_learn(&feed->stacks, dead->id, &dead->facts, &sg_gil_worker.paths, true);
        sg_code_ids_free_tombstone(dead);
        is_news = true;
    }
    if (is_news)
        sg_stacks_retry(&feed->stacks, false);
}

static void take_names(struct sg_stream *feed, struct sg_job *job) {
    sg_stream_add_tombstone(feed); /* who was dead when the job looked has a tombstone by now */
    for (size_t i = 0; i < job->n_codes; i++) {
        struct sg_named_code *code = &job->codes[i];
        if (code->facts.name)
            sg_stacks_learn(&feed->stacks, code->id, &code->facts, &sg_gil_worker.paths, false);
        else
            sg_stacks_give_up(&feed->stacks, code->id);
    }
    sg_stacks_retry(&feed->stacks, false);
}

static void take_snapshot(struct sg_stream *feed, struct sg_job *job) {
    free_snapshot(feed);
    feed->snapshot = job->stacks;
    feed->n_snapshot = job->n_stacks;
    feed->snapshot_mono_ns = job->taken_mono_ns;
    job->stacks = NULL;
    job->n_stacks = job->stacks_capacity = 0;
}

/* A look may need several jobs. */
static void take_lock_waits(struct sg_stream *feed, struct sg_job *job) {
    if (!sg_waits_snapshot_is_done())
        return;
    sg_lock_waits_stream_take(&feed->lock_waits, job);
    sg_waits_snapshot_end();
}

void sg_stream_take_results(struct sg_stream *feed, struct sg_job *job) {
    for (size_t i = 0; i < job->n_threads; i++)
        sg_thread_names_tell(&feed->threads, job->thread_names[i].tid, job->thread_names[i].name);
    if (job->kind == SG_JOB_NAME)
        take_names(feed, job);
    else if (job->kind == SG_JOB_SNAPSHOT)
        take_snapshot(feed, job);
    else if (job->kind == SG_JOB_LOCK_WAITS)
        take_lock_waits(feed, job);
    else if (job->kind == SG_JOB_DUMP)
        sg_thread_dump_stream_take(&feed->thread_dump, job->held_ns);
    else if (job->kind == SG_JOB_CENSUS)
        sg_census_stream_take(&feed->census, &feed->intern, job->held_ns, job->cpu_ns);
    sg_gil_worker_free_results();
}

bool sg_stream_is_waiting(const struct sg_stream *feed) {
    return feed->stacks.n_pending || feed->heap.rows.waiting.n || feed->contention.rows.waiting.n;
}

void sg_stream_send(struct sg_stream *feed, struct sg_clients *clients) {
    struct sg_cursor end = sg_messages_cursor_end(&feed->intern, &feed->threads);
    if (feed->rows.node.n || !sg_messages_cursor_equals(&end, &feed->sent)) {
        struct sg_buffer batch = {0};
        sg_messages_put_batch(&batch, &feed->intern, &feed->threads, &feed->sent, &end,
                              &feed->rows);
        sg_clients_tell(clients, &batch, true);
        sg_encoder_buffer_free(&batch);
        for (size_t i = 0; i < clients->n; i++)
            if (clients->at[i]->is_up_to_date)
                clients->at[i]->cursor = end;
        sg_messages_rows_clear(&feed->rows);
        feed->sent = end;
    }
    sg_clients_catch_up(clients, &feed->intern, &feed->threads, &feed->sent);
}

/* The nodes of the snapshot's stacks; false if a name is still wanted. */
static bool resolve_snapshot(struct sg_stream *feed, struct sg_vector *tids,
                             struct sg_vector *nodes) {
    bool is_known = true;
    for (size_t i = 0; i < feed->n_snapshot; i++) {
        const struct sg_stack *stack = &feed->snapshot[i];
        uint32_t node = sg_stacks_node(&feed->stacks, stack->frames, stack->depth);
        sg_thread_names_see(&feed->threads, stack->tid, feed->snapshot_mono_ns);
        is_known &= node != SG_NO_NODE;
        if (node != SG_NO_NODE && sg_vector_add(nodes, node) &&
            !sg_vector_add(tids, (uint32_t)stack->tid))
            nodes->n--;
    }
    return is_known;
}

bool sg_stream_wants_snapshot(const struct sg_stream *feed, const struct sg_clients *clients) {
    for (size_t i = 0; i < clients->n; i++)
        if (clients->at[i]->wants_snapshot && clients->at[i]->is_up_to_date)
            return !feed->snapshot;
    return false;
}

static void send_snapshot(struct sg_stream *feed, struct sg_clients *clients) {
    struct sg_vector tids = {0}, nodes = {0};
    if (feed->snapshot && resolve_snapshot(feed, &tids, &nodes)) {
        sg_stream_send(feed, clients); /* what it refers to goes first */
        for (size_t i = 0; i < clients->n; i++) {
            struct sg_client *client = clients->at[i];
            if (client->wants_snapshot && client->is_up_to_date) {
                sg_messages_put_thread_snapshot(&client->out, feed->snapshot_mono_ns, &tids,
                                                &nodes);
                client->wants_snapshot = false;
            }
        }
        free_snapshot(feed);
    }
    sg_vector_free(&tids);
    sg_vector_free(&nodes);
}

static void send_census(struct sg_stream *feed, struct sg_clients *clients) {
    if (!feed->census.is_ready)
        return;
    sg_stream_send(feed, clients); /* what it refers to goes first */
    sg_census_stream_send(&feed->census, &feed->heap, clients);
}

static void send_lock_waits(struct sg_stream *feed, struct sg_clients *clients) {
    struct sg_lock_waits_stream *waits = &feed->lock_waits;
    struct sg_buffer message = {0};
    if (!waits->is_ready || !sg_lock_waits_stream_is_sent(waits, &feed->contention, &feed->stacks))
        return;
    sg_lock_waits_stream_put(waits, &message, &feed->contention, &feed->stacks);
    sg_stream_send(feed, clients); /* what it refers to goes first */
    sg_lock_waits_stream_send(waits, clients, &message);
    sg_encoder_buffer_free(&message);
}

static void send_thread_dump(struct sg_stream *feed, struct sg_clients *clients) {
    struct sg_buffer message = {0};
    if (!feed->thread_dump.is_ready || !sg_thread_dump_stream_is_named(&feed->stacks))
        return;
    sg_thread_dump_stream_put(&message, &feed->stacks);
    sg_stream_send(feed, clients); /* what it refers to goes first */
    sg_thread_dump_stream_send(&feed->thread_dump, clients, &message);
    sg_encoder_buffer_free(&message);
}

void sg_stream_send_answers(struct sg_stream *feed, struct sg_clients *clients) {
    send_snapshot(feed, clients);
    send_census(feed, clients);
    send_lock_waits(feed, clients);
    send_thread_dump(feed, clients);
}
