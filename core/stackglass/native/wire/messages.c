/* Messages have columns: each column of a table is one packed field with the rows [from, to).
 *
 * A cursor counts the rows of each table that were sent. cursor_step fills the tables in the order
 * in which they refer to each other, strings first; so the rows that a row refers to are in the
 * same step or in an earlier one. */
#include "wire/messages.h"

#include <string.h>
#include <unistd.h>

#include "platform/version.h"

struct sg_message sg_messages_begin_from_engine(struct sg_buffer *out, uint32_t kind) {
    struct sg_message message;
    message.frame = sg_encoder_begin_frame(out);
    message.body = sg_encoder_begin_message(out, kind);
    return message;
}

void sg_messages_end_from_engine(struct sg_buffer *out, struct sg_message message) {
    sg_encoder_end_message(out, message.body);
    sg_encoder_end_message(out, message.frame);
}

void sg_messages_put_hello(struct sg_buffer *out) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_HELLO);
    sg_encoder_put_uint(out, SG_TAG_HELLO_PROTOCOL, SG_PROTOCOL_VERSION);
    sg_encoder_put_string(out, SG_TAG_HELLO_ENGINE_VERSION, SG_VERSION);
    sg_encoder_put_uint(out, SG_TAG_HELLO_PID, (uint64_t)getpid());
    sg_messages_end_from_engine(out, message);
}

void sg_messages_put_ready(struct sg_buffer *out, const struct sg_interpreter *interpreter,
                           int64_t unix_ns, int64_t mono_ns, enum sg_clock clock) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_READY);
    sg_encoder_put_string(out, SG_TAG_READY_PYTHON_VERSION, interpreter->version);
    sg_encoder_put_string(out, SG_TAG_READY_EXECUTABLE, interpreter->executable);
    for (size_t i = 0; i < interpreter->n_argv; i++)
        sg_encoder_put_string_element(out, SG_TAG_READY_ARGV, interpreter->argv[i],
                                      strlen(interpreter->argv[i]));
    sg_encoder_put_int(out, SG_TAG_READY_TIME_UNIX_NS, unix_ns);
    sg_encoder_put_int(out, SG_TAG_READY_TIME_MONO_NS, mono_ns);
    sg_encoder_put_string(out, SG_TAG_READY_CLOCK, sg_clock_name(clock));
    if (interpreter->process_name)
        sg_encoder_put_string(out, SG_TAG_READY_PROCESS_NAME, interpreter->process_name);
    sg_messages_end_from_engine(out, message);
}

void sg_messages_put_rates(struct sg_buffer *out, int cpu_hz, uint64_t heap_rate,
                           const struct sg_requested_rates *contention, unsigned wall_hz,
                           bool has_native_stacks) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_RATES);
    sg_encoder_put_uint(out, SG_TAG_RATES_CPU_HZ, (uint64_t)cpu_hz);
    sg_encoder_put_uint(out, SG_TAG_RATES_HEAP_RATE, heap_rate);
    sg_encoder_put_uint(out, SG_TAG_RATES_BLOCK_RATE_NS, contention->block_ns);
    sg_encoder_put_uint(out, SG_TAG_RATES_MUTEX_FRACTION, contention->mutex_fraction);
    sg_encoder_put_uint(out, SG_TAG_RATES_GIL_HZ, contention->gil_hz);
    sg_encoder_put_uint(out, SG_TAG_RATES_HAS_OTHER, contention->is_other);
    sg_encoder_put_uint(out, SG_TAG_RATES_STALL_NS, contention->stall_ns);
    sg_encoder_put_uint(out, SG_TAG_RATES_WALL_HZ, wall_hz);
    sg_encoder_put_uint(out, SG_TAG_RATES_NATIVE_STACKS, has_native_stacks);
    sg_messages_end_from_engine(out, message);
}

