/* Keeps the order in which the data of a session are sent:
 *
 *     samples ─▶ stacks ─named─▶ rows ┐
 *     results of jobs ─▶ tables ──────┴─▶ Batch ─▶ heap, contention, answers, which refer to it
 *
 * A message refers to rows of tables by number, so it is sent after the Batch that defines these
 * rows. Each answer is first interned, then sg_stream_send sends the new definitions, then the
 * answer itself. `sent` is the number of rows of each table that up-to-date clients have received.
 */
#include "wire/stream.h"
#include "cpu/wall_sampler.h"
#include "interpreter/thread_starts.h"
#include "native_memory/native_alloc.h"
#include "threads/task_samples.h"
#include "unwind/unwind.h"
#include "waits/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "platform/time.h"
#include "worker/code_names.h"

enum { MAX_ROWS = 1 << 20, LAST_MINOR_WITHOUT_QUALNAMES = 10 };
/* After such a wait for the GIL, code is named without it: the program may not get beyond the very
 * call that is of interest. Longer where names would be worse: functions without their class, or in
 * the wrong module. */
static const int64_t LONG_WAIT_NS = 250 * 1000 * 1000, LONGER_WAIT_NS = INT64_C(3000) * 1000 * 1000;

static void add_row(void *context, uint32_t node, const struct sg_sample *sample) {
    struct sg_stream *stream = context;
    struct sg_rows *rows = sample->wall_state ? &stream->wall_rows : &stream->rows;
    bool is_added = rows->n < MAX_ROWS && SG_ROWS_ADD(rows, sg_messages_make_row(node, sample));
    if (!is_added && !sample->wall_state)
        stream->n_refused += sample->count;
}

bool sg_stream_open(struct sg_stream *stream, int minor) {
    memset(stream, 0, sizeof *stream);
    if (!sg_intern_open(&stream->intern))
        return false;
    sg_thread_names_open(&stream->threads, &stream->intern);
    stream->creations.names = &stream->threads;
    stream->label_sets.intern = &stream->intern;
    sg_heap_stream_open(&stream->heap, &stream->threads, &stream->label_sets);
    sg_contention_stream_open(&stream->contention, &stream->intern, &stream->threads,
                              &stream->label_sets);
    if (sg_stacks_open(&stream->stacks, &stream->intern, minor, add_row, stream))
        return true;
    sg_intern_close(&stream->intern);
    return false;
}

static void free_snapshot(struct sg_stream *stream) {
    for (size_t i = 0; i < stream->n_snapshot; i++)
        free(stream->snapshot[i].frames);
    free(stream->snapshot);
    stream->snapshot = NULL;
    stream->n_snapshot = 0;
}

void sg_stream_close(struct sg_stream *stream) {
    free_snapshot(stream);
    sg_heap_stream_close(&stream->heap);
    sg_contention_stream_close(&stream->contention);
    sg_census_stream_close(&stream->census);
    sg_lock_waits_stream_close(&stream->lock_waits);
    sg_thread_dump_stream_close(&stream->thread_dump);
    sg_thread_creations_stream_close(&stream->creations);
    sg_metrics_stream_close(&stream->metrics);
    sg_custom_profiles_stream_close(&stream->custom_profiles);
    sg_memory_stream_close(&stream->memory);
    SG_ROWS_FREE(&stream->rows);
    SG_ROWS_FREE(&stream->wall_rows);
    sg_stacks_close(&stream->stacks);
    sg_thread_names_close(&stream->threads);
    sg_intern_close(&stream->intern);
    sg_module_names_free(&stream->paths);
}

static void see(void *context, const struct sg_sample *sample) {
    struct sg_stream *stream = context;
    sg_thread_names_see(&stream->threads, sample->tid, sg_time_mono_ns());
    sg_label_sets_need(&stream->label_sets, sample->labels);
    sg_stacks_add(&stream->stacks, sample);
}

static void take_starts(struct sg_stream *stream) {
    struct sg_thread_start starts[64];
    for (size_t n; (n = sg_thread_starts_take(starts, sizeof starts / sizeof *starts));)
        for (size_t i = 0; i < n; i++)
            sg_intern_start(&stream->intern, (uint32_t)starts[i].tid, (uint32_t)starts[i].starter,
                            starts[i].is_python);
}

