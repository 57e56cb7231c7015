/* Any thread, with or without the GIL: see heap_native.h.
 *
 * What is left to the next sample is one word for all threads, with the number of the rate that it
 * was drawn for, so that a sample is never counted at a rate that came later:
 *
 *     │ number of the rate: 8 bits │ bytes left: 56 bits │ */
#include "heap_native.h"

#include <errno.h>
#include <stdatomic.h>

#include "arena_events.h"
#include "calling_thread.h"
#include "heap.h"
#include "heap_blocks.h"
#include "heap_capture.h"
#include "heap_ledger.h"
#include "heap_sampling.h"
#include "library_calls.h"
#include "wakeup.h"

#define SG_COLD __attribute__((noinline, cold))

enum { NUMBER_SHIFT = 56, N_NUMBERS = 256, PATIENCE_NS = 100 * 1000 * 1000 };
static const uint64_t DISTANCE = (UINT64_C(1) << NUMBER_SHIFT) - 1;

/* All lock-free. */
static _Atomic uint64_t left = (UINT64_C(1) << NUMBER_SHIFT) - 1;
static _Atomic uint64_t rates[N_NUMBERS]; /* by number; 0 at first */
static _Atomic bool is_open;
static _Atomic uint32_t n_inside;
static _Atomic uint64_t session; /* its number, 1 … N_SESSIONS; changed while nobody is inside */

/* A realloc may outlast the session that its block was taken in, and another one's tables know
 * nothing of that block. So the session's number travels in the upper bits of the address, which
 * the system leaves empty unless a program asks for them. */
enum { SESSION_SHIFT = 48, N_SESSIONS = (1 << 16) - 1 };
static const uintptr_t ADDRESS = (UINT64_C(1) << SESSION_SHIFT) - 1;

static uint64_t draw(uint64_t number) {
    uint64_t distance = sg_heap_draw(atomic_load(&rates[number]));
    return number << NUMBER_SHIFT | (distance < DISTANCE ? distance : DISTANCE);
}

void sg_heap_native_set_rate(uint64_t rate) {
    uint64_t number = (atomic_load(&left) >> NUMBER_SHIFT) + 1;
    number %= N_NUMBERS;
    atomic_store(&rates[number], rate);
    atomic_store(&left, draw(number));
}

static bool is_chosen(uint64_t size, uint64_t *rate) {
    uint64_t now = atomic_load_explicit(&left, memory_order_relaxed);
    for (;;) {
        bool is_passed_over = size < (now & DISTANCE);
        uint64_t next = is_passed_over ? now - size : draw(now >> NUMBER_SHIFT);
        if (!atomic_compare_exchange_weak_explicit(&left, &now, next, memory_order_relaxed,
                                                   memory_order_relaxed))
            continue;
        *rate = is_passed_over ? 0 : atomic_load(&rates[now >> NUMBER_SHIFT]);
        return *rate != 0;
    }
}

/* Who is inside may use the tables. */
bool sg_heap_native_enter(void) {
    atomic_fetch_add(&n_inside, 1);
    if (atomic_load(&is_open))
        return true;
    atomic_fetch_sub(&n_inside, 1);
    return false;
}

void sg_heap_native_leave(void) { atomic_fetch_sub(&n_inside, 1); }

static void sample(const void *address, size_t size, uint64_t rate, const void *allocator) {
    struct sg_heap_moment moment = sg_heap_capture_moment();
    struct sg_frame frames[SG_HEAP_DEPTH + 1];
    struct sg_heap_alloc alloc = {
        .address = (uintptr_t)address,
        .size = size,
        .rate = rate,
        .kind = SG_HEAP_NATIVE,
        .thread = sg_calling_thread_state(false),
    };
    uint32_t depth =
        allocator && !alloc.thread ? sg_library_calls_find((uintptr_t)allocator, frames + 1) : 0;
    if (!depth) {
        sg_heap_ledger_alloc(&moment, &alloc);
        return;
    }
    frames[0] = (struct sg_frame){SG_NO_PYTHON_THREAD, -1};
    sg_heap_ledger_alloc_at(&moment, &alloc, frames, depth < SG_HEAP_DEPTH ? depth + 1 : depth);
}

SG_COLD static void note_cold(const void *address, size_t size, uint64_t rate,
                              const void *allocator) {
    int saved_errno = errno;
    if (!sg_heap_capture_is_engine() && sg_heap_native_enter()) {
        sample(address, size, rate, allocator);
        sg_heap_native_leave();
    }
    errno = saved_errno;
}