void sg_messages_put_status(struct sg_buffer *out, const struct sg_cpu_status *status,
                            int64_t mono_ns, int64_t gil_wait_ns, const char *process_name) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_STATUS);
    sg_encoder_put_int(out, SG_TAG_STATUS_TIME_MONO_NS, mono_ns);
    sg_encoder_put_uint(out, SG_TAG_STATUS_CPU_HZ, (uint64_t)status->hz);
    sg_encoder_put_uint(out, SG_TAG_STATUS_N_SAMPLES, status->n_samples);
    sg_encoder_put_uint(out, SG_TAG_STATUS_N_LOST, status->n_lost);
    sg_encoder_put_uint(out, SG_TAG_STATUS_PROCESS_CPU_NS, status->process_cpu_ns);
    sg_encoder_put_uint(out, SG_TAG_STATUS_ENGINE_CPU_NS, status->engine_cpu_ns);
    sg_encoder_put_uint(out, SG_TAG_STATUS_N_THREADS, status->n_threads);
    sg_encoder_put_uint(out, SG_TAG_STATUS_GIL_WAIT_NS, (uint64_t)gil_wait_ns);
    sg_encoder_put_string(out, SG_TAG_STATUS_CLOCK, sg_clock_name(status->clock));
    sg_encoder_put_uint(out, SG_TAG_STATUS_N_BAD_WALKS, status->n_bad_walks);
    sg_encoder_put_string(out, SG_TAG_STATUS_PROBLEM, status->problem);
    sg_encoder_put_uint(out, SG_TAG_STATUS_SHARE_ERROR_POINTS, status->share_error.points);
    sg_encoder_put_string(out, SG_TAG_STATUS_SHARE_ERROR_CAUSE, status->share_error.cause);
    sg_encoder_put_uint(out, SG_TAG_STATUS_N_UNKNOWN_LABELS, status->n_unknown_labels);
    sg_encoder_put_string(out, SG_TAG_STATUS_NATIVE_PROBLEM, status->native_problem);
    sg_encoder_put_uint(out, SG_TAG_STATUS_N_NATIVE_STACKS, status->n_native_stacks);
    sg_encoder_put_uint(out, SG_TAG_STATUS_N_TRUNCATED_STACKS, status->n_truncated_stacks);
    sg_encoder_put_uint(out, SG_TAG_STATUS_IS_NATIVE_READY, status->is_native_ready);
    sg_encoder_put_string(out, SG_TAG_STATUS_WALL_PROBLEM, status->wall_problem);
    sg_encoder_put_string(out, SG_TAG_STATUS_PROCESS_NAME, process_name);
    sg_encoder_put_uint(out, SG_TAG_STATUS_N_UNSAMPLED_THREADS, status->n_unsampled_threads);
    sg_messages_end_from_engine(out, message);
}

void sg_messages_put_bye(struct sg_buffer *out, const char *reason) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_BYE);
    sg_encoder_put_string(out, SG_TAG_BYE_REASON, reason);
    sg_messages_end_from_engine(out, message);
}

/* Put rows [from, to) of a table, one packed field for each column. */
static void put_table(struct sg_buffer *out, uint32_t first_field, const struct sg_table *table,
                      uint32_t from, uint32_t to) {
    for (int i = 0; i < table->n_columns && from < to; i++)
        sg_encoder_put_packed_u32(out, first_field + (uint32_t)i, table->columns[i] + from,
                                  to - from);
}

/* Put rows of tables with columns that were added later, so that their field numbers are not
 * consecutive. */
static const uint32_t FUNCTION_FIELDS[SG_TABLE_COLUMNS] = {
    SG_TAG_BATCH_FUNCTION_NAME,         SG_TAG_BATCH_FUNCTION_SYSTEM_NAME,
    SG_TAG_BATCH_FUNCTION_FILENAME,     SG_TAG_BATCH_FUNCTION_START_LINE,
    SG_TAG_BATCH_FUNCTION_NATIVE_START,
};
static const uint32_t LOCATION_FIELDS[SG_TABLE_COLUMNS] = {
    SG_TAG_BATCH_LOCATION_FUNCTION,
    SG_TAG_BATCH_LOCATION_LINE,
    SG_TAG_BATCH_LOCATION_NATIVE_ADDRESS,
};
static void put_fields(struct sg_buffer *out, const uint32_t fields[SG_TABLE_COLUMNS],
                       const struct sg_table *table, uint32_t from, uint32_t to) {
    for (int i = 0; i < table->n_columns && from < to; i++)
        sg_encoder_put_packed_u32(out, fields[i], table->columns[i] + from, to - from);
}