void sg_stream_drain(struct sg_stream *stream) {
    take_starts(stream);
    sg_thread_creations_stream_take_new(&stream->creations);
    sg_native_names_set_exact(&stream->stacks.native_names, sg_unwind_is_ready());
    sg_cpu_drain(see, stream);
    sg_wall_sampler_drain(see, stream);
    sg_task_samples_drain(see, stream);
    sg_stacks_end_drain(&stream->stacks);
}

void sg_stream_drain_heap(struct sg_stream *stream, bool is_last) {
    sg_native_alloc_measure();
    sg_heap_stream_drain(&stream->heap, &stream->stacks, is_last);
}

void sg_stream_drain_contention(struct sg_stream *stream, bool is_last) {
    sg_contention_stream_drain(&stream->contention, &stream->stacks, is_last);
}

void sg_stream_take_tombstones(struct sg_stream *stream) {
    bool is_news = false;
    for (struct sg_tombstone *dead = sg_code_ids_take_tombstones(), *next; dead; dead = next) {
        next = dead->next;
        sg_stacks_learn(&stream->stacks, dead->id, &dead->info, &stream->paths, true);
        sg_code_ids_free_tombstone(dead);
        is_news = true;
    }
    if (is_news)
        sg_stacks_retry(&stream->stacks, false);
}

static void take_names(struct sg_stream *stream, struct sg_job *job) {
    /* A code object that was freed during the job has a tombstone by now. */
    sg_stream_take_tombstones(stream);
    for (size_t i = 0; i < job->n_codes; i++) {
        struct sg_named_code *code = &job->codes[i];
        if (code->info.name)
            sg_stacks_learn(&stream->stacks, code->id, &code->info, &stream->paths, false);
        else
            sg_stacks_give_up(&stream->stacks, code->id);
    }
    sg_stacks_retry(&stream->stacks, false);
}

static void take_dump(struct sg_stream *stream, struct sg_job *job) {
    sg_thread_dump_stream_take(&stream->thread_dump, job->held_ns, job->cpu_ns);
    if (job->n_codes)
        take_names(stream, job);
}

static void take_snapshot(struct sg_stream *stream, struct sg_job *job) {
    free_snapshot(stream);
    stream->snapshot = job->stacks.at;
    stream->n_snapshot = job->stacks.n;
    stream->snapshot_mono_ns = job->taken_mono_ns;
    memset(&job->stacks, 0, sizeof job->stacks);
}

/* A waits-for snapshot may need several jobs. */
static void take_lock_waits(struct sg_stream *stream, struct sg_job *job) {
    if (!sg_waits_snapshot_is_done())
        return;
    sg_lock_waits_stream_take(&stream->lock_waits, job);
    sg_waits_snapshot_end();
}

/* Name the code without the GIL. Returns whether it has a name now. */
static bool name_without_gil(struct sg_stream *stream, sg_code_id id) {
    struct sg_code_info info;
    if (sg_stacks_is_known(&stream->stacks, id) || !sg_code_names_copy_without_gil(id, &info))
        return false;
    sg_stacks_learn(&stream->stacks, id, &info, &stream->paths, false);
    return true;
}

/* What the waiting job is to name comes first. The job will name it, too: that is too late then. */
void sg_stream_name_without_gil(struct sg_stream *stream, int64_t gil_wait_ns) {
    bool are_names_whole = stream->stacks.minor > LAST_MINOR_WITHOUT_QUALNAMES;
    bool is_main_known = stream->paths.main_file != NULL;
    if (gil_wait_ns < (are_names_whole && is_main_known ? LONG_WAIT_NS : LONGER_WAIT_NS))
        return;
    const struct sg_job *job = &sg_gil_worker.job;
    sg_code_id ids[SG_MOST_JOB_CODES];
    bool is_news = false;
    for (size_t i = 0; job->kind == SG_JOB_NAME && i < job->n_codes; i++)
        is_news |= name_without_gil(stream, job->codes[i].id);
    size_t n = sg_stacks_take_requested(&stream->stacks, ids, SG_MOST_JOB_CODES);
    for (size_t i = 0; i < n; i++) {
        if (name_without_gil(stream, ids[i]))
            is_news = true;
        else /* freed, so that its tombstone comes; or memory is short */
            sg_stacks_request_again(&stream->stacks, ids[i]);
    }
    if (is_news)
        sg_stacks_retry(&stream->stacks, false);
}

