/* The table of calls under way: 64 slots, searched from the first on.
 *
 *     free ──take_slot: state──▶ taken ──depth, frames, group──▶ under way ──end──▶ free
 *
 * A wrapper looks up its return address in at most 128 ranges to find the library. If two calls are
 * under way in one library, it is not known for which of them a thread of the library works; then
 * there is no stack.
 *
 * The thread that makes the call writes its slot. Any thread reads slots with a seqlock; a reader
 * that meets a change finds no call. */
#include "heap/library_calls.h"

#include <stdatomic.h>
#include <string.h>

#include "heap/capture.h"
#include "interpreter/calling_thread.h"
#include "interpreter/python_symbols.h"
#include "platform/gate.h"
#include "platform/memory.h"
#include "platform/seqlock.h"

enum { MOST_RANGES = 128, MOST_CALLS = 64 };

typedef void *save_fn(void);
typedef void restore_fn(void *state);

/* Written by prepare, before any call is redirected here; then constant. */
static save_fn *save_thread;
static restore_fn *restore_thread;

/* Lock-free. The first `n_ranges` count; a range is written before it counts. */
static struct {
    _Atomic uintptr_t start, end;
    _Atomic uint32_t group;
} ranges[MOST_RANGES];
static _Atomic uint32_t n_ranges;

/* Slots for calls. A slot belongs to the thread whose state it has. Lock-free. */
static struct call {
    _Atomic(void *) state;    /* the thread's PyThreadState; NULL = free */
    _Atomic uint32_t group;   /* 0 = no call is under way, or it is ignored */
    _Atomic uint32_t version; /* the seqlock of `depth` and of the frames */
    uint32_t depth;           /* number of frames */
} calls[MOST_CALLS];

/* (MOST_CALLS, frames_each); replaced while no thread is inside SG_GATE_HEAP. */
static struct sg_frame *frames_of_calls;
static uint32_t frames_each;

static struct sg_frame *frames_of(const struct call *call) {
    return frames_of_calls + (size_t)(call - calls) * frames_each;
}

static uint32_t group_of(uintptr_t address) {
    uint32_t n = atomic_load_explicit(&n_ranges, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++) {
        uintptr_t start = atomic_load_explicit(&ranges[i].start, memory_order_relaxed);
        uintptr_t end = atomic_load_explicit(&ranges[i].end, memory_order_relaxed);
        if (address - start < end - start)
            return atomic_load_explicit(&ranges[i].group, memory_order_relaxed);
    }
    return 0;
}

static struct call *take_slot(void *state) {
    for (int i = 0; i < MOST_CALLS; i++) {
        void *none = NULL;
        if (atomic_load_explicit(&calls[i].state, memory_order_relaxed) == state ||
            atomic_compare_exchange_strong(&calls[i].state, &none, state))
            return &calls[i];
    }
    return NULL;
}

static struct call *slot_of(const void *state) {
    for (int i = 0; i < MOST_CALLS; i++) {
        if (atomic_load_explicit(&calls[i].state, memory_order_relaxed) == state)
            return &calls[i];
    }
    return NULL;
}

/* Record a call of the calling thread, which is about to release the GIL. The thread's frames stay
 * as they are until the call returns. */
static void begin(uint32_t group) {
    void *state = (void *)(uintptr_t)sg_calling_thread_state(true);
    struct call *call = NULL;
    if (!state || !sg_gate_enter(SG_GATE_HEAP))
        return;
    if ((call = take_slot(state))) {
        sg_seqlock_begin(&call->version);
        call->depth = sg_heap_capture_frames(state, frames_of(call), frames_each);
        atomic_store_explicit(&call->group, group, memory_order_relaxed);
        sg_seqlock_end(&call->version);
    }
    sg_gate_leave(SG_GATE_HEAP);
}

/* Inside the gate, because prepare frees the slots while it is shut. */
static void end(void *state) {
    struct call *call = slot_of(state);
    if (!call || !sg_gate_enter(SG_GATE_HEAP))
        return;
    if (atomic_load_explicit(&call->state, memory_order_relaxed) == state) {
        sg_seqlock_begin(&call->version);
        call->depth = 0;
        atomic_store_explicit(&call->group, 0, memory_order_relaxed);
        sg_seqlock_end(&call->version);
        atomic_store_explicit(&call->state, NULL, memory_order_release);
    }
    sg_gate_leave(SG_GATE_HEAP);
}