/* The columns that CPU and wall samples share; `NS` names the last one's field. */
#define PUT_ROWS(out, SAMPLE, NS, rows)                                                            \
    SG_PUT_COLUMN(out, SG_TAG_BATCH_##SAMPLE##_NODE, (rows)->n, (rows)->at[i].node);               \
    SG_PUT_COLUMN(out, SG_TAG_BATCH_##SAMPLE##_TID, (rows)->n, (rows)->at[i].tid);                 \
    SG_PUT_COLUMN(out, SG_TAG_BATCH_##SAMPLE##_LABELS, (rows)->n, (rows)->at[i].labels);           \
    SG_PUT_COLUMN(out, SG_TAG_BATCH_##SAMPLE##_TIME, (rows)->n, (rows)->at[i].time);               \
    SG_PUT_COLUMN(out, SG_TAG_BATCH_##SAMPLE##_COUNT, (rows)->n, (rows)->at[i].count);             \
    SG_PUT_COLUMN(out, SG_TAG_BATCH_##SAMPLE##_##NS, (rows)->n, (rows)->at[i].cpu_ns)

static void put_wall_rows(struct sg_buffer *out, const struct sg_rows *wall) {
    PUT_ROWS(out, WALL, NS, wall);
    SG_PUT_COLUMN(out, SG_TAG_BATCH_WALL_STATE, wall->n, wall->at[i].state);
    SG_PUT_COLUMN(out, SG_TAG_BATCH_WALL_CALL, wall->n, wall->at[i].call);
}

void sg_messages_put_batch(struct sg_buffer *out, const struct sg_intern *intern,
                           const struct sg_thread_names *threads, const struct sg_cursor *from,
                           const struct sg_cursor *to, const struct sg_rows *rows,
                           const struct sg_rows *wall) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_BATCH);
    for (uint32_t i = from->strings; i < to->strings; i++) {
        const char *text = sg_intern_text(intern, i);
        sg_encoder_put_string_element(out, SG_TAG_BATCH_STRINGS, text, strlen(text));
    }
    put_fields(out, FUNCTION_FIELDS, &intern->functions, from->functions, to->functions);
    put_fields(out, LOCATION_FIELDS, &intern->locations, from->locations, to->locations);
    put_table(out, SG_TAG_BATCH_NODE_PARENT, &intern->nodes, from->nodes, to->nodes);
    put_table(out, SG_TAG_BATCH_LABEL_SET, &intern->labels, from->labels, to->labels);
    put_table(out, SG_TAG_BATCH_STARTED_TID, &intern->starts, from->starts, to->starts);
    put_table(out, SG_TAG_BATCH_KNOWN_FUNCTION, &intern->known, from->known, to->known);
    if (from->threads < to->threads) {
        uint32_t n = to->threads - from->threads;
        sg_encoder_put_packed_u32(out, SG_TAG_BATCH_THREAD_TID,
                                  threads->tids.values + from->threads, n);
        sg_encoder_put_packed_u32(out, SG_TAG_BATCH_THREAD_NAME,
                                  threads->names.values + from->threads, n);
    }
    if (rows) {
        PUT_ROWS(out, SAMPLE, CPU_NS, rows);
    }
    if (wall)
        put_wall_rows(out, wall);
    sg_messages_end_from_engine(out, message);
}

struct sg_cursor sg_messages_cursor_end(const struct sg_intern *intern,
                                        const struct sg_thread_names *threads) {
    return (struct sg_cursor){
        .strings = intern->strings.starts.n,
        .functions = intern->functions.n_rows,
        .locations = intern->locations.n_rows,
        .nodes = intern->nodes.n_rows,
        .threads = (uint32_t)threads->tids.n,
        .labels = intern->labels.n_rows,
        .known = intern->known.n_rows,
        .starts = intern->starts.n_rows,
    };
}

static uint32_t step(uint32_t from, uint32_t end, uint32_t *left) {
    uint32_t n = end - from < *left ? end - from : *left;
    *left -= n;
    return from + n;
}

struct sg_cursor sg_messages_cursor_step(const struct sg_cursor *from, const struct sg_cursor *end,
                                         uint32_t max_rows) {
    uint32_t left = max_rows;
    struct sg_cursor to;
    to.strings = step(from->strings, end->strings, &left);
    to.functions = step(from->functions, end->functions, &left);
    to.locations = step(from->locations, end->locations, &left);
    to.nodes = step(from->nodes, end->nodes, &left);
    to.threads = step(from->threads, end->threads, &left);
    to.labels = step(from->labels, end->labels, &left);
    to.known = step(from->known, end->known, &left);
    to.starts = step(from->starts, end->starts, &left);
    return to;
}

bool sg_messages_cursor_equals(const struct sg_cursor *one, const struct sg_cursor *other) {
    return !memcmp(one, other, sizeof *one);
}

void sg_messages_put_thread_snapshot(struct sg_buffer *out, int64_t mono_ns,
                                     const struct sg_vector *tids, const struct sg_vector *nodes,
                                     const struct sg_vector *labels) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_THREADS);
    sg_encoder_put_int(out, SG_TAG_THREAD_SNAPSHOT_TIME_MONO_NS, mono_ns);
    sg_encoder_put_packed_u32(out, SG_TAG_THREAD_SNAPSHOT_TID, tids->values, tids->n);
    sg_encoder_put_packed_u32(out, SG_TAG_THREAD_SNAPSHOT_NODE, nodes->values, nodes->n);
    sg_encoder_put_packed_u32(out, SG_TAG_THREAD_SNAPSHOT_LABELS, labels->values, labels->n);
    sg_messages_end_from_engine(out, message);
}

struct sg_row sg_messages_make_row(uint32_t node, const struct sg_sample *sample) {
    return (struct sg_row){
        .node = node,
        .tid = (uint32_t)sample->tid,
        .labels = sample->labels,
        .time = sample->time,
        .count = sample->count,
        .state = (uint32_t)sample->wall_state - 1,
        .call = (uint32_t)(sample->call + 1),
        .cpu_ns = sample->cpu_ns,
    };
}
