/* Row reader: decodes the words of a row (rows.h) into a struct. */
#ifndef STACKGLASS_TRACE_ROW_READER_H
#define STACKGLASS_TRACE_ROW_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/events.h"
#include "trace/rows.h"

/* A decoded row; `stack` points into the words that the lane has published. */
struct sg_lane_row {
    uint64_t head;
    enum sg_row_kind kind;
    uint32_t n_words;
    int64_t time_ns; /* -1 = the row has no time, and the lane's applies */
    uint8_t domain;
    uint64_t number;       /* size, type, or the word of a mark */
    const uint64_t *stack; /* NULL = the stack of the last row */
};

static inline uint32_t sg_row_reader_stack_words(const uint64_t *stack) {
    return 1 + (uint32_t)(*stack >> SG_ROW_NEW_FRAMES_SHIFT & UINT16_MAX);
}

static inline void sg_row_reader_take_number(struct sg_lane_row *row, const uint64_t *words) {
    row->number = sg_row_payload(row->head);
    if (row->number == SG_ROW_LONG)
        row->number = words[row->n_words++];
}

static inline void sg_row_reader_take_moment(struct sg_lane_row *row, const uint64_t *words) {
    uint64_t moment = words[row->n_words++];
    row->time_ns = (int64_t)(moment >> SG_ROW_DOMAIN_BITS);
    row->domain = (uint8_t)moment;
}

static inline void sg_row_reader_take_stack(struct sg_lane_row *row, const uint64_t *words) {
    row->stack = words + row->n_words;
    row->n_words += sg_row_reader_stack_words(row->stack);
}

static inline void sg_row_reader_take_mark(struct sg_lane_row *row, const uint64_t *words) {
    sg_row_reader_take_moment(row, words);
    switch (sg_row_payload(row->head)) {
    case SG_MARK_TIME:
        break;
    case SG_MARK_SPAN_ALLOC:
        row->number = words[row->n_words++];
        sg_row_reader_take_stack(row, words);
        break;
    default:
        row->number = words[row->n_words++];
    }
}

static inline struct sg_lane_row sg_row_reader_read(const uint64_t *words) {
    struct sg_lane_row row = {
        .head = *words, .kind = sg_row_kind(*words), .n_words = 1, .time_ns = -1};
    switch (row.kind) {
    case SG_ROW_ALLOC_MEM:
    case SG_ROW_ALLOC_OBJ:
        row.domain = row.kind == SG_ROW_ALLOC_OBJ;
        sg_row_reader_take_number(&row, words);
        break;
    case SG_ROW_CALL_MEM:
    case SG_ROW_CALL_OBJ:
        row.domain = row.kind == SG_ROW_CALL_OBJ;
        sg_row_reader_take_number(&row, words);
        sg_row_reader_take_stack(&row, words);
        break;
    case SG_ROW_FREE_MEM:
    case SG_ROW_COLLECTED_MEM:
        sg_row_reader_take_number(&row, words);
        break;
    case SG_ROW_FREE_OBJ:
    case SG_ROW_COLLECTED_OBJ:
        row.domain = SG_TRACE_OBJ;
        sg_row_reader_take_number(&row, words);
        break;
    case SG_ROW_REALLOC:
        row.domain = (uint8_t)sg_row_payload(row.head);
        break;
    case SG_ROW_REALLOCED_MEM:
    case SG_ROW_REALLOCED_OBJ:
        row.domain = row.kind == SG_ROW_REALLOCED_OBJ;
        sg_row_reader_take_number(&row, words);
        sg_row_reader_take_stack(&row, words);
        break;
    case SG_ROW_TIMED_ALLOC:
    case SG_ROW_TIMED_REALLOCED:
        sg_row_reader_take_moment(&row, words);
        sg_row_reader_take_number(&row, words);
        sg_row_reader_take_stack(&row, words);
        break;
    case SG_ROW_TIMED_FREE:
        sg_row_reader_take_moment(&row, words);
        break;
    case SG_ROW_MARK:
        sg_row_reader_take_mark(&row, words);
        break;
    }
    return row;
}

/* Return whether a row becomes an event. The begin of a reallocation usually does not. */
static inline bool sg_row_reader_is_event(const struct sg_lane_row *row) {
    uint32_t payload = sg_row_payload(row->head);
    if (row->kind == SG_ROW_MARK)
        return payload != SG_MARK_TIME && payload != SG_MARK_THREAD;
    return row->kind != SG_ROW_REALLOC && !(row->kind == SG_ROW_TIMED_FREE && payload);
}

/* Return the number of words, one or two, of a row that is an event without a time, as most rows
 * are. Returns 0 for any other row. */
static inline uint32_t sg_row_reader_short_words(uint64_t head) {
    const uint32_t kinds = 1u << SG_ROW_ALLOC_MEM | 1u << SG_ROW_ALLOC_OBJ | 1u << SG_ROW_FREE_MEM |
                           1u << SG_ROW_FREE_OBJ | 1u << SG_ROW_COLLECTED_MEM |
                           1u << SG_ROW_COLLECTED_OBJ;
    return kinds >> sg_row_kind(head) & 1 ? 1 + (sg_row_payload(head) == SG_ROW_LONG) : 0;
}

#endif
