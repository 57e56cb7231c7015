/* Lanes: lists of buffers that carry allocation events from the program's threads to the reader, an
 * engine thread. One thread at a time writes to a lane, the writing thread; the reader reads all.
 *
 *     hook ──row──▶ │ lane's buffer │ ─full─▶ next one from the pool     no lock, no wait
 *                          │ published words
 *                          ▼
 *                       reader ──read to its end──▶ pool
 *
 *     lane of an interpreter   calls of the allocators MEM and OBJ with the interpreter's GIL; the
 *                              main interpreter has the first lane, the main lane
 *     lane of a thread         calls of all other allocators, and of MEM and OBJ without the GIL
 *
 * If the pool is empty, events are lost and counted, and a mark before the next row says how many.
 * Events of a thread for which there is no lane are lost, too; the reader reports their number.
 * Rows and marks: trace/rows.h. */
#ifndef STACKGLASS_TRACE_LANES_H
#define STACKGLASS_TRACE_LANES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/stack_memo.h"
#include "platform/export.h"
#include "trace/events.h"
#include "trace/rows.h"

enum {
    SG_BUFFER_BYTES = 32 << 10,
    SG_BUFFER_WORDS = SG_BUFFER_BYTES / 8 - 2,
    SG_MOST_BUFFERS = 2048, /* 64 MiB; few are in use while the reader keeps up */
    SG_LEAST_BUFFERS = 64,
    SG_N_GIL_LANES = 16, /* lanes of interpreters, which come first */
    SG_N_LANES = SG_N_GIL_LANES + 256,
    SG_LOSS_WORDS = 3, /* of the mark that says how many events of one domain were lost */
    /* Most words of a row: a buffer also has room for the marks of losses before it. */
    SG_MOST_RESERVED_WORDS = SG_BUFFER_WORDS - SG_LOSS_WORDS * SG_TRACE_N_DOMAINS,
};

struct sg_trace_buffer {
    /* in a lane the next buffer, in the pool the next free one */
    _Atomic(struct sg_trace_buffer *) next;
    _Atomic uint32_t n_words; /* published */
    uint64_t words[SG_BUFFER_WORDS];
};

struct sg_trace_lane {
    /* The interpreter state or pthread_t that the lane belongs to; 0 = the lane is free; 1 = the
     * reader is freeing it. Always 0 in the main lane. Lock-free. */
    _Alignas(64) _Atomic uintptr_t owner;
    /* True while a thread writes. Not used in the main lane, which the main GIL guards.
     * Lock-free. */
    _Atomic bool is_busy;

    /* Used by the writing thread only. */
    struct sg_trace_buffer *buffer; /* NULL = none yet, or the pool was empty */
    uint32_t n_words;               /* words of the buffer that are written */
    uint32_t to_stamp;              /* events until the next mark with the time */
    uintptr_t thread;               /* pthread_t of the last event */
    pid_t tid;           /* tid of that thread; a later thread may have the same pthread_t */
    uintptr_t inside;    /* pthread_t of the thread that is in a call of the allocator below */
    uintptr_t collector; /* pthread_t of the thread that collects garbage */
    uintptr_t gil;       /* in an interpreter's lane: its GIL when the lane was made */
    uint64_t n_lost[SG_TRACE_N_DOMAINS]; /* events lost since the last mark, by domain */
    bool is_losing;                      /* events were lost, and no mark says so yet */
    /* PyThreadState with the stack of the last row, which is in `memo`; 1 = that thread had no
     * state; 0 = the next row must repeat its stack */
    uintptr_t stack_of;
    struct sg_stack_memo memo;

    /* Shared with the reader, which begins at this buffer. Lock-free. */
    _Atomic(struct sg_trace_buffer *) first;
    _Atomic uint64_t n_lost_ever;
};

/* The lanes are static, because a thread may still enter its lane after the trace has ended. */
extern SG_NEAR struct sg_trace_lane sg_trace_lanes[SG_N_LANES];

