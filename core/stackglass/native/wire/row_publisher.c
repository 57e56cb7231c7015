/* Each row has the number of the turn in which it last changed.
 *
 *     id ─▶ waiting ──stacks have nodes──▶ row ─▶ changed ──▶ all clients that are up to date
 *                                                   ▲           │
 *                                                   └──change───┘
 *     late client: rows [0, n_sent) in steps ─▶ those changed since its first step ─▶ up to date
 *
 * So no client needs a queue: the rows that it lacks are found by comparing turns. A turn is one
 * call of sg_row_publisher_catch_up. A row without names is not sent; when it gets them, its latest
 * values are sent. */
#include "wire/row_publisher.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEP_ROWS = 1 << 14,          /* rows in one step */
    STEP_BYTES = 1 << 20,         /* unsent bytes at which catching up pauses */
    PAUSE_NS = 150 * 1000 * 1000, /* the writer sends every 100 ms, so this is every other time */
    /* 1 MB a second, because the reader may be Python; more only if one message is larger */
    PAUSE_NS_A_BYTE = 1000,
    PAUSE_MOST_NS = 1000 * 1000 * 1000,
};

void sg_row_publisher_open(struct sg_row_publisher *rows) {
    memset(rows, 0, sizeof *rows);
    rows->turn = 1;
}

void sg_row_publisher_close(struct sg_row_publisher *rows) {
    for (size_t i = 0; i < rows->n; i++)
        free(rows->at[i].frames);
    free(rows->at);
    sg_vector_free(&rows->ids);
    sg_vector_free(&rows->waiting);
    sg_vector_free(&rows->changed);
    memset(rows, 0, sizeof *rows);
}

bool sg_row_publisher_has(const struct sg_row_publisher *rows, uint32_t id) {
    return id < rows->n && (rows->at[id].frames || rows->at[id].row != SG_NO_ROW);
}

/* Add blank rows up to `id`. Returns false if memory is short. */
static bool reach(struct sg_row_publisher *rows, uint32_t id) {
    if (id < rows->n)
        return true;
    if (!SG_ROWS_RESERVE(rows, id + 1 - rows->n))
        return false;
    while (rows->n <= id)
        rows->at[rows->n++] = (struct sg_published_row){.row = SG_NO_ROW};
    return true;
}

bool sg_row_publisher_add(struct sg_row_publisher *rows, uint32_t id, const struct sg_frame *frames,
                          uint32_t depth, const struct sg_frame *other_frames,
                          uint32_t other_depth) {
    size_t n = depth + other_depth;
    struct sg_frame *copy = malloc(n ? n * sizeof *copy : 1);
    if (!copy || !reach(rows, id) || !sg_vector_add(&rows->waiting, id)) {
        free(copy);
        return false;
    }
    if (depth)
        memcpy(copy, frames, depth * sizeof *copy);
    if (other_depth)
        memcpy(copy + depth, other_frames, other_depth * sizeof *copy);
    rows->at[id] = (struct sg_published_row){
        .frames = copy, .depth = depth, .other_depth = other_depth, .row = SG_NO_ROW};
    return true;
}

void sg_row_publisher_change(struct sg_row_publisher *rows, uint32_t id) {
    struct sg_published_row *row = &rows->at[id];
    if (row->row == SG_NO_ROW)
        return; /* the row is sent with its first values later */
    row->turn = rows->turn;
    if (!row->is_changed && sg_vector_add(&rows->changed, row->row))
        row->is_changed = true;
}

static bool give_row(struct sg_row_publisher *rows, uint32_t id, struct sg_stacks *stacks,
                     bool is_last) {
    struct sg_published_row *row = &rows->at[id];
    row->node = sg_stacks_node(stacks, row->frames, row->depth, is_last);
    row->other_node = sg_stacks_node(stacks, row->frames + row->depth, row->other_depth, is_last);
    if (row->node == SG_NO_NODE || row->other_node == SG_NO_NODE || !sg_vector_add(&rows->ids, id))
        return false;
    row->row = (uint32_t)rows->ids.n - 1;
    free(row->frames);
    row->frames = NULL;
    sg_row_publisher_change(rows, id);
    return true;
}

