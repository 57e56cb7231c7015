/* Searches the interpreters' doubly linked lists of thread states, which may change meanwhile.
 *
 *     the state at `hint` is still in its list and belongs to the thread ─▶ done
 *     otherwise: each interpreter's list, from its head on, up to three times
 *
 * If a list was changed while it was read, the `prev` of some state is not the state that was read
 * before it. A single state is still in its list if the list's head, or the `next` of the state
 * before it, points to it. The contents of a state do not prove that: a freed state keeps them for
 * a while. */
#include "frames/outside_threads.h"

#include <string.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"

enum {
    PREVIOUS = 0, /* `prev` and `next`: byte offsets in a thread state, the same in 3.9 to 3.15 */
    NEXT = 8,
    MOST_THREADS = 1 << 14, /* in one list; a longer one was read while it changed */
    MOST_INTERPRETERS = 1 << 10,
    MOST_TRIES = 3,
    BOUND_GILSTATE_BIT = 3, /* of `_status`, from 3.12 on: the PyGILState_* calls use this state */
};

static uintptr_t word_of(const struct sg_thread_copy *copy, int32_t offset) {
    uintptr_t word;
    memcpy(&word, copy->bytes + offset, sizeof word);
    return word;
}

static bool read_word(uintptr_t address, uintptr_t *word) {
    return sg_memory_read_foreign(address, word, sizeof *word);
}

static bool fits(int32_t offset) { return offset + 8 <= SG_THREAD_COPY_BYTES; }

const char *sg_outside_threads_prepare(void) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    uintptr_t interp = (uintptr_t)sg_python_symbols.interpreter_head(), next = 1, first = 1;
    if (!fits(at->current_frame) || !fits(at->thread_id) || !fits(at->native_thread_id) ||
        !fits(at->thread_status))
        return "this interpreter's thread states are larger than expected";
    if (!read_word(interp + (uintptr_t)at->interp_next, &next) ||
        next != (uintptr_t)sg_python_symbols.interpreter_next((void *)interp) ||
        !read_word(interp + (uintptr_t)at->interp_threads, &first) ||
        first != (uintptr_t)sg_python_symbols.thread_head((void *)interp))
        return "this interpreter's list of threads is not where it is expected";
    if (at->native_thread_id < 0 && !sg_thread_ids_prepare())
        return "the C library keeps a thread's id at an unknown offset";
    return NULL;
}

static pid_t tid_of(const struct sg_thread_copy *copy) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    return at->native_thread_id >= 0 ? (pid_t)word_of(copy, at->native_thread_id)
                                     : sg_thread_ids_of(word_of(copy, at->thread_id));
}

static bool read_thread(uintptr_t address, struct sg_thread_copy *copy) {
    copy->address = address;
    return address % 8 == 0 && sg_memory_read_foreign(address, copy->bytes, sizeof copy->bytes);
}

/* Is the thread state still in the list? */
static bool is_listed(const struct sg_thread_copy *copy) {
    uintptr_t previous = word_of(copy, PREVIOUS), link = 0;
    uintptr_t from = previous ? previous + NEXT
                              : word_of(copy, sg_debug_offsets.thread_interp) +
                                    (uintptr_t)sg_debug_offsets.interp_threads;
    return read_word(from, &link) && link == copy->address;
}

/* A thread that enters subinterpreters has several states. Prefer the state that a signal handler
 * would use: the one of PyGILState_GetThisThreadState, before 3.12 the first one made. */
static bool is_preferred(const struct sg_thread_copy *copy, const struct sg_thread_copy *best) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    if (!best->address || at->thread_status < 0)
        return true; /* lists begin with the newest: the last one that is taken is the oldest */
    return word_of(copy, at->thread_status) >> BOUND_GILSTATE_BIT & 1;
}

enum listed { THROUGH, CHANGED };

static enum listed search_list(uintptr_t interp, pid_t tid, struct sg_thread_copy *best) {
    struct sg_thread_copy copy;
    uintptr_t address, previous = 0;
    if (!read_word(interp + (uintptr_t)sg_debug_offsets.interp_threads, &address))
        return CHANGED;
    for (int i = 0; address; i++) {
        if (i == MOST_THREADS || !read_thread(address, &copy) ||
            word_of(&copy, PREVIOUS) != previous)
            return CHANGED;
        if (tid_of(&copy) == tid && is_preferred(&copy, best))
            *best = copy;
        previous = address;
        address = word_of(&copy, NEXT);
    }
    return THROUGH;
}

static enum listed search(pid_t tid, struct sg_thread_copy *best) {
    uintptr_t interp = (uintptr_t)sg_python_symbols.interpreter_head();
    best->address = 0;
    for (int i = 0; interp; i++) {
        if (i == MOST_INTERPRETERS || search_list(interp, tid, best) == CHANGED ||
            !read_word(interp + (uintptr_t)sg_debug_offsets.interp_next, &interp))
            return CHANGED;
    }
    return THROUGH;
}

/* Does the thread state at `hint` still belong to the thread `tid`? It must be in its list. From
 * 3.12 on it must be the state that the PyGILState_* calls use, because a thread that enters
 * subinterpreters has several. */
static bool is_still(pid_t tid, uintptr_t hint, struct sg_thread_copy *copy) {
    return hint && read_thread(hint, copy) && tid_of(copy) == tid && is_listed(copy) &&
           (sg_debug_offsets.thread_status < 0 ||
            word_of(copy, sg_debug_offsets.thread_status) >> BOUND_GILSTATE_BIT & 1);
}

bool sg_outside_threads_find(pid_t tid, uintptr_t hint, struct sg_thread_copy *copy) {
    if (is_still(tid, hint, copy))
        return true;
    for (int i = 0; i < MOST_TRIES; i++) {
        if (search(tid, copy) == THROUGH)
            return true;
    }
    return false;
}

void sg_outside_threads_each(sg_outside_thread_fn *visit, void *context) {
    uintptr_t interp = (uintptr_t)sg_python_symbols.interpreter_head(), address;
    struct sg_thread_copy copy;
    for (int i = 0; interp && i < MOST_INTERPRETERS; i++) {
        if (!read_word(interp + (uintptr_t)sg_debug_offsets.interp_threads, &address))
            return;
        for (int n = 0; address && n < MOST_THREADS && read_thread(address, &copy); n++) {
            visit(context, tid_of(&copy), address);
            address = word_of(&copy, NEXT);
        }
        if (!read_word(interp + (uintptr_t)sg_debug_offsets.interp_next, &interp))
            return;
    }
}
