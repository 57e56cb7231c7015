/* Sends the memory trace block by block, the oldest first.
 *
 *     lanes ─every 0.1 s, or sooner─▶ waiting[64] ─stacks and types named─▶ packed ─▶ client
 *
 * Nothing is read while 64 blocks wait or, except at the end, the client has 8 MiB unsent: so the
 * lanes fill up, and count the loss. Stacks are named in the order of their numbers, callers first,
 * so `nodes` is an array without gaps, and a block is named once its highest stack is.
 *
 * A generation is 64 blocks or a second. At its end the lanes of threads that have ended are freed,
 * and the objects that live are handed over to a job that reads their types. */
#include "wire/memory_stream.h"

#include <stdlib.h>
#include <string.h>

#include "platform/engine_threads.h"
#include "platform/time.h"
#include "trace/lanes.h"
#include "trace/names.h"
#include "trace/reader.h"

enum {
    MOST_UNSENT_BYTES = 8 << 20, /* more stop the reading of lanes */
    MOST_BLOCKS_A_TURN = 16,
    BLOCKS_A_GENERATION = 64,
    FULL_BUFFERS = 16, /* this many buffers hold about the events of a block */
    SHORT_PAUSE_MS = 2,
    PAUSE_MS = 10,
    PAGE_BYTES = 4096,
    ALIGNMENT = 16, /* of blocks of pymalloc and malloc */
};
static const int64_t GENERATION_NS = INT64_C(1000) * 1000 * 1000;
/* Interval of reading the lanes. A program that is killed loses the events since then, and the
 * blocks that wait to be sent. */
static const int64_t READ_NS = INT64_C(100) * 1000 * 1000;

bool sg_memory_stream_open(struct sg_memory_stream *stream) {
    memset(stream, 0, sizeof *stream);
    stream->table = malloc(sizeof *stream->table);
    stream->generation_begun_ns = sg_time_mono_ns();
    stream->is_open = stream->table && sg_vector_add(&stream->nodes, SG_NODE_EMPTY);
    if (!stream->is_open)
        sg_memory_stream_close(stream);
    return stream->is_open;
}

void sg_memory_stream_close(struct sg_memory_stream *stream) {
    for (int i = 0; i < SG_MOST_WAITING_BLOCKS; i++)
        sg_trace_block_free(&stream->waiting[i].block);
    sg_vector_free(&stream->nodes);
    sg_vector_free(&stream->strings);
    sg_encoder_buffer_free(&stream->payload.bytes);
    free(stream->table);
    memset(stream, 0, sizeof *stream);
}

static struct sg_client *find_client(const struct sg_clients *clients) {
    for (size_t i = 0; i < clients->n; i++)
        if (clients->at[i]->has_memory_trace)
            return clients->at[i];
    return NULL;
}

/* ---- Reading ---- */

/* Return whether reading must pause. At the end all is read, however much the client has unsent,
 * because the lanes hold no more than that. */
static bool is_read_off(const struct sg_memory_stream *stream, const struct sg_clients *clients,
                        bool is_last) {
    const struct sg_client *client = find_client(clients);
    return stream->n_waiting == SG_MOST_WAITING_BLOCKS ||
           (client && !is_last && client->out.size - client->n_sent > MOST_UNSENT_BYTES);
}

static bool add_block(struct sg_memory_stream *stream, bool is_filled) {
    struct sg_waiting_block *last = &stream->waiting[stream->n_waiting];
    last->generation = stream->generation;
    if (!last->block.n_events || last->block.columns.failed)
        return is_filled;
    stream->n_waiting++;
    stream->n_blocks++;
    return is_filled;
}

static void read_snapshot(struct sg_memory_stream *stream, const struct sg_clients *clients,
                          bool is_last) {
    int64_t start_ns = sg_trace_status().start_ns;
    for (int i = 0; i < MOST_BLOCKS_A_TURN && !is_read_off(stream, clients, is_last); i++) {
        struct sg_trace_block *block = &stream->waiting[stream->n_waiting].block;
        if (!add_block(stream, sg_trace_reader_fill_snapshot(block, start_ns))) {
            stream->is_snapshot_over = true;
            return;
        }
    }
}

static bool is_due(const struct sg_memory_stream *stream) {
    return stream->is_cut ||
           sg_trace_reader_waiting_words() >= FULL_BUFFERS * (uint64_t)SG_BUFFER_WORDS ||
           sg_time_mono_ns() - stream->read_ns >= READ_NS;
}

static void end_generation(struct sg_memory_stream *stream) {
    stream->generation++;
    stream->n_blocks = 0;
    stream->generation_begun_ns = sg_time_mono_ns();
    stream->is_cut &= !sg_trace_hand_over();
    sg_trace_reader_free_lanes();
}

void sg_memory_stream_cut(struct sg_memory_stream *stream) { stream->is_cut = true; }

static void see_thread(void *context, uint32_t tid) {
    sg_thread_names_see(context, (pid_t)tid, sg_time_mono_ns());
}