void sg_row_publisher_name(struct sg_row_publisher *rows, struct sg_stacks *stacks, bool is_last) {
    size_t n = rows->waiting.n, n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t id = rows->waiting.values[i];
        if (!give_row(rows, id, stacks, is_last))
            rows->waiting.values[n_kept++] = id;
    }
    rows->waiting.n = n_kept;
}

bool sg_row_publisher_has_changes(const struct sg_row_publisher *rows) {
    return rows->changed.n || rows->n_sent < rows->ids.n;
}

struct sg_row_batch sg_row_publisher_changes(const struct sg_row_publisher *rows) {
    return (struct sg_row_batch){
        .of = rows,
        .first = rows->n_sent,
        .end = (uint32_t)rows->ids.n,
        .changed = rows->changed.values,
        .n_changed = rows->changed.n,
    };
}

int64_t sg_row_publisher_pause_ns(size_t size) {
    int64_t pause_ns = PAUSE_NS + (int64_t)size * PAUSE_NS_A_BYTE;
    return pause_ns < PAUSE_MOST_NS ? pause_ns : PAUSE_MOST_NS;
}

void sg_row_publisher_pass_on(enum sg_row_table table, struct sg_clients *clients,
                              const struct sg_buffer *message) {
    for (size_t i = 0; i < clients->n; i++)
        if (clients->at[i]->tables[table].is_up_to_date)
            sg_client_put(clients->at[i], message);
}

void sg_row_publisher_publish(struct sg_row_publisher *rows, enum sg_row_table table,
                              struct sg_clients *clients, const struct sg_buffer *message) {
    sg_row_publisher_pass_on(table, clients, message);
    for (size_t i = 0; i < rows->changed.n; i++)
        rows->at[rows->ids.values[rows->changed.values[i]]].is_changed = false;
    rows->changed.n = 0;
    rows->n_sent = (uint32_t)rows->ids.n;
}

/* Put the present values of the rows [first, end) that have changed since `turn`, and define the
 * rows [n_known, end). */
static void put_rows(const struct sg_row_publisher *rows, struct sg_client *client,
                     uint32_t n_known, uint32_t first, uint32_t end, uint32_t turn,
                     sg_put_rows_fn *put, void *context) {
    struct sg_vector changed = {0};
    for (uint32_t row = first; row < end; row++)
        if (rows->at[rows->ids.values[row]].turn >= turn && !sg_vector_add(&changed, row))
            client->out.failed = true;
    const struct sg_row_batch batch = {rows, n_known, end, changed.values, changed.n};
    put(client, context, &batch);
    sg_vector_free(&changed);
}

/* Put every row, a step at a time, and at the end the rows that have changed meanwhile. */
static void catch_up(const struct sg_row_publisher *rows, struct sg_client *client,
                     struct sg_row_cursor *cursor, sg_put_rows_fn *put, void *context) {
    if (!cursor->turn)
        cursor->turn = rows->turn;
    while (cursor->n_rows < rows->n_sent && !client->out.failed &&
           client->out.size - client->n_sent < STEP_BYTES) {
        uint32_t left = rows->n_sent - cursor->n_rows;
        uint32_t end = cursor->n_rows + (left < STEP_ROWS ? left : STEP_ROWS);
        put_rows(rows, client, cursor->n_rows, cursor->n_rows, end, 0, put, context);
        cursor->n_rows = end;
    }
    if (cursor->n_rows < rows->n_sent)
        return;
    uint32_t since = cursor->turn < rows->turn ? cursor->turn : UINT32_MAX;
    put_rows(rows, client, rows->n_sent, 0, rows->n_sent, since, put, context);
    cursor->is_up_to_date = true;
}

void sg_row_publisher_catch_up(struct sg_row_publisher *rows, enum sg_row_table table,
                               struct sg_clients *clients, sg_put_rows_fn *put, void *context) {
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        struct sg_row_cursor *cursor = &client->tables[table];
        if (client->descriptor >= 0 && client->is_up_to_date && !cursor->is_up_to_date)
            catch_up(rows, client, cursor, put, context);
    }
    rows->turn++;
}
