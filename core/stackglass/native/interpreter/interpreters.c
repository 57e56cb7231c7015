/* Lists of interpreters and threads, read while they may change.
 *
 *     up to 3.11               by the interpreter's functions: the GIL is held, nothing changes
 *     later, threads at home   the same
 *     later, all else          the same fields, by calls that cannot fault, and checked: a thread
 *                              state has to name the interpreter whose list it is in
 *
 * Where these fields are, the functions themselves say: each is called once with a structure in
 * which every word holds its own offset. */
#include "interpreter/interpreters.h"

#include <Python.h>

#include "interpreter/calling_thread.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    FAKE_WORDS = 1 << 15, /* more than an interpreter state has */
    MOST_COUNTED = 64,
    FIRST_MINOR_OF_MANY_GILS = 12,
};

/* Written by prepare under the GIL, then constant. */
static uintptr_t home;
static struct {
    bool is_known;
    uintptr_t next, first_thread, next_thread, thread_id;
} at;

/* Each of the interpreter's own functions returns one member. For a fake structure in which each
 * word holds its own offset, it returns that member's offset. */
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
    at.is_known = fake && at.first_thread; /* other offsets may be 0 */
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
    return sg_memory_read((uintptr_t)object + offset, &value, sizeof value) ? value : NULL;
}

/* Up to 3.11 there is one GIL, and the caller holds it. */
static bool stands_still(void) { return !at.is_known; }

void *sg_interpreter_home(void) { return (void *)home; }

void *sg_interpreter_first(void) { return sg_python_symbols.interpreter_head(); }

void *sg_interpreter_next(const void *interpreter) {
    return stands_still() ? sg_python_symbols.interpreter_next((void *)interpreter)
                          : read_pointer(interpreter, at.next);
}

/* An interpreter that has been freed, or is being made, may name threads that are not its own. */
static void *check(void *thread, uintptr_t interpreter) {
    uintptr_t of =
        (uintptr_t)(thread ? read_pointer(thread, (uintptr_t)sg_debug_offsets.thread_interp) : 0);
    return of == interpreter ? thread : NULL;
}

void *sg_interpreter_thread(const void *interpreter) {
    if (stands_still() || (uintptr_t)interpreter == home)
        return sg_python_symbols.thread_head((void *)interpreter);
    return check(read_pointer(interpreter, at.first_thread), (uintptr_t)interpreter);
}

void *sg_interpreter_next_thread(const void *thread) {
    if (stands_still())
        return sg_python_symbols.thread_next((void *)thread);
    uintptr_t of = (uintptr_t)read_pointer(thread, (uintptr_t)sg_debug_offsets.thread_interp);
    if (of == home)
        return sg_python_symbols.thread_next((void *)thread);
    return of ? check(read_pointer(thread, at.next_thread), of) : NULL;
}

uint64_t sg_interpreters_id_of(const void *thread) {
    uintptr_t of = (uintptr_t)read_pointer(thread, (uintptr_t)sg_debug_offsets.thread_interp);
    return stands_still() || of == home ? PyThreadState_GetID((PyThreadState *)thread)
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

bool sg_interpreters_are_apart(void) { return !stands_still() && sg_interpreters_count() > 1; }