void sg_memory_stream_read(struct sg_memory_stream *stream, struct sg_clients *clients,
                           struct sg_thread_names *threads, bool is_last) {
    if (!stream->is_snapshot_over)
        read_snapshot(stream, clients, is_last);
    if (!stream->is_snapshot_over || !(is_last || is_due(stream)))
        return;
    bool is_all = false;
    stream->read_ns = sg_time_mono_ns();
    for (int i = 0; i < MOST_BLOCKS_A_TURN && !is_all && !is_read_off(stream, clients, is_last);
         i++)
        is_all = add_block(stream, sg_trace_reader_fill(&stream->waiting[stream->n_waiting].block));
    sg_trace_reader_list_threads(see_thread, threads);
    stream->is_drained = is_last && is_all && !sg_trace_reader_has_loss();
    if (is_all)
        stream->whole_ns = stream->read_ns;
    if (stream->n_blocks >= BLOCKS_A_GENERATION || (stream->is_cut && is_all) ||
        sg_time_mono_ns() - stream->generation_begun_ns >= GENERATION_NS)
        end_generation(stream);
}

/* ---- Names ---- */

/* Find the nodes of the engine's stacks in the order of their numbers, callers first. Returns false
 * if a name is missing. */
static bool name_stacks(struct sg_memory_stream *stream, struct sg_stacks *stacks, bool is_last) {
    uint32_t n = sg_stack_tree_count(&sg_trace_reader_stacks);
    for (uint32_t stack = (uint32_t)stream->nodes.n; stack <= n; stack++) {
        struct sg_stack_node at = sg_stack_tree_node(&sg_trace_reader_stacks, stack);
        uint32_t node = sg_stacks_child(stacks, stream->nodes.values[at.caller], at.frame, is_last);
        if (node == SG_NO_NODE || !sg_vector_add(&stream->nodes, node))
            return false;
    }
    return true;
}

/* Request the names of later stacks' code, too, so that one job can look them up together. */
static void want_names(struct sg_memory_stream *stream, struct sg_stacks *stacks) {
    enum { MOST_AHEAD = 4096 };
    uint32_t n = sg_stack_tree_count(&sg_trace_reader_stacks), last = (uint32_t)stream->nodes.n;
    for (uint32_t stack = last; stack <= n && stack < last + MOST_AHEAD; stack++) {
        struct sg_frame frame = sg_stack_tree_node(&sg_trace_reader_stacks, stack).frame;
        sg_stacks_request(stacks, frame);
    }
}

static bool is_named(const struct sg_memory_stream *stream, const struct sg_trace_block *block) {
    return block->most_stack < stream->nodes.n;
}

/* Intern the names of the block's types. Returns false if memory is short. */
static bool name_types(struct sg_memory_stream *stream, struct sg_intern *intern,
                       const struct sg_trace_block *block) {
    while (stream->strings.n <= block->most_type)
        if (!sg_vector_add(&stream->strings, 0))
            return false;
    for (size_t i = 0; i < block->symbols.n; i++) {
        uint32_t type = block->symbols.at[i].type;
        if (type && !stream->strings.values[type])
            stream->strings.values[type] = sg_intern_string(intern, sg_trace_names_text(type));
    }
    return true;
}

bool sg_memory_stream_name(struct sg_memory_stream *stream, struct sg_stacks *stacks,
                           bool is_last) {
    if (!stream->n_waiting)
        return false;
    if (!name_stacks(stream, stacks, is_last))
        want_names(stream, stacks);
    uint32_t n = 0;
    while (n < stream->n_waiting && is_named(stream, &stream->waiting[n].block) &&
           name_types(stream, stacks->intern, &stream->waiting[n].block))
        n++;
    stream->n_named = n;
    return n > 0;
}

/* ---- Sending ---- */

static uint32_t find_node(void *context, uint32_t stack) {
    const struct sg_memory_stream *stream = context;
    return stream->nodes.values[stack];
}

static uint32_t find_string(void *context, uint32_t type) {
    const struct sg_memory_stream *stream = context;
    return stream->strings.values[type];
}

static void put_events(struct sg_memory_stream *stream, const struct sg_waiting_block *waiting,
                       struct sg_buffer *out) {
    const struct sg_trace_numbers numbers = {find_node, find_string, stream};
    const struct sg_trace_block *block = &waiting->block;
    struct sg_trace_payload *payload = &stream->payload;
    if (!sg_trace_block_pack(block, &numbers, stream->table, payload)) {
        out->failed = true;
        return;
    }
    struct sg_message message =
        sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_MEMORY_EVENTS);
    sg_encoder_put_uint(out, SG_TAG_MEMORY_EVENTS_GENERATION, waiting->generation);
    sg_encoder_put_uint(out, SG_TAG_MEMORY_EVENTS_N_EVENTS, block->n_events);
    sg_encoder_put_int(out, SG_TAG_MEMORY_EVENTS_FIRST_TIME_NS, block->first_ns);
    sg_encoder_put_int(out, SG_TAG_MEMORY_EVENTS_LAST_TIME_NS, block->last_ns);
    sg_encoder_put_uint(out, SG_TAG_MEMORY_EVENTS_PACKING, payload->packing);
    sg_encoder_put_uint(out, SG_TAG_MEMORY_EVENTS_RAW_BYTES, payload->raw_bytes);
    sg_encoder_put_string_element(out, SG_TAG_MEMORY_EVENTS_PAYLOAD,
                                  (const char *)payload->bytes.bytes, payload->bytes.size);
    sg_messages_end_from_engine(out, message);
}

