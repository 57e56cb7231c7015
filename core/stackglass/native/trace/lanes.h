/* Lanes: buffers of rows, each written by one thread at a time and read by the writer.
 *
 *     hook ──row──▶ │ lane's buffer │ ─full─▶ next one from the pool     no lock, no wait
 *                          │ published words
 *                          ▼
 *                   reader (the writer's thread) ──read to its end──▶ pool
 *
 *     lane of an interpreter   under its GIL: MEM and OBJ; the main one first
 *     lane of a thread         without a GIL: other allocators
 *
 * Where the pool is empty, events are lost and counted; a mark says so before the next row. */
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
    SG_MOST_BUFFERS = 2048, /* 64 MiB, of which a writer that keeps up uses little */
    SG_LEAST_BUFFERS = 64,
    SG_N_GIL_LANES = 16,
    SG_N_LANES = 272, /* the others are threads' */
};

struct sg_trace_buffer {
    _Atomic(struct sg_trace_buffer *) next; /* of the lane; in the pool: the next free one */
    _Atomic uint32_t n_words;               /* published */
    uint64_t words[SG_BUFFER_WORDS];
};

struct sg_trace_lane {
    /* Who may write: an interpreter state, or the pthread_t of a thread; 0 = nothing. Lock-free. */
    _Alignas(64) _Atomic uintptr_t owner;
    /* A thread is writing: not needed for the main lane, which the main GIL guards. Lock-free. */
    _Atomic bool is_busy;

    /* The writing thread's. */
    struct sg_trace_buffer *buffer; /* NULL = none yet, or the pool was empty */
    uint32_t n_words;               /* written to it */
    uint32_t to_stamp;              /* events until the next mark of the time */
    uintptr_t thread;               /* pthread_t of the last event */
    pid_t tid;                      /* of it: a new thread may have the pthread_t of an old one */
    uintptr_t inside;    /* pthread_t of the thread that is in a call of the allocator below */
    uintptr_t collector; /* pthread_t of the thread that collects garbage */
    uintptr_t gil;       /* of an interpreter's lane: its GIL when the lane was made */
    uint64_t n_lost[SG_TRACE_N_DOMAINS]; /* since the last mark */
    bool is_losing;
    uintptr_t stack_of; /* thread state whose stack the reader knows: that of the memo; 0 = none */
    struct sg_stack_memo memo;

    /* Shared: the first buffer, until the reader has seen it. Lock-free. */
    _Atomic(struct sg_trace_buffer *) first;
    _Atomic uint64_t n_lost_ever;
};

/* Never unmapped: a thread that comes too late marks its lane as busy, and leaves again. */
extern SG_NEAR struct sg_trace_lane sg_trace_lanes[SG_N_LANES];

/* Map buffers; `depth` frames are kept of a stack. 0, or -1 if there is no memory. No thread is
 * inside, as for `discard`. */
int sg_trace_lanes_prepare(uint32_t depth);
void sg_trace_lanes_discard(void);
/* Forget all, without freeing it. */
void sg_trace_lanes_after_fork_in_child(void);

/* The lane of the calling thread, marked as busy; NULL = there is none: it is busy already below a
 * signal handler, or there are too many threads. Also while nothing is recorded: so look for that
 * afterwards, and only then read or write the lane. */
struct sg_trace_lane *sg_trace_lanes_enter_own(void);
static inline void sg_trace_lanes_leave(struct sg_trace_lane *lane) {
    atomic_store_explicit(&lane->is_busy, false, memory_order_release);
}
/* Free the lane of a thread that has ended, unless it is in use. By the reader. */
void sg_trace_lanes_free(struct sg_trace_lane *lane);
/* Count an event that has no lane, and how many there were. Any thread. */
void sg_trace_lanes_refuse(void);
uint64_t sg_trace_lanes_refused(void);
/* Whether no thread is writing to a lane of another GIL or of its own. */
bool sg_trace_lanes_are_left(void);

/* By the writing thread: room for `n` words, at most SG_BUFFER_WORDS; NULL = none: the event is
 * lost. Then the words are published. */
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

void sg_trace_lanes_lose(struct sg_trace_lane *lane, enum sg_trace_domain domain);

/* A reader's place in a lane. All zero: at its beginning. */
struct sg_trace_place {
    struct sg_trace_buffer *buffer;
    uint32_t n_words; /* read of it */
};

/* The published words at the place, until the end of the buffer; how many there are is in `n`, 0 =
 * none. Moves on to the next buffer; `is_kept`: buffers that were read stay in the lane. */
const uint64_t *sg_trace_lanes_peek(struct sg_trace_lane *lane, struct sg_trace_place *place,
                                    bool is_kept, uint32_t *n);

/* The same to read them, up to an end that was found by peeking. */
const uint64_t *sg_trace_lanes_take(struct sg_trace_lane *lane, struct sg_trace_place *place,
                                    const struct sg_trace_place *end, uint32_t *n);

uint32_t sg_trace_lanes_used_buffers(void); /* about */

#endif
