/* Lanes: lists of buffers through which allocation events get from the program's threads to the
 * engine's writer, the reader of all lanes. One thread at a time writes to a lane.
 *
 *     hook ──row──▶ │ lane's buffer │ ─full─▶ next one from the pool     no lock, no wait
 *                          │ published words
 *                          ▼
 *                       reader ──read to its end──▶ pool
 *
 *     lane of an interpreter   for its allocators MEM and OBJ, whose callers hold its GIL; that of
 *                              the main interpreter is the first lane
 *     lane of a thread         for all other allocators, and for MEM and OBJ without the GIL
 *
 * If the pool is empty, events are lost and counted, and a mark before the next row says how many.
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
    SG_MOST_BUFFERS = 2048, /* 64 MiB; a writer that keeps up uses little of it */
    SG_LEAST_BUFFERS = 64,
    SG_N_GIL_LANES = 16, /* lanes of interpreters, which come first */
    SG_N_LANES = SG_N_GIL_LANES + 256,
};

struct sg_trace_buffer {
    /* in a lane the next buffer, in the pool the next free one */
    _Atomic(struct sg_trace_buffer *) next;
    _Atomic uint32_t n_words; /* published */
    uint64_t words[SG_BUFFER_WORDS];
};

struct sg_trace_lane {
    /* The owner may write: an interpreter state, or the pthread_t of a thread; 0 = the lane is
     * free; always 0 in the main lane. Lock-free. */
    _Alignas(64) _Atomic uintptr_t owner;
    /* True while a thread writes. Not used in the main lane, which the main GIL guards.
     * Lock-free. */
    _Atomic bool is_busy;

    /* Used by the writing thread only. */
    struct sg_trace_buffer *buffer; /* NULL = none yet, or the pool was empty */
    uint32_t n_words;               /* words of the buffer that are written */
    uint32_t to_stamp;              /* events until the next mark with the time */
    uintptr_t thread;               /* pthread_t of the last event */
    /* its tid, because a new thread may have an ended thread's pthread_t */
    pid_t tid;
    uintptr_t inside;    /* pthread_t of the thread that is in a call of the allocator below */
    uintptr_t collector; /* pthread_t of the thread that collects garbage */
    uintptr_t gil;       /* in an interpreter's lane: its GIL when the lane was made */
    uint64_t n_lost[SG_TRACE_N_DOMAINS]; /* events lost since the last mark, by domain */
    bool is_losing;                      /* events were lost, and no mark says so yet */
    /* thread state of the memo's stack, if the reader knows that stack; 0 = none; 1 = the stack of
     * a thread without a state */
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

/* Return the calling thread's own lane, marked as busy. NULL = there are too many threads, or the
 * thread is writing to its lane already, below a signal handler. The function also succeeds while
 * recording is off, so the caller must check that afterwards, before it reads or writes the
 * lane. */
struct sg_trace_lane *sg_trace_lanes_enter_own(void);
static inline void sg_trace_lanes_leave(struct sg_trace_lane *lane) {
    atomic_store_explicit(&lane->is_busy, false, memory_order_release);
}
/* Free the lane of a thread that has ended, unless the lane is busy. The reader calls it. */
void sg_trace_lanes_free(struct sg_trace_lane *lane);
/* Count an event for which there was no lane; return how many there were. Any thread. */
void sg_trace_lanes_refuse(void);
uint64_t sg_trace_lanes_refused(void);
/* Return whether no thread is writing to any lane except the main one. */
bool sg_trace_lanes_are_left(void);

/* Reserve room for `n` words (at most SG_BUFFER_WORDS), which the writing thread then fills and
 * publishes. Returns NULL if the pool is empty: the event is lost, see sg_trace_lanes_lose. */
uint64_t *sg_trace_lanes_reserve_cold(struct sg_trace_lane *lane, uint32_t n);

static inline uint64_t *sg_trace_lanes_reserve(struct sg_trace_lane *lane, uint32_t n) {
    if (__builtin_expect(lane->buffer && lane->n_words + n <= SG_BUFFER_WORDS && !lane->is_losing,
                         1))
        return lane->buffer->words + lane->n_words;
    return sg_trace_lanes_reserve_cold(lane, n);
}

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
