/* Messages: encodes FromEngine messages (wire.proto) as framed bytes, appended to a buffer. The
 * functions have no state; any thread may call them. */
#ifndef STACKGLASS_WIRE_MESSAGES_H
#define STACKGLASS_WIRE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/cpu.h"
#include "platform/encoder.h"
#include "platform/vector.h"
#include "wire/intern.h"
#include "wire/requests.h"
#include "wire/tags.h"
#include "wire/thread_names.h"
#include "worker/gil_worker.h"

/* Cursor in the session's definitions: the number of rows sent of each table. */
struct sg_cursor {
    uint32_t strings, functions, locations, nodes, threads, labels, known, starts;
};

/* A sample, as it is sent. */
struct sg_row {
    uint32_t node, tid, labels, time, count;
    uint32_t state, call; /* for a wall sample, as wire.proto numbers them */
    uint64_t cpu_ns;      /* for a wall sample: wall time */
};
struct sg_rows SG_ROWS_OF(struct sg_row);

/* One FromEngine message, filled between begin and end; `kind` is an SG_TAG_FROM_ENGINE_*. */
struct sg_message {
    size_t frame, body;
};
struct sg_message sg_messages_begin_from_engine(struct sg_buffer *out, uint32_t kind);
void sg_messages_end_from_engine(struct sg_buffer *out, struct sg_message message);

void sg_messages_put_hello(struct sg_buffer *out);
void sg_messages_put_ready(struct sg_buffer *out, const struct sg_interpreter *interpreter,
                           int64_t unix_ns, int64_t mono_ns, enum sg_clock clock);
void sg_messages_put_rates(struct sg_buffer *out, int cpu_hz, uint64_t heap_rate,
                           const struct sg_requested_rates *contention, unsigned wall_hz,
                           bool has_native_stacks);
void sg_messages_put_status(struct sg_buffer *out, const struct sg_cpu_status *status,
                            int64_t mono_ns, int64_t gil_wait_ns, const char *process_name);
void sg_messages_put_bye(struct sg_buffer *out, const char *reason);

/* Put a Batch of all definitions from `from` to `to`, and of the samples in `rows` and `wall` (NULL
 * = none). */
void sg_messages_put_batch(struct sg_buffer *out, const struct sg_intern *intern,
                           const struct sg_thread_names *threads, const struct sg_cursor *from,
                           const struct sg_cursor *to, const struct sg_rows *rows,
                           const struct sg_rows *wall);
/* Return the present end of all tables. */
struct sg_cursor sg_messages_cursor_end(const struct sg_intern *intern,
                                        const struct sg_thread_names *threads);
/* Return a cursor at most `max_rows` rows after `from`, not beyond `end`. Rows are counted in an
 * order in which each row follows the rows that it refers to. */
struct sg_cursor sg_messages_cursor_step(const struct sg_cursor *from, const struct sg_cursor *end,
                                         uint32_t max_rows);
bool sg_messages_cursor_equals(const struct sg_cursor *one, const struct sg_cursor *other);

void sg_messages_put_thread_snapshot(struct sg_buffer *out, int64_t mono_ns,
                                     const struct sg_vector *tids, const struct sg_vector *nodes,
                                     const struct sg_vector *labels);

/* Return the row of a sample with its stack at a node of the stack tree. */
struct sg_row sg_messages_make_row(uint32_t node, const struct sg_sample *sample);

#endif