void sg_memory_stream_send(struct sg_memory_stream *stream, struct sg_clients *clients) {
    struct sg_client *client = find_client(clients);
    uint32_t n = stream->n_named;
    if (!client || !client->is_up_to_date)
        return;
    for (uint32_t i = 0; i < n; i++)
        put_events(stream, &stream->waiting[i], &client->out);
    /* The memory of sent blocks is moved behind the other blocks, for reuse. */
    struct sg_waiting_block sent[SG_MOST_WAITING_BLOCKS];
    memcpy(sent, stream->waiting, n * sizeof *sent);
    memmove(stream->waiting, stream->waiting + n,
            (SG_MOST_WAITING_BLOCKS - n) * sizeof *stream->waiting);
    memcpy(stream->waiting + SG_MOST_WAITING_BLOCKS - n, sent, n * sizeof *sent);
    stream->n_waiting -= n;
    stream->n_named = 0;
    sg_memory_stream_sent_ns(stream);
}

int64_t sg_memory_stream_sent_ns(struct sg_memory_stream *stream) {
    if (!stream->n_waiting)
        stream->sent_ns = stream->whole_ns;
    return stream->sent_ns;
}

bool sg_memory_stream_is_over(const struct sg_memory_stream *stream) {
    return stream->is_drained && !stream->n_waiting;
}

int sg_memory_stream_pause_ms(const struct sg_memory_stream *stream, int most_ms) {
    if (!stream->is_open)
        return most_ms;
    int pause_ms = stream->n_waiting || !stream->is_snapshot_over || is_due(stream) ? SHORT_PAUSE_MS
                                                                                    : PAUSE_MS;
    return pause_ms < most_ms ? pause_ms : most_ms;
}

/* ---- Its state ---- */

void sg_memory_stream_put_info(const struct sg_memory_standing *standing, struct sg_buffer *out) {
    const struct sg_trace_status status = sg_trace_status();
    const struct sg_reader_counts counts = sg_trace_reader_counts();
    const struct sg_snapshot_counts *snapshot = &status.snapshot;
    int64_t start_ns = standing->session_start_ns + status.start_ns;
    int64_t sent_ns = standing->sent_ns > start_ns ? standing->sent_ns : start_ns;
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_MEMORY_INFO);
    sg_encoder_put_string(out, SG_TAG_MEMORY_INFO_PROBLEM, standing->problem);
    sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_IS_ENDED, standing->is_ended);
    if (!*standing->problem) {
        sg_encoder_put_int(out, SG_TAG_MEMORY_INFO_START_MONO_NS, start_ns);
        sg_encoder_put_int(out, SG_TAG_MEMORY_INFO_TIME_MONO_NS, sent_ns);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_MINIMUM_ADDRESS, status.minimum_address);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_ALIGNMENT, ALIGNMENT);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_POOL_BYTES, status.pool_bytes);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_ARENA_BYTES, status.arena_bytes);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_PAGE_BYTES, PAGE_BYTES);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_PYTHON_MINOR, (uint64_t)standing->minor);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_SNAPSHOT_OBJECTS, snapshot->n_objects);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_SNAPSHOT_TYPED, snapshot->n_typed);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_ALLOCATED_BLOCKS, snapshot->allocated_blocks);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_HIDDEN_BLOCKS, snapshot->hidden_blocks);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_SNAPSHOT_HOLD_NS, snapshot->hold_ns);
        sg_encoder_put_string(out, SG_TAG_MEMORY_INFO_POOLS_PROBLEM, status.pools_problem);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_N_EVENTS, counts.n_events);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_N_LOST, counts.n_lost + status.n_without_lane);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_N_STACKS_LOST, counts.n_stacks_lost);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_N_STACK_NODES,
                            sg_stack_tree_count(&sg_trace_reader_stacks));
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_N_DISPLACED, status.n_displaced);
        sg_encoder_put_uint(out, SG_TAG_MEMORY_INFO_IS_NATIVE_SEEN, standing->is_native_seen);
        sg_encoder_put_string(out, SG_TAG_MEMORY_INFO_NATIVE_PROBLEM, standing->native_problem);
        uint32_t tids[SG_MOST_ENGINE_THREADS];
        size_t n = sg_engine_threads_list(tids);
        sg_encoder_put_packed_u32(out, SG_TAG_MEMORY_INFO_ENGINE_TID, tids, n);
    }
    sg_messages_end_from_engine(out, message);
}