void sg_stream_take_results(struct sg_stream *stream, struct sg_job *job) {
    sg_module_names_copy_new(&stream->paths, &sg_gil_worker.paths);
    for (size_t i = 0; i < job->thread_names.n; i++)
        sg_thread_names_set(&stream->threads, job->thread_names.at[i].tid,
                            job->thread_names.at[i].name);
    if (job->kind == SG_JOB_NAME)
        take_names(stream, job);
    else if (job->kind == SG_JOB_LABELS)
        sg_label_sets_take(&stream->label_sets, &job->labels);
    else if (job->kind == SG_JOB_SNAPSHOT)
        take_snapshot(stream, job);
    else if (job->kind == SG_JOB_LOCK_WAITS)
        take_lock_waits(stream, job);
    else if (job->kind == SG_JOB_DUMP)
        take_dump(stream, job);
    else if (job->kind == SG_JOB_TASK_SAMPLES)
        sg_task_samples_note_cost(job->cpu_ns, sg_time_mono_ns());
    else if (job->kind == SG_JOB_METRICS)
        sg_metrics_take_job(&stream->metrics.metrics, job->held_ns, sg_time_mono_ns());
    else if (job->kind == SG_JOB_FUNCTION_NAMES)
        sg_known_functions_take(&stream->known, &stream->intern, sg_time_mono_ns());
    else if (job->kind == SG_JOB_CENSUS)
        sg_census_stream_take(&stream->census, &stream->intern, job->held_ns, job->cpu_ns);
    sg_gil_worker_free_results();
}

void sg_stream_take_counts(struct sg_stream *stream, const struct sg_clients *clients,
                           int64_t now_ns, bool is_last) {
    sg_thread_creations_stream_take(&stream->creations, &stream->stacks, clients, now_ns, is_last);
    sg_custom_profiles_stream_take(&stream->custom_profiles, &stream->stacks, clients, is_last);
}

void sg_stream_end_counts(struct sg_stream *stream) {
    stream->creations.is_ending = stream->custom_profiles.is_ending = true;
}

void sg_stream_send_counts(struct sg_stream *stream, struct sg_clients *clients, int64_t now_ns) {
    sg_thread_creations_stream_send(&stream->creations, clients, now_ns);
    sg_custom_profiles_stream_send(&stream->custom_profiles, clients, now_ns);
    sg_metrics_stream_send(&stream->metrics, clients, now_ns);
}

bool sg_stream_wants_labels(const struct sg_stream *stream) {
    return sg_label_sets_are_wanted(&stream->label_sets);
}

bool sg_stream_is_waiting(const struct sg_stream *stream, const struct sg_clients *clients) {
    return sg_stream_wants_labels(stream) || stream->stacks.pending.n ||
           stream->heap.rows.waiting.n || stream->contention.rows.waiting.n ||
           sg_thread_creations_stream_is_waiting(&stream->creations, clients) ||
           sg_custom_profiles_stream_is_waiting(&stream->custom_profiles, clients) ||
           sg_known_functions_are_wanted(&stream->known, &stream->stacks.native_names) ||
           stream->memory.n_waiting;
}

void sg_stream_send(struct sg_stream *stream, struct sg_clients *clients) {
    struct sg_cursor end = sg_messages_cursor_end(&stream->intern, &stream->threads);
    if (stream->rows.n || stream->wall_rows.n || !sg_messages_cursor_equals(&end, &stream->sent)) {
        struct sg_buffer batch = {0};
        sg_messages_put_batch(&batch, &stream->intern, &stream->threads, &stream->sent, &end,
                              &stream->rows, &stream->wall_rows);
        sg_clients_publish(clients, &batch, true);
        sg_encoder_buffer_free(&batch);
        for (size_t i = 0; i < clients->n; i++)
            if (clients->at[i]->is_up_to_date)
                clients->at[i]->cursor = end;
        stream->rows.n = stream->wall_rows.n = 0;
        stream->sent = end;
    }
    sg_clients_catch_up(clients, &stream->intern, &stream->threads, &stream->sent);
}

void sg_stream_send_memory(struct sg_stream *stream, struct sg_clients *clients, bool is_ended,
                           bool is_last) {
    struct sg_memory_stream *memory = &stream->memory;
    if (!memory->is_open)
        return;
    sg_memory_stream_read(memory, clients, &stream->threads, is_ended);
    if (sg_memory_stream_name(memory, &stream->stacks, is_last)) {
        sg_stream_send(stream, clients); /* the definitions must come first */
        sg_memory_stream_send(memory, clients);
    }
}

