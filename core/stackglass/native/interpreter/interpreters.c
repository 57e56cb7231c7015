/* How the lists of interpreters and of their threads are read:
 *
 *     up to 3.11               by CPython's functions: the caller holds the one GIL, so the lists
 *                              do not change
 *     from 3.12, home          by CPython's functions
 *     from 3.12, others        the fields that those functions return are read by calls that cannot
 *                              fault, and checked: a thread state must point to the interpreter
 *                              that lists it
 *
 * The offsets of these fields are learned from CPython's functions: each is called once with a fake
 * struct in which every word holds its own offset, and returns the offset of its field. */
#include "interpreter/interpreters.h"

#include <Python.h>

#include "interpreter/calling_thread.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    FAKE_WORDS = 1 << 15, /* every field that is learned lies below them */
    MOST_COUNTED = 1024,  /* a list that changes meanwhile may form a cycle */
    MOST_FOREIGN_THREADS = 4096,
    FIRST_MINOR_OF_MANY_GILS = 12,
};

/* Written by prepare with the GIL held, then constant. */
static uintptr_t home;
static struct {
    bool is_known;
    uintptr_t next, first_thread, next_thread, thread_id;
} at;

/* Return the offset of the field that `get` returns; 0 = not found. */
static uintptr_t find_offset(void *get(void *), const uintptr_t *fake) {
    uintptr_t offset = (uintptr_t)get((void *)fake);
    return offset < FAKE_WORDS * sizeof *fake ? offset : 0;
}

static void *get_id(void *thread) { return (void *)(uintptr_t)PyThreadState_GetID(thread); }

static void learn_offsets(void) {
    uintptr_t *fake = sg_memory_map(FAKE_WORDS * sizeof *fake);
    for (uintptr_t i = 0; fake && i < FAKE_WORDS; i++)
        fake[i] = i * sizeof *fake;
    if (fake) {
        at.next = find_offset(sg_python_symbols.interpreter_next, fake);
        at.first_thread = find_offset(sg_python_symbols.thread_head, fake);
        at.next_thread = find_offset(sg_python_symbols.thread_next, fake);
        at.thread_id = find_offset(get_id, fake);
    }
    sg_memory_unmap(fake, FAKE_WORDS * sizeof *fake);
    at.is_known = fake && at.first_thread; /* the other fields may be at offset 0 */
}

void sg_interpreters_prepare(void) {
    home =
        sg_memory_load((uintptr_t)PyThreadState_Get() + (uintptr_t)sg_debug_offsets.thread_interp);
    if (!at.is_known && sg_debug_offsets.minor >= FIRST_MINOR_OF_MANY_GILS)
        learn_offsets();
}

bool sg_interpreters_is_home(const void *thread) {
    return thread &&
           sg_memory_load((uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_interp) == home;
}

bool sg_interpreters_is_home_interpreter(const void *interpreter) {
    return (uintptr_t)interpreter == home;
}

bool sg_interpreters_is_home_thread(void) {
    return sg_interpreters_is_home(sg_calling_thread_state(true));
}

static void *read_pointer(const void *object, uintptr_t offset) {
    void *value;
    return sg_memory_read_foreign((uintptr_t)object + offset, &value, sizeof value) ? value : NULL;
}

/* Are all lists constant during a call? They are up to 3.11, as the caller holds the only GIL. */
static bool stand_still(void) { return !at.is_known; }

void *sg_interpreter_home(void) { return (void *)home; }

void *sg_interpreter_first(void) { return sg_python_symbols.interpreter_head(); }

void *sg_interpreter_next(const void *interpreter) {
    return stand_still() ? sg_python_symbols.interpreter_next((void *)interpreter)
                         : read_pointer(interpreter, at.next);
}

/* Return `thread` if it belongs to `interpreter`, otherwise NULL. An interpreter that has been
 * freed, or is being made, may list threads that are not its own. */
static void *check(void *thread, uintptr_t interpreter) {
    uintptr_t owner =
        (uintptr_t)(thread ? read_pointer(thread, (uintptr_t)sg_debug_offsets.thread_interp) : 0);
    return owner == interpreter ? thread : NULL;
}

void *sg_interpreter_thread(const void *interpreter) {
    if (stand_still() || (uintptr_t)interpreter == home)
        return sg_python_symbols.thread_head((void *)interpreter);
    return check(read_pointer(interpreter, at.first_thread), (uintptr_t)interpreter);
}

void *sg_interpreter_next_thread(const void *thread) {
    if (stand_still())
        return sg_python_symbols.thread_next((void *)thread);
    uintptr_t owner = (uintptr_t)read_pointer(thread, (uintptr_t)sg_debug_offsets.thread_interp);
    if (owner == home)
        return sg_python_symbols.thread_next((void *)thread);
    return owner ? check(read_pointer(thread, at.next_thread), owner) : NULL;
}

uint32_t sg_interpreters_most_threads(const void *interpreter) {
    return stand_still() || (uintptr_t)interpreter == home ? UINT32_MAX : MOST_FOREIGN_THREADS;
}

uint64_t sg_interpreters_id_of(const void *thread) {
    uintptr_t owner = (uintptr_t)read_pointer(thread, (uintptr_t)sg_debug_offsets.thread_interp);
    return stand_still() || owner == home ? PyThreadState_GetID((PyThreadState *)thread)
                                          : (uint64_t)(uintptr_t)read_pointer(thread, at.thread_id);
}

void *sg_interpreters_next_at_home(const void *thread) {
    return sg_python_symbols.thread_next((void *)thread);
}

uint64_t sg_interpreters_id_at_home(const void *thread) {
    return PyThreadState_GetID((PyThreadState *)thread);
}

uint32_t sg_interpreters_count(void) {
    uint32_t n = 0;
    for (void *one = sg_interpreter_first(); one && n < MOST_COUNTED;
         one = sg_interpreter_next(one))
        n++;
    return n;
}

bool sg_interpreters_are_apart(void) { return !stand_still() && sg_interpreters_count() > 1; }
