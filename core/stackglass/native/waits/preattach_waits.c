/* Finds a lock by reading objects that may have been freed:
 *
 *     3.13, 3.14 …   the word before the semaphore ─▶ a mutex ─▶ the object it lies in: a lock?
 *     up to 3.13     values of the innermost frame ─▶ a lock, or a lock's method: is its semaphore
 *                                                     the futex?
 *     else           a joined Thread: the word before the semaphore points into its handle's state
 *
 * Memory of such an object is read by sg_memory_read, which fails where nothing is mapped, and
 * accepted only if the object has a lock's type. Then the frame's stack tells, for the report,
 * which method was called. */
#include "waits/preattach_waits.h"

#include <Python.h>

#include "frames/frame_values.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "locks/calls.h"
#include "locks/hooks.h"
#include "locks/state.h"
#include "locks/types.h"
#include "platform/memory.h"
#include "waits/joined_threads.h"

enum {
    FIRST_PARKED = 13, /* 3.13: waits for what has a mutex are parked; from 3.14 on all waits */
    FIRST_ALL_PARKED = 14,
    PARKED_BEFORE_FUTEX = 8, /* bytes from the parked address to the semaphore */
    MOST_VALUES = 256,       /* values that are read in one frame */
    MOST_REFERENCES = 1 << 30,
};

/* The first fields of an object that may have been freed. */
struct head {
    int64_t n_references;
    uintptr_t type;
    uintptr_t first;  /* a lock: its semaphore, its mutex; a bound C function: its definition */
    uintptr_t second; /* a bound C function: the object */
    uintptr_t third;
    uintptr_t fourth; /* a method of a type: its definition */
};

/* Guarded by the GIL. */
static bool is_known;             /* a lock's semaphore is at its offset */
static uintptr_t descriptor_type; /* PyMethodDescr_Type: static in the interpreter */
static uintptr_t c_method_type;   /* PyCMethod_Type, also static: bound, with its class */

static const enum sg_lock_type TYPES[] = {SG_TYPE_LOCK, SG_TYPE_RLOCK, SG_TYPE_SIMPLE_QUEUE};
enum { N_TYPES = sizeof TYPES / sizeof *TYPES, NOT_FOUND = -1 };

/* Return the kind of lock that `type` is; NOT_FOUND = none. */
static int find_type(uintptr_t type) {
    for (int i = 0; type && i < N_TYPES; i++) {
        if (type == (uintptr_t)sg_lock_hooks_type(TYPES[i]))
            return TYPES[i];
    }
    return NOT_FOUND;
}

static bool read_head(uintptr_t object, struct head *head) {
    return object && object % sizeof object == 0 && sg_memory_read(object, head, sizeof *head);
}

static bool has_semaphore(const struct head *head, uintptr_t futex) {
    return (int32_t)head->n_references > 0 && find_type(head->type) != NOT_FOUND &&
           head->first == futex;
}

static bool is_bound(uintptr_t type) {
    return type == (uintptr_t)&PyCFunction_Type || (c_method_type && type == c_method_type);
}

/* Return the lock that `value` is, or is a method of, if the futex belongs to the lock; else 0. */
static uintptr_t read_lock(uintptr_t value, uintptr_t futex) {
    struct head head;
    if (!read_head(value, &head))
        return 0;
    if (has_semaphore(&head, futex))
        return value;
    if (!is_bound(head.type) || head.n_references <= 0 || head.n_references > MOST_REFERENCES)
        return 0;
    value = head.second;
    return read_head(value, &head) && has_semaphore(&head, futex) ? value : 0;
}

static uint32_t least(uint32_t n) { return n < MOST_VALUES ? n : MOST_VALUES; }

static uintptr_t find_in_frame(const struct sg_frame_values *values, uintptr_t futex) {
    uintptr_t lock = 0;
    for (uint32_t i = 0; !lock && i < least(values->n_stack); i++)
        lock = read_lock(sg_frame_fields_value(values->stack[i]), futex);
    for (uint32_t i = 0; !lock && i < least(values->n_locals); i++)
        lock = read_lock(sg_frame_fields_value(values->locals[i]), futex);
    return lock;
}

/* Return the address that the thread is parked on; 0 = it cannot be read. */
static uintptr_t find_parked_on(uintptr_t futex) {
    uintptr_t address;
    bool is_read = sg_debug_offsets.minor >= FIRST_PARKED &&
                   sg_memory_read(futex - PARKED_BEFORE_FUTEX, &address, sizeof address);
    return is_read ? address : 0;
}

/* Return the lock that contains this mutex; 0 = none. */
static uintptr_t find_parked(uintptr_t mutex) {
    struct head head;
    uintptr_t into = offsetof(struct head, first);
    if (mutex < into || !read_head(mutex - into, &head) || (int32_t)head.n_references <= 0 ||
        find_type(head.type) == NOT_FOUND)
        return 0;
    return mutex - into;
}

/* Fill in the wait for a joined thread. Returns false if `thread` joins none. */
static bool find_joined(const void *thread, uintptr_t parked_on, struct sg_lock_wait *wait) {
    struct sg_joined joined;
    if (!parked_on || !sg_joined_threads_find(thread, sg_joined_threads_owns, parked_on, &joined))
        return false;
    wait->lock = joined.object;
    wait->holder = joined.tid;
    wait->thread = thread;
    wait->primitive = SG_PRIMITIVE_THREAD_JOIN;
    return true;
}

/* ---- What was called ---- */

