/* Row publisher: sends the rows of a table incrementally.
 *
 *     id ──stacks named──▶ row: defined once ──▶ changed ──▶ one message for all clients up to date
 *                                                       └──▶ all rows, in steps, for late clients
 *
 * An id is a position in the engine's table. An id gets a row when the code objects of its stacks
 * have names. A turn is the time from one step of the late clients to the next. The writer owns the
 * publisher. */
#ifndef STACKGLASS_WIRE_ROW_PUBLISHER_H
#define STACKGLASS_WIRE_ROW_PUBLISHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/code_ids.h"
#include "platform/encoder.h"
#include "platform/vector.h"
#include "wire/clients.h"
#include "wire/stacks.h"

enum { SG_NO_ROW = UINT32_MAX };

/* An id. Most ids have one stack; then the other stack and its node are empty. */
struct sg_published_row {
    struct sg_frame *frames; /* frames of both stacks, until the stacks have nodes; owned */
    uint32_t depth, other_depth;
    uint32_t node, other_node;
    uint32_t row;  /* SG_NO_ROW = no names yet */
    uint32_t turn; /* turn of the last change */
    bool is_changed;
};

struct sg_row_publisher {
    struct sg_published_row *at; /* (n,): by id, blank if the id was not added; owned */
    size_t n, capacity;
    struct sg_vector ids;     /* id by row */
    struct sg_vector waiting; /* ids without a row */
    struct sg_vector changed; /* rows that have changed since the last message */
    uint32_t n_sent;          /* rows that were sent */
    uint32_t turn;            /* number of the present turn, from 1 */
};

/* The rows of one message: it defines [first, end), and has values of the rows in `changed`. */
struct sg_row_batch {
    const struct sg_row_publisher *of;
    uint32_t first, end;
    const uint32_t *changed; /* (n_changed,): rows */
    size_t n_changed;
};
typedef void sg_put_rows_fn(struct sg_client *client, void *context,
                            const struct sg_row_batch *batch);

void sg_row_publisher_open(struct sg_row_publisher *rows);
void sg_row_publisher_close(struct sg_row_publisher *rows);

/* Add an id, and copy its frames. Ids may come in any order. Returns false, with nothing added, if
 * memory is short. */
bool sg_row_publisher_add(struct sg_row_publisher *rows, uint32_t id, const struct sg_frame *frames,
                          uint32_t depth, const struct sg_frame *other_frames,
                          uint32_t other_depth);
bool sg_row_publisher_has(const struct sg_row_publisher *rows, uint32_t id);
/* Note that the values of an id have changed. */
void sg_row_publisher_change(struct sg_row_publisher *rows, uint32_t id);
/* Look up names again. `is_last`: code without a name becomes "<unknown>". */
void sg_row_publisher_name(struct sg_row_publisher *rows, struct sg_stacks *stacks, bool is_last);

bool sg_row_publisher_has_changes(const struct sg_row_publisher *rows);
struct sg_row_batch sg_row_publisher_changes(const struct sg_row_publisher *rows);
/* Send `message`, which encodes sg_row_publisher_changes(), to all clients that are up to date with
 * the table. */
void sg_row_publisher_publish(struct sg_row_publisher *rows, enum sg_row_table table,
                              struct sg_clients *clients, const struct sg_buffer *message);
/* Send a step to the clients that are not up to date, and begin the next turn. The last step is
 * sent even if it is empty. Only clients with a socket get steps: a self profile has no tables. */
void sg_row_publisher_catch_up(struct sg_row_publisher *rows, enum sg_row_table table,
                               struct sg_clients *clients, sg_put_rows_fn *put, void *context);

/* Send the same bytes to all clients that are up to date with the table. */
void sg_row_publisher_pass_on(enum sg_row_table table, struct sg_clients *clients,
                              const struct sg_buffer *message);
/* Return how long to wait after a message of `size` bytes; the larger it was, the longer, up to a
 * second. */
int64_t sg_row_publisher_pause_ns(size_t size);

static inline uint32_t sg_row_publisher_row(const struct sg_row_publisher *rows, uint32_t id) {
    return rows->at[id].row;
}

/* Put a packed column with one value for each event of a bucket with a row; `value` is the value of
 * event `i`. */
#define SG_PUT_SENT(out, field, rows, events, value)                                               \
    do {                                                                                           \
        size_t begun_ = (events)->n ? sg_encoder_begin_message(out, field) : 0;                    \
        for (size_t i = 0; i < (events)->n; i++)                                                   \
            if (sg_row_publisher_row(rows, (events)->at[i].bucket) != SG_NO_ROW)                   \
                sg_encoder_put_varint(out, (uint64_t)(value));                                     \
        if ((events)->n)                                                                           \
            sg_encoder_end_message(out, begun_);                                                   \
    } while (0)

/* Remove the events of buckets with a row, because they were sent; the others stay. */
#define SG_DROP_SENT(rows, events)                                                                 \
    do {                                                                                           \
        size_t n_kept_ = 0;                                                                        \
        for (size_t i = 0; i < (events)->n; i++)                                                   \
            if (sg_row_publisher_row(rows, (events)->at[i].bucket) == SG_NO_ROW)                   \
                (events)->at[n_kept_++] = (events)->at[i];                                         \
        (events)->n = n_kept_;                                                                     \
    } while (0)

#endif