void sg_heap_note_malloc(const void *address, size_t size) {
    uint64_t rate;
    if (address && is_chosen(size, &rate))
        note_cold(address, size, rate, NULL);
}

void sg_heap_note_malloc_by(const void *address, size_t size, const void *allocator) {
    uint64_t rate;
    if (address && is_chosen(size, &rate))
        note_cold(address, size, rate, allocator);
}

static void leave_event(struct sg_arena_event *event) {
    int saved_errno = errno;
    struct sg_frame frames[SG_HEAP_DEPTH];
    if (!sg_heap_capture_is_engine() && sg_heap_native_enter()) {
        event->tid = sg_calling_thread_tid();
        event->frames = frames;
        if (!event->is_unmap)
            event->depth = sg_heap_capture_frames(sg_calling_thread_state(false), frames);
        sg_arena_events_leave(event);
        sg_heap_native_leave();
    }
    errno = saved_errno;
}

void sg_heap_note_map(const void *start, size_t size, const void *caller) {
    struct sg_arena_event event = {
        .start = (uintptr_t)start,
        .size = size,
        .caller = (uintptr_t)caller,
    };
    leave_event(&event);
}

void sg_heap_note_unmap(const void *start, size_t size) {
    struct sg_arena_event event = {.is_unmap = true, .start = (uintptr_t)start, .size = size};
    if (sg_arena_events_concern(event.start, size))
        leave_event(&event);
}

SG_COLD static struct sg_heap_taken take_cold(const void *address, bool is_freed) {
    int saved_errno = errno;
    struct sg_heap_taken taken = {0};
    if (sg_heap_native_enter()) {
        struct sg_heap_moment moment = sg_heap_capture_moment();
        if (is_freed)
            sg_heap_ledger_free(&moment, (uintptr_t)address);
        else
            taken = sg_heap_ledger_take(&moment, (uintptr_t)address);
        if (taken.address)
            taken.address |= atomic_load(&session) << SESSION_SHIFT;
        sg_heap_native_leave();
    }
    errno = saved_errno;
    return taken;
}

void sg_heap_note_free(const void *address) {
    if (sg_heap_blocks_may_have(address))
        take_cold(address, true);
}

struct sg_heap_taken sg_heap_note_realloc(const void *old) {
    struct sg_heap_taken taken = {0};
    return sg_heap_blocks_may_have(old) ? take_cold(old, false) : taken;
}

SG_COLD static void give_back_cold(const struct sg_heap_taken *taken, bool has_failed) {
    int saved_errno = errno;
    struct sg_heap_taken block = *taken;
    block.address &= ADDRESS;
    if (sg_heap_native_enter()) {
        struct sg_heap_moment moment = sg_heap_capture_moment();
        bool is_of_now = taken->address >> SESSION_SHIFT == atomic_load(&session);
        if (is_of_now && has_failed)
            sg_heap_ledger_put_back(&moment, &block);
        else if (is_of_now)
            sg_heap_ledger_settle(&moment, &block);
        sg_heap_native_leave();
    }
    errno = saved_errno;
}

void sg_heap_note_realloced(const struct sg_heap_taken *taken, const void *new, size_t size) {
    sg_heap_note_realloced_by(taken, new, size, NULL);
}

void sg_heap_note_realloced_by(const struct sg_heap_taken *taken, const void *new, size_t size,
                               const void *allocator) {
    if (taken->address)
        give_back_cold(taken, !new &&size);
    sg_heap_note_malloc_by(new, size, allocator);
}

void sg_heap_native_open(void) {
    atomic_store(&session, atomic_load(&session) % N_SESSIONS + 1);
    atomic_store(&is_open, true);
}

bool sg_heap_native_close(void) {
    enum { PAUSE_NS = 1000 * 1000 };
    atomic_store(&is_open, false);
    for (long waited_ns = 0; atomic_load(&n_inside) && waited_ns < PATIENCE_NS;
         waited_ns += PAUSE_NS)
        sg_sleep_ns(PAUSE_NS);
    return !atomic_load(&n_inside);
}

void sg_heap_native_discard(void) {
    atomic_store(&is_open, false);
    atomic_store(&n_inside, 0);
    sg_heap_native_set_rate(0);
}