static const enum sg_primitive CALLS[SG_N_LOCK_ROWS] = {
    [SG_LOCK_ACQUIRE] = SG_PRIMITIVE_LOCK_ACQUIRE,
    [SG_LOCK_ACQUIRE_LOCK] = SG_PRIMITIVE_LOCK_ACQUIRE,
    [SG_LOCK_ENTER] = SG_PRIMITIVE_LOCK_ENTER,
    /* a `with` keeps the bound __exit__ on the stack meanwhile */
    [SG_LOCK_EXIT] = SG_PRIMITIVE_LOCK_ENTER,
    [SG_RLOCK_ACQUIRE] = SG_PRIMITIVE_RLOCK_ACQUIRE,
    [SG_RLOCK_ENTER] = SG_PRIMITIVE_RLOCK_ENTER,
    [SG_RLOCK_EXIT] = SG_PRIMITIVE_RLOCK_ENTER,
    [SG_RLOCK_ACQUIRE_RESTORE] = SG_PRIMITIVE_RLOCK_ACQUIRE_RESTORE,
};

static enum sg_primitive find_call(uintptr_t definition) {
    for (int row = 0; definition && row < SG_N_LOCK_ROWS; row++) {
        if (definition == (uintptr_t)sg_lock_calls_patches[row].definition)
            return CALLS[row];
    }
    return SG_PRIMITIVE_NONE;
}

/* Return whether the frame is at BEFORE_WITH. From 3.11 to 3.13 this one instruction calls
 * __enter__, and may keep no method on the stack. */
static bool stands_before_with(const struct sg_frame_values *values) {
    enum { FIRST = 11, LAST = 13, BEFORE_WITH = 53, BEFORE_WITH_OF_LAST = 2 };
    int minor = sg_debug_offsets.minor;
    if (minor < FIRST || minor > LAST || values->lasti < 0)
        return false;
    const uint8_t *code = (const uint8_t *)values->code + sg_debug_offsets.co_adaptive;
    return code[values->lasti] == (minor == LAST ? BEFORE_WITH_OF_LAST : BEFORE_WITH);
}

/* Return what was called: the lock's first method on the stack, above the values that outlive the
 * call. */
static enum sg_primitive name_call(const struct sg_frame_values *values, uintptr_t lock) {
    enum sg_primitive call = SG_PRIMITIVE_NONE;
    bool is_with = stands_before_with(values);
    for (uint32_t i = values->n_live; !call && !is_with && i < least(values->n_stack); i++) {
        struct head head;
        if (!read_head(sg_frame_fields_value(values->stack[i]), &head))
            continue;
        uintptr_t above = i + 1 < values->n_stack ? sg_frame_fields_value(values->stack[i + 1]) : 0;
        if (is_bound(head.type) && head.second == lock)
            call = find_call(head.first);
        else if (descriptor_type && head.type == descriptor_type && above == lock)
            call = find_call(head.fourth);
    }
    if (call)
        return call;
    switch (find_type(sg_memory_load(lock + offsetof(struct head, type)))) {
    case SG_TYPE_LOCK:
        return is_with ? SG_PRIMITIVE_LOCK_ENTER : SG_PRIMITIVE_LOCK_ACQUIRE;
    case SG_TYPE_RLOCK:
        return is_with ? SG_PRIMITIVE_RLOCK_ENTER : SG_PRIMITIVE_RLOCK_ACQUIRE;
    default:
        return SG_PRIMITIVE_SIMPLE_QUEUE_GET;
    }
}

bool sg_preattach_waits_find(const void *thread, uintptr_t futex, struct sg_lock_wait *wait) {
    struct sg_frame_values values;
    if (!is_known || !futex || !sg_frame_values_first(thread, &values))
        return false;
    uintptr_t parked_on = find_parked_on(futex), lock = find_parked(parked_on);
    if (!lock && sg_debug_offsets.minor < FIRST_ALL_PARKED)
        lock = find_in_frame(&values, futex);
    if (!lock)
        return find_joined(thread, parked_on, wait);
    wait->lock = (const void *)lock;
    wait->thread = thread;
    wait->primitive = name_call(&values, lock);
    return true;
}

/* ---- The check on a lock of the engine's own ---- */

static bool has_value(PyObject *lock, int32_t expected) {
    struct head head;
    int32_t value;
    return read_head((uintptr_t)lock, &head) && has_semaphore(&head, head.first) &&
           sg_memory_read(head.first, &value, sizeof value) && value == expected;
}

static bool call(PyObject *lock, const char *method) {
    PyObject *result = sg_python_text_call(lock, method);
    Py_XDECREF(result);
    return result != NULL;
}

/* Return whether the semaphore of a lock is at the assumed offset. */
static bool try_lock(void) {
    PyObject *lock = sg_lock_types_make(SG_TYPE_LOCK);
    bool is_right = lock && has_value(lock, 1) && call(lock, "acquire") && has_value(lock, 0) &&
                    call(lock, "release") && has_value(lock, 1);
    Py_XDECREF(lock);
    return is_right;
}

void sg_preattach_waits_prepare(void) {
    descriptor_type = (uintptr_t)sg_python_symbols_address("PyMethodDescr_Type");
    c_method_type = (uintptr_t)sg_python_symbols_address("PyCMethod_Type");
    bool has_rlock = sg_lock_state_words.is_rlock_exact || sg_lock_state_words.rlock_semaphore >= 0;
    is_known = sg_debug_offsets.minor >= FIRST_ALL_PARKED ||
               (has_rlock && (sg_lock_state_words.is_exact || try_lock()));
}
