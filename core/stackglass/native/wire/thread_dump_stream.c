/* Steps of a dump: begin it for a client, wait for its names, encode it, send it, end it.
 *
 * There is one dump at a time (threads/thread_dump.h), begun and ended here. A client that requests
 * a dump while one is under way gets that dump, unless the client wants leaks and the dump has
 * none; then another dump follows. After five seconds missing names become "<unknown>". */
#include "wire/thread_dump_stream.h"

#include <stdio.h>
#include <string.h>

#include "platform/time.h"
#include "threads/thread_dump.h"
#include "wire/messages.h"

static const int64_t LATE_NS = INT64_C(5) * 1000 * 1000 * 1000;

void sg_thread_dump_stream_take(struct sg_thread_dump_stream *stream, uint64_t held_ns,
                                uint64_t cpu_ns) {
    sg_thread_dump_note_hold(held_ns, cpu_ns);
    if (!sg_thread_dump_current()->is_done)
        return;
    sg_thread_dump_settle();
    stream->is_ready = true;
}

/* Return whether the current dump, if there is one, is what the client has requested. */
static bool can_take(const struct sg_client *client) {
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    return client->wants_thread_dump && client->is_up_to_date &&
           (!dump->is_begun || dump->wants_leaks || !client->wants_leaks);
}

static bool is_wanted(const struct sg_clients *clients, bool *wants_leaks) {
    bool is_any = false;
    *wants_leaks = false;
    for (size_t i = 0; i < clients->n; i++) {
        if (!can_take(clients->at[i]))
            continue;
        is_any = true;
        *wants_leaks |= clients->at[i]->wants_leaks;
    }
    return is_any;
}

bool sg_thread_dump_stream_continues(const struct sg_thread_dump_stream *stream,
                                     const struct sg_clients *clients, bool are_locks_decided) {
    bool is_begun = sg_thread_dump_current()->is_begun, wants_leaks;
    if (stream->is_ready)
        return false;
    bool is_asked = is_wanted(clients, &wants_leaks);
    if (is_asked && !is_begun && (!wants_leaks || are_locks_decided))
        sg_thread_dump_begin(wants_leaks);
    else if (!is_asked && is_begun)
        sg_thread_dump_end();
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    return dump->is_begun && sg_time_mono_ns() >= dump->leaks_due_mono_ns;
}

bool sg_thread_dump_stream_is_late(void) {
    return sg_time_mono_ns() - sg_thread_dump_current()->taken_mono_ns > LATE_NS;
}

/* Return the node of a stack; SG_NO_NODE = a name is missing, and is requested. */
static uint32_t find_node(struct sg_stacks *stacks, uint32_t first_frame, uint32_t depth) {
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    const struct sg_frame *frames = dump->frames.at + first_frame;
    if (!depth)
        return SG_NODE_EMPTY;
    return sg_stacks_node(stacks, frames, depth, sg_thread_dump_stream_is_late());
}

bool sg_thread_dump_stream_is_named(struct sg_stacks *stacks) {
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    bool is_named = true;
    for (size_t i = 0; i < dump->threads.n; i++)
        is_named &= find_node(stacks, dump->threads.at[i].first_frame, dump->threads.at[i].depth) !=
                    SG_NO_NODE;
    for (size_t i = 0; i < dump->tasks.n; i++) {
        const struct sg_dumped_task *task = &dump->tasks.at[i];
        is_named &= find_node(stacks, task->first_frame, task->depth) != SG_NO_NODE;
        is_named &=
            find_node(stacks, task->creation_first_frame, task->creation_depth) != SG_NO_NODE;
    }
    return is_named;
}

void sg_thread_dump_stream_need_labels(struct sg_label_sets *sets) {
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    for (size_t i = 0; i < dump->threads.n; i++)
        sg_label_sets_need(sets, dump->threads.at[i].labels);
    for (size_t i = 0; i < dump->tasks.n; i++)
        sg_label_sets_need(sets, dump->tasks.at[i].labels);
}

static void put_text(struct sg_buffer *out, uint32_t field, uint32_t text) {
    const char *found = text ? sg_thread_dump_current()->texts.at + text : "";
    sg_encoder_put_string_element(out, field, found, strlen(found));
}

/* Put a task's name. If asyncio has not made the name yet, it is made from the number as asyncio
 * would. */
static void put_name(struct sg_buffer *out, const struct sg_dumped_task *task) {
    char name[32];
    if (task->number) {
        int n = snprintf(name, sizeof name, "Task-%lld", (long long)task->number);
        sg_encoder_put_string_element(out, SG_TAG_THREAD_DUMP_TASK_NAME, name, (size_t)n);
    } else {
        put_text(out, SG_TAG_THREAD_DUMP_TASK_NAME, task->name);
    }
}

static const char *name_primitive(enum sg_primitive primitive) {
    return primitive == SG_PRIMITIVE_NONE ? "" : sg_primitive_name(primitive);
}