/* Map the buffers; `depth` is the number of frames kept of a stack. Returns 0, or -1 if memory is
 * short. No thread may be writing during this call or sg_trace_lanes_discard. */
int sg_trace_lanes_prepare(uint32_t depth);
void sg_trace_lanes_discard(void);
/* Reset the lanes without freeing memory: other threads may have been writing at the fork. */
void sg_trace_lanes_after_fork_in_child(void);

/* Mark the calling thread's own lane as busy and return it. Returns NULL if there are too many
 * threads, or if the thread is already writing to its lane and a signal handler interrupted that.
 * Succeeds also while recording is off: the caller checks whether it is on, and only then reads or
 * writes the lane. */
struct sg_trace_lane *sg_trace_lanes_enter_own(void);
/* End what enter_own has begun. */
static inline void sg_trace_lanes_leave(struct sg_trace_lane *lane) {
    atomic_store_explicit(&lane->is_busy, false, memory_order_release);
}
/* Free the lane of a thread that has ended, unless the lane is busy. The reader calls it. */
void sg_trace_lanes_free(struct sg_trace_lane *lane);
/* Count an event that is lost because there was no lane for it. Any thread. */
void sg_trace_lanes_add_without_lane(enum sg_trace_domain domain);
/* Return how many events of a domain were lost for want of a lane. Any thread. */
uint64_t sg_trace_lanes_without_lane(enum sg_trace_domain domain);
/* Return whether all lanes but the main one are idle, that is, no thread is writing to them. */
bool sg_trace_lanes_are_idle(void);

/* The part of sg_trace_lanes_reserve for a full buffer, and for losses that no mark counts yet. */
uint64_t *sg_trace_lanes_reserve_cold(struct sg_trace_lane *lane, uint32_t n);

/* Reserve room for `n` words, at most SG_MOST_RESERVED_WORDS. The writing thread fills in at most
 * that many and publishes them. Returns NULL if the pool is empty: the event is lost, and the
 * caller calls sg_trace_lanes_lose. */
static inline uint64_t *sg_trace_lanes_reserve(struct sg_trace_lane *lane, uint32_t n) {
    if (__builtin_expect(lane->buffer && lane->n_words + n <= SG_BUFFER_WORDS && !lane->is_losing,
                         1))
        return lane->buffer->words + lane->n_words;
    return sg_trace_lanes_reserve_cold(lane, n);
}

/* Show the reader `n` words, which were reserved and are filled in. */
static inline void sg_trace_lanes_publish(struct sg_trace_lane *lane, uint32_t n) {
    lane->n_words += n;
    atomic_store_explicit(&lane->buffer->n_words, lane->n_words, memory_order_release);
}

/* Count a lost event of this lane. The writing thread calls it. */
void sg_trace_lanes_lose(struct sg_trace_lane *lane, enum sg_trace_domain domain);

/* A position in a lane. All zero = at the beginning. */
struct sg_trace_place {
    struct sg_trace_buffer *buffer;
    uint32_t n_words; /* words of the buffer that are read */
};

/* Return the published words from `place` to the end of its buffer, and their number `n`; NULL and
 * 0 if there are no more. Advances to the next buffer if one is read to its end; unless `is_kept`,
 * the buffer that was read returns to the pool. */
const uint64_t *sg_trace_lanes_peek(struct sg_trace_lane *lane, struct sg_trace_place *place,
                                    bool is_kept, uint32_t *n);

/* Return the words as sg_trace_lanes_peek does, but only up to `end`, a place that was found by
 * peeking. Buffers that are read return to the pool. */
const uint64_t *sg_trace_lanes_take(struct sg_trace_lane *lane, struct sg_trace_place *place,
                                    const struct sg_trace_place *end, uint32_t *n);

/* Return how many buffers are in lanes; approximate while threads write. */
uint32_t sg_trace_lanes_used_buffers(void);

#endif