/* Find the nodes of the snapshot's stacks. Returns false if a name is still missing. */
static bool resolve_snapshot(struct sg_stream *stream, struct sg_vector *tids,
                             struct sg_vector *nodes, struct sg_vector *labels) {
    bool is_known = true;
    for (size_t i = 0; i < stream->n_snapshot; i++) {
        const struct sg_stack *stack = &stream->snapshot[i];
        uint32_t node = sg_stacks_node(&stream->stacks, stack->frames, stack->depth, false);
        sg_thread_names_see(&stream->threads, stack->tid, stream->snapshot_mono_ns);
        is_known &= node != SG_NO_NODE;
        sg_label_sets_need(&stream->label_sets, stack->labels);
        if (node != SG_NO_NODE && sg_vector_add(nodes, node) &&
            !(sg_vector_add(tids, (uint32_t)stack->tid) && sg_vector_add(labels, stack->labels)))
            nodes->n = tids->n = labels->n;
    }
    return is_known && !sg_stream_wants_labels(stream);
}

bool sg_stream_wants_snapshot(const struct sg_stream *stream, const struct sg_clients *clients) {
    for (size_t i = 0; i < clients->n; i++)
        if (clients->at[i]->wants_snapshot && clients->at[i]->is_up_to_date)
            return !stream->snapshot;
    return false;
}

static void send_snapshot(struct sg_stream *stream, struct sg_clients *clients) {
    struct sg_vector tids = {0}, nodes = {0}, labels = {0};
    if (stream->snapshot && resolve_snapshot(stream, &tids, &nodes, &labels)) {
        sg_stream_send(stream, clients); /* the definitions must come first */
        for (size_t i = 0; i < clients->n; i++) {
            struct sg_client *client = clients->at[i];
            if (client->wants_snapshot && client->is_up_to_date) {
                sg_messages_put_thread_snapshot(&client->out, stream->snapshot_mono_ns, &tids,
                                                &nodes, &labels);
                client->wants_snapshot = false;
            }
        }
        stream->threads.is_urgent = stream->threads.nameless.n > 0;
        free_snapshot(stream);
    }
    sg_vector_free(&tids);
    sg_vector_free(&nodes);
    sg_vector_free(&labels);
}

static void send_census(struct sg_stream *stream, struct sg_clients *clients) {
    if (!stream->census.is_ready)
        return;
    sg_stream_send(stream, clients); /* the definitions must come first */
    sg_census_stream_send(&stream->census, &stream->heap, clients);
}

static void send_lock_waits(struct sg_stream *stream, struct sg_clients *clients) {
    struct sg_lock_waits_stream *waits = &stream->lock_waits;
    struct sg_buffer message = {0};
    if (!waits->is_ready ||
        !sg_lock_waits_stream_is_sent(waits, &stream->contention, &stream->stacks))
        return;
    sg_lock_waits_stream_put(waits, &message, &stream->contention, &stream->stacks);
    sg_stream_send(stream, clients); /* the definitions must come first */
    sg_lock_waits_stream_send(waits, clients, &message);
    sg_encoder_buffer_free(&message);
}

static void send_thread_dump(struct sg_stream *stream, struct sg_clients *clients) {
    struct sg_buffer message = {0};
    if (!stream->thread_dump.is_ready)
        return;
    bool is_late = sg_thread_dump_stream_is_late();
    sg_thread_creations_stream_take(&stream->creations, &stream->stacks, clients, sg_time_mono_ns(),
                                    is_late);
    sg_thread_dump_stream_need_labels(&stream->label_sets);
    if (!sg_thread_dump_stream_is_named(&stream->stacks) || stream->creations.pending ||
        (sg_stream_wants_labels(stream) && !is_late))
        return;
    sg_thread_dump_stream_put(&message, &stream->stacks, &stream->creations);
    sg_stream_send(stream, clients); /* the definitions must come first */
    sg_thread_dump_stream_send(&stream->thread_dump, clients, &message);
    sg_encoder_buffer_free(&message);
}

void sg_stream_send_answers(struct sg_stream *stream, struct sg_clients *clients) {
    send_snapshot(stream, clients);
    send_census(stream, clients);
    send_lock_waits(stream, clients);
    send_thread_dump(stream, clients);
}