static void put_threads(struct sg_buffer *out, struct sg_stacks *stacks) {
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    const struct sg_dumped_thread *threads = dump->threads.at;
    size_t n = dump->threads.n;
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_TID, n, threads[i].tid);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_NODE, n,
                  find_node(stacks, threads[i].first_frame, threads[i].depth));
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_STATE, n, threads[i].state);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_CALL, n, threads[i].call + 1);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_DAEMON, n, threads[i].daemon);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_INTERPRETER, n, threads[i].interpreter);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_TASK, n, threads[i].task);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_LABELS, n, threads[i].labels);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_PRIMITIVE, n,
                  sg_intern_string(stacks->intern, name_primitive(threads[i].primitive)));
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_LOCK, n, threads[i].lock);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_SINCE_MONO_NS, n, threads[i].since_mono_ns);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_HOLDER, n, threads[i].holder);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_LEAKED, n, threads[i].is_leaked);
    for (size_t i = 0; i < n; i++)
        put_text(out, SG_TAG_THREAD_DUMP_THREAD_NAME, threads[i].name);
}

static void put_creations(struct sg_buffer *out,
                          const struct sg_thread_creations_stream *creations) {
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    const struct sg_created_thread *created;
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_CREATOR, dump->threads.n,
                  (created = sg_thread_creations_stream_find(creations, dump->threads.at[i].tid))
                      ? created->creator
                      : 0);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_THREAD_CREATION, dump->threads.n,
                  (created = sg_thread_creations_stream_find(creations, dump->threads.at[i].tid))
                      ? creations->sites.at[created->site].node
                      : SG_NODE_EMPTY);
}

static void put_tasks(struct sg_buffer *out, struct sg_stacks *stacks) {
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    const struct sg_dumped_task *tasks = dump->tasks.at;
    size_t n = dump->tasks.n;
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_TASK_ID, n, tasks[i].task);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_TASK_NODE, n,
                  find_node(stacks, tasks[i].first_frame, tasks[i].depth));
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_TASK_STATE, n, tasks[i].state);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_TASK_TID, n, tasks[i].tid);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_TASK_AWAITED, n, tasks[i].awaited);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_TASK_LABELS, n, tasks[i].labels);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_TASK_LEAKED, n, tasks[i].is_leaked);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_TASK_SINCE_MONO_NS, n, tasks[i].since_mono_ns);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_TASK_CREATOR, n, tasks[i].creator);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_TASK_CREATION, n,
                  find_node(stacks, tasks[i].creation_first_frame, tasks[i].creation_depth));
    for (size_t i = 0; i < n; i++)
        put_name(out, &tasks[i]);
    for (size_t i = 0; i < n; i++)
        put_text(out, SG_TAG_THREAD_DUMP_TASK_AWAITED_TYPE, tasks[i].awaited_type);
    for (size_t i = 0; i < n; i++)
        put_text(out, SG_TAG_THREAD_DUMP_TASK_GREENLET_TYPE, tasks[i].greenlet_type);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_EDGE_TASK, dump->edges.n, dump->edges.at[i].task);
    SG_PUT_COLUMN(out, SG_TAG_THREAD_DUMP_EDGE_AWAITED, dump->edges.n, dump->edges.at[i].awaited);
}

static void put_search(struct sg_buffer *out, const struct sg_thread_dump *dump) {
    sg_encoder_put_string(out, SG_TAG_THREAD_DUMP_LEAK_PROBLEM,
                          dump->leak_problem ? dump->leak_problem : "");
    sg_encoder_put_uint(out, SG_TAG_THREAD_DUMP_N_LEAK_OBJECTS, dump->n_leak_objects);
    sg_encoder_put_uint(out, SG_TAG_THREAD_DUMP_LEAK_HOLD_NS, (uint64_t)dump->leak_ns);
}

void sg_thread_dump_stream_put(struct sg_buffer *out, struct sg_stacks *stacks,
                               const struct sg_thread_creations_stream *creations) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_THREAD_DUMP);
    const struct sg_thread_dump *dump = sg_thread_dump_current();
    sg_encoder_put_int(out, SG_TAG_THREAD_DUMP_TIME_MONO_NS, dump->taken_mono_ns);
    sg_encoder_put_uint(out, SG_TAG_THREAD_DUMP_N_SLICES, dump->n_slices);
    sg_encoder_put_uint(out, SG_TAG_THREAD_DUMP_LONGEST_HOLD_NS, dump->longest_hold_ns);
    sg_encoder_put_uint(out, SG_TAG_THREAD_DUMP_LONGEST_CPU_NS, dump->longest_cpu_ns);
    sg_encoder_put_uint(out, SG_TAG_THREAD_DUMP_IS_WHOLE, dump->is_whole);
    if (dump->wants_leaks)
        put_search(out, dump);
    put_threads(out, stacks);
    put_creations(out, creations);
    put_tasks(out, stacks);
    sg_messages_end_from_engine(out, message);
}

void sg_thread_dump_stream_send(struct sg_thread_dump_stream *stream, struct sg_clients *clients,
                                const struct sg_buffer *message) {
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        if (!can_take(client))
            continue; /* the client connected later and gets another dump */
        client->wants_thread_dump = false;
        sg_client_put(client, message);
    }
    stream->has_sent = true;
    sg_thread_dump_stream_close(stream);
}

void sg_thread_dump_stream_close(struct sg_thread_dump_stream *stream) {
    if (stream->is_ready)
        sg_thread_dump_end();
    stream->is_ready = false;
}
