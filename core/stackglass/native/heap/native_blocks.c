/* Nearly every call ends after one test:
 *
 *     malloc   countdown ──not reached──▶ done        │ sampled ──▶ record_cold ──▶ ledger
 *     free     filter ──not sampled──▶ done           │ perhaps ──▶ take_cold ──▶ ledger
 *     realloc  the old block as a free that may be undone, the new one as a malloc
 *
 * The rest is in functions marked cold, so that the common path has no stack frame to set up.
 *
 * A block is charged to the stack of the thread that allocates it, if that thread has a
 * PyThreadState. Otherwise it is charged to the only Python call under way in the library that
 * allocates, or, if there is none, to <no Python thread>. */
#include "heap/native_blocks.h"

#include <errno.h>
#include <stdatomic.h>

#include "heap/arena_events.h"
#include "heap/blocks.h"
#include "heap/capture.h"
#include "heap/ledger.h"
#include "heap/library_calls.h"
#include "heap/native_countdown.h"
#include "heap/native_sites.h"
#include "interpreter/calling_thread.h"
#include "labels/labels.h"
#include "platform/engine_threads.h"
#include "platform/gate.h"
#include "platform/hints.h"
#include "platform/thread_ids.h"

_Atomic bool sg_native_blocks_are_recorded; /* lock-free */

/* Find a stack for a thread without a PyThreadState that runs in the library at `address`: <no
 * Python thread> on top of the frames of the Python call under way there. Returns the number of
 * `frames` (capacity,); 0 = no such call. */
static uint32_t find_call(const void *address, struct sg_frame *frames, uint32_t capacity) {
    uint32_t depth =
        address ? sg_library_calls_find((uintptr_t)address, frames + 1, capacity - 1) : 0;
    frames[0] = (struct sg_frame){SG_NO_PYTHON_THREAD, -1};
    return depth ? depth + 1 : 0;
}

/* As find_call, with the thread's C frames on top if native stacks are on. */
static uint32_t find_stack(const void *address, struct sg_frame *frames, uint32_t capacity) {
    uint32_t n_c = sg_heap_capture_native(NULL, frames, capacity / 2);
    uint32_t depth = find_call(address, frames + n_c, capacity - n_c);
    return depth ? n_c + depth : 0;
}

static void sample(const void *address, size_t size, uint64_t rate, const void *allocator) {
    struct sg_heap_moment moment = sg_heap_capture_moment();
    uint32_t capacity = sg_heap_capture_depth;
    struct sg_frame frames[capacity];
    const void *thread = sg_calling_thread_state(false);
    struct sg_heap_alloc alloc = {
        .address = (uintptr_t)address,
        .size = size,
        .rate = rate,
        .kind = SG_HEAP_NATIVE,
        .thread = thread,
        .labels = sg_labels_of_caller(thread),
    };
    uint32_t depth = thread ? 0 : find_stack(allocator, frames, capacity);
    if (depth)
        sg_heap_ledger_alloc_at(&moment, &alloc, frames, depth);
    else
        sg_heap_native_sites_alloc(&moment, &alloc);
}

SG_COLD static void record_cold(const void *address, size_t size, uint64_t rate,
                                const void *allocator) {
    int saved_errno = errno;
    if (!sg_engine_threads_is_exempt() && sg_gate_enter(SG_GATE_HEAP)) {
        sample(address, size, rate, allocator);
        sg_gate_leave(SG_GATE_HEAP);
    }
    errno = saved_errno;
}

void sg_native_blocks_malloc(const void *address, size_t size) {
    uint64_t rate;
    if (address && sg_native_countdown_step(size, &rate))
        record_cold(address, size, rate, NULL);
}

void sg_native_blocks_malloc_by(const void *address, size_t size, const void *allocator) {
    uint64_t rate;
    if (address && sg_native_countdown_step(size, &rate))
        record_cold(address, size, rate, allocator);
}

static void add_event(struct sg_arena_event *event) {
    uint32_t capacity = sg_heap_capture_depth;
    struct sg_frame frames[capacity];
    event->tid = sg_thread_ids_own();
    event->frames = frames;
    const void *thread = event->is_unmap ? NULL : sg_calling_thread_state(false);
    if (!event->is_unmap && !thread)
        event->depth = find_stack((const void *)event->caller, frames, capacity);
    if (!event->is_unmap && !event->depth && thread)
        event->depth = sg_heap_capture_native(thread, frames, capacity);
    if (!event->is_unmap && !event->depth)
        event->depth = sg_heap_capture_frames(thread, frames, capacity);
    sg_arena_events_add(event);
}

static void record_event(struct sg_arena_event *event) {
    int saved_errno = errno;
    if (!sg_engine_threads_is_exempt() && sg_gate_enter(SG_GATE_HEAP)) {
        add_event(event);
        sg_gate_leave(SG_GATE_HEAP);
    }
    errno = saved_errno;
}

void sg_native_blocks_map(const void *start, size_t size, const void *caller) {
    struct sg_arena_event event = {
        .start = (uintptr_t)start,
        .size = size,
        .caller = (uintptr_t)caller,
    };
    record_event(&event);
}

void sg_native_blocks_unmap(const void *start, size_t size) {
    struct sg_arena_event event = {.is_unmap = true, .start = (uintptr_t)start, .size = size};
    if (sg_arena_events_concern(event.start, size))
        record_event(&event);
}

SG_COLD static struct sg_heap_taken take_cold(const void *address, bool is_freed) {
    int saved_errno = errno;
    struct sg_heap_taken taken = {0};
    struct sg_heap_moment moment = sg_heap_capture_moment();
    if (is_freed)
        sg_heap_ledger_free(&moment, (uintptr_t)address);
    else
        taken = sg_heap_ledger_take(&moment, (uintptr_t)address);
    errno = saved_errno;
    return taken;
}

void sg_native_blocks_free(const void *address) {
    if (sg_heap_blocks_may_have(address))
        take_cold(address, true);
}

struct sg_heap_taken sg_native_blocks_realloc(const void *old) {
    struct sg_heap_taken taken = {0};
    return sg_heap_blocks_may_have(old) ? take_cold(old, false) : taken;
}

SG_COLD static void give_back_cold(const struct sg_heap_taken *taken, bool has_failed) {
    int saved_errno = errno;
    struct sg_heap_moment moment = sg_heap_capture_moment();
    if (has_failed)
        sg_heap_ledger_put_back(&moment, taken);
    else
        sg_heap_ledger_settle(&moment, taken);
    errno = saved_errno;
}

void sg_native_blocks_realloced(const struct sg_heap_taken *taken, const void *new, size_t size) {
    sg_native_blocks_realloced_by(taken, new, size, NULL);
}

void sg_native_blocks_realloced_by(const struct sg_heap_taken *taken, const void *new, size_t size,
                                   const void *allocator) {
    if (taken->address)
        give_back_cold(taken, !new &&size);
    sg_native_blocks_malloc_by(new, size, allocator);
}
