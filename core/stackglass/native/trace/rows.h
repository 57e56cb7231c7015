/* Rows: the format in which hooks write events, in words of eight bytes.
 *
 *     │ address: 48 bits │ payload: 12 │ kind: 4 │ further words by kind
 *
 *     kind                 payload      further words
 *     ALLOC_*              size         [size]
 *     CALL_*               size         [size], stack: as ALLOC, with another stack
 *     FREE_*, COLLECTED_*  type         [type]
 *     REALLOC              domain       none; the address is the block that will be reallocated
 *     REALLOCED_*          size         [size], stack; the address is the new block; 0 = it failed
 *     TIMED_ALLOC          size         moment, [size], stack
 *     TIMED_FREE           1 = realloc  moment
 *     TIMED_REALLOCED      size         moment, [size], stack
 *     MARK                 a mark       moment, and what the mark needs
 *
 * A word in brackets is there if the payload is SG_ROW_LONG. A moment is │ time: 56 │ domain: 8 │.
 * A stack begins with a word of two 16-bit numbers, the frames that are kept of the last stack
 * (from the root; 65535 = all) and the new frames; then comes a word │ lasti: 32 │ code: 32 │ for
 * each new frame, root first.
 *
 * In an interpreter's lane a mark gives the time now and then, and another mark the thread if it
 * changes. Rows of a thread's own lane are timed. */
#ifndef STACKGLASS_TRACE_ROWS_H
#define STACKGLASS_TRACE_ROWS_H

#include <stdint.h>

#include "frames/frame.h"

enum sg_row_kind {
    SG_ROW_ALLOC_MEM = 1,
    SG_ROW_ALLOC_OBJ,
    SG_ROW_CALL_MEM,
    SG_ROW_CALL_OBJ,
    SG_ROW_FREE_MEM,
    SG_ROW_FREE_OBJ,
    SG_ROW_COLLECTED_MEM,
    SG_ROW_COLLECTED_OBJ,
    SG_ROW_REALLOC,
    SG_ROW_REALLOCED_MEM,
    SG_ROW_REALLOCED_OBJ,
    SG_ROW_TIMED_ALLOC,
    SG_ROW_TIMED_FREE,
    SG_ROW_TIMED_REALLOCED,
    SG_ROW_MARK,
};

enum sg_row_mark {
    SG_MARK_TIME,
    SG_MARK_THREAD,           /* address: the tid; a word: its pthread_t */
    SG_MARK_LOST,             /* a word: how many events of the domain */
    SG_MARK_COLLECTION_BEGIN, /* address: generation; a word that is not used */
    SG_MARK_COLLECTION_END,
    SG_MARK_REGION_BEGIN, /* address: number of the name; a word: number of the region */
    SG_MARK_REGION_END,
    SG_MARK_TYPE,       /* address: the object; a word: its type */
    SG_MARK_RECYCLED,   /* address: the object; a word: its type */
    SG_MARK_SPAN_ALLOC, /* address; a word: size; stack */
    SG_MARK_SPAN_FREE,  /* address; a word: size */
};

enum {
    SG_ROW_KIND_BITS = 4,
    SG_ROW_PAYLOAD_BITS = 12,
    SG_ROW_ADDRESS_SHIFT = SG_ROW_KIND_BITS + SG_ROW_PAYLOAD_BITS,
    SG_ROW_LONG = (1 << SG_ROW_PAYLOAD_BITS) - 1, /* payload: the number is in its own word */
    SG_ROW_DOMAIN_BITS = 8,
    SG_ROW_NEW_FRAMES_SHIFT = 16,
    SG_ROW_MOST_WORDS = 4, /* words of the longest row, without the frames of its stack */
};

static inline uint64_t sg_row_head(enum sg_row_kind kind, uint64_t payload, uint64_t address) {
    return address << SG_ROW_ADDRESS_SHIFT | payload << SG_ROW_KIND_BITS | (uint64_t)kind;
}

static inline enum sg_row_kind sg_row_kind(uint64_t head) {
    return (enum sg_row_kind)(head & ((1 << SG_ROW_KIND_BITS) - 1));
}

static inline uint32_t sg_row_payload(uint64_t head) {
    return head >> SG_ROW_KIND_BITS & ((1 << SG_ROW_PAYLOAD_BITS) - 1);
}

static inline uint64_t sg_row_address(uint64_t head) { return head >> SG_ROW_ADDRESS_SHIFT; }

static inline uint64_t sg_row_moment(int64_t time_ns, unsigned domain) {
    return (uint64_t)time_ns << SG_ROW_DOMAIN_BITS | domain;
}

static inline uint64_t sg_row_frame(struct sg_frame frame) {
    return (uint64_t)(uint32_t)frame.lasti << 32 | frame.code;
}

static inline struct sg_frame sg_row_to_frame(uint64_t word) {
    return (struct sg_frame){(sg_code_id)word, (int32_t)(word >> 32)};
}

#endif