static void *wrap_save_thread(void) {
    uint32_t group = group_of((uintptr_t)__builtin_return_address(0));
    if (group)
        begin(group);
    return save_thread();
}

static void wrap_restore_thread(void *state) {
    end(state);
    restore_thread(state);
}

const struct sg_library_call_entry sg_library_call_entries[2] = {
    {"PyEval_SaveThread", wrap_save_thread},
    {"PyEval_RestoreThread", wrap_restore_thread},
};

bool sg_library_calls_prepare(void) {
    return save_thread || (sg_python_symbols_look_up("PyEval_RestoreThread", &restore_thread) &&
                           sg_python_symbols_look_up("PyEval_SaveThread", &save_thread));
}

bool sg_library_calls_is_wrapped(const void *wrapper, const void *value) {
    const void *wrapped = NULL;
    if (wrapper == (const void *)wrap_save_thread)
        memcpy(&wrapped, &save_thread, sizeof wrapped);
    else
        memcpy(&wrapped, &restore_thread, sizeof wrapped);
    return wrapped && value == wrapped;
}

bool sg_library_calls_add(uintptr_t start, uintptr_t end, uint32_t group) {
    uint32_t n = atomic_load(&n_ranges);
    if (n == MOST_RANGES)
        return false;
    atomic_store(&ranges[n].start, start);
    atomic_store(&ranges[n].end, end);
    atomic_store(&ranges[n].group, group);
    atomic_store(&n_ranges, n + 1);
    return true;
}

void sg_library_calls_forget(void) {
    atomic_store(&n_ranges, 0);
    for (int i = 0; i < MOST_CALLS; i++)
        atomic_store(&calls[i].group, 0); /* the slot is kept until the call or the session ends */
}

/* The other threads, and so their calls, exist in the parent only. */
void sg_library_calls_forget_in_child(void) {
    sg_library_calls_forget();
    for (int i = 0; i < MOST_CALLS; i++) {
        atomic_store(&calls[i].state, NULL);
        atomic_store(&calls[i].version, 0);
    }
}

static const struct call *find_only(uint32_t group) {
    const struct call *found = NULL;
    for (int i = 0; i < MOST_CALLS; i++) {
        if (atomic_load_explicit(&calls[i].group, memory_order_acquire) != group)
            continue;
        if (found)
            return NULL;
        found = &calls[i];
    }
    return found;
}

uint32_t sg_library_calls_find(uintptr_t address, struct sg_frame *frames, uint32_t capacity) {
    uint32_t group = group_of(address);
    const struct call *call = group ? find_only(group) : NULL;
    if (!call)
        return 0;
    uint32_t before = atomic_load_explicit(&call->version, memory_order_acquire);
    if (atomic_load_explicit(&call->group, memory_order_relaxed) != group)
        return 0; /* the call has ended, and another library's call has its slot */
    uint32_t depth = call->depth <= frames_each ? call->depth : 0;
    depth = depth < capacity ? depth : capacity;
    memcpy(frames, frames_of(call), depth * sizeof *frames);
    atomic_thread_fence(memory_order_acquire);
    uint32_t after = atomic_load_explicit(&call->version, memory_order_relaxed);
    return before == after && before % 2 == 0 ? depth : 0;
}

int sg_library_calls_prepare_stacks(void) {
    /* Calls of an earlier session may have ended unseen, since imports were restored meanwhile. One
     * that is still under way has no frames in the new array, and its end finds no slot. */
    for (int i = 0; i < MOST_CALLS; i++) {
        calls[i].depth = 0;
        atomic_store(&calls[i].group, 0);
        atomic_store(&calls[i].state, NULL);
    }
    frames_each = sg_heap_capture_depth;
    frames_of_calls = sg_memory_map(MOST_CALLS * frames_each * sizeof *frames_of_calls);
    return frames_of_calls ? 0 : -1;
}

void sg_library_calls_discard_stacks(void) {
    SG_MEMORY_DROP(frames_of_calls, MOST_CALLS * frames_each * sizeof *frames_of_calls);
}
