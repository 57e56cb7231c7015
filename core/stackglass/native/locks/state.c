/* Layouts of locks, guessed by version and tested on fresh locks: a lock is taken and released
 * twice by its methods, and the words that are read in between have to be right. A field that fails
 * the test is not used:
 *
 *     lock's byte wrong            nothing is known: each lock is tried without blocking first
 *     handle, semaphore wrong      such a lock never counts as surely free
 *     RLock's owner wrong          nothing is known                         */
#include "locks/state.h"

#include <Python.h>

#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "locks/types.h"
#include "platform/memory.h"

enum {
    FIRST_WITH_MUTEX = 13,    /* minor version: _thread.lock got a mutex in one of its releases */
    OTHER_OWNER = 0x5ca1ab1e, /* a thread ident for tests, not that of a thread */
    WITH_SEMAPHORE = 32,      /* offset of the state byte in a _thread.lock with a semaphore */
    WITH_MUTEX = 16,          /* and in one with a mutex */
    SEMAPHORE = 16, /* offset of the pointer to the semaphore, in both types; also of the handle */
};

struct sg_lock_words sg_lock_state_words; /* guarded by the GIL */

/* Call a method; false if it raised. */
static bool call(PyObject *object, const char *method) {
    PyObject *result = sg_python_text_call(object, method);
    Py_XDECREF(result);
    return result != NULL;
}

static bool has_bytes(PyObject *object, Py_ssize_t n) {
    PyObject *size = sg_python_text_attribute((PyObject *)Py_TYPE(object), "__basicsize__");
    bool is_enough = size && PyLong_AsSsize_t(size) >= n;
    Py_XDECREF(size);
    PyErr_Clear();
    return is_enough;
}

static bool try_lock(void) {
    PyObject *lock = sg_lock_types_make(SG_TYPE_LOCK);
    bool is_right = lock && has_bytes(lock, sg_lock_state_words.locked + 1);
    for (int i = 0; is_right && i < 2; i++) {
        is_right = !sg_lock_state_is_held(lock) && call(lock, "acquire") &&
                   sg_lock_state_is_held(lock) && call(lock, "release") &&
                   !sg_lock_state_is_held(lock);
    }
    Py_XDECREF(lock);
    return is_right;
}

static void *handle_of(const void *lock) {
    return (void *)sg_memory_load((uintptr_t)lock + (uintptr_t)sg_lock_state_words.handle);
}

bool sg_lock_state_take(void *lock) {
    if (!PyThread_acquire_lock(handle_of(lock), NOWAIT_LOCK))
        return false;
    *((uint8_t *)lock + sg_lock_state_words.locked) = 1;
    return true;
}

/* Check that a lock that was taken by its handle or its method cannot be taken by its handle. */
static bool try_handle(void) {
    PyObject *lock = sg_lock_types_make(SG_TYPE_LOCK);
    uint64_t word;
    bool is_right = lock && sg_memory_read((uintptr_t)handle_of(lock), &word, sizeof word);
    for (int i = 0; is_right && i < 2; i++) {
        is_right = sg_lock_state_take(lock) && !sg_lock_state_take(lock) && call(lock, "release") &&
                   !sg_lock_state_is_held(lock) && call(lock, "acquire") &&
                   !sg_lock_state_take(lock) && call(lock, "release");
    }
    Py_XDECREF(lock);
    return is_right;
}

/* Check that the semaphore of a lock is 1 while the lock is free, and 0 while it is held. */
static bool try_semaphore_of(enum sg_lock_type type) {
    PyObject *lock = sg_lock_types_make(type);
    uint64_t word;
    bool is_right =
        lock && sg_memory_read(sg_memory_load((uintptr_t)lock + SEMAPHORE), &word, sizeof word);
    for (int i = 0; is_right && i < 2; i++) {
        is_right = sg_lock_state_semaphore_is_free(lock, SEMAPHORE) && call(lock, "acquire") &&
                   sg_memory_load(sg_memory_load((uintptr_t)lock + SEMAPHORE)) == 0 &&
                   call(lock, "release") && sg_lock_state_semaphore_is_free(lock, SEMAPHORE);
    }
    Py_XDECREF(lock);
    return is_right;
}

static bool is_free(PyObject *lock) {
    return !sg_lock_state_rlock_owner(lock) && !sg_lock_state_rlock_is_held(lock);
}

static bool has_mutex_bit(PyObject *lock) {
    return sg_lock_state_words.mutex < 0 || (*((uint8_t *)lock + sg_lock_state_words.mutex) & 1);
}

static bool is_mine(PyObject *lock) {
    return sg_lock_state_rlock_owner(lock) == PyThread_get_thread_ident() && has_mutex_bit(lock);
}

/* Put `lock` into the state of an RLock that another thread holds. Returns whether its words show
 * that. */
static bool is_anothers(PyObject *lock) {
    PyObject *restore = sg_python_text_attribute(lock, "_acquire_restore");
    PyObject *restored =
        restore ? PyObject_CallFunction(restore, "((kk))", 1UL, (unsigned long)OTHER_OWNER) : NULL;
    if (!restored)
        PyErr_Clear();
    Py_XDECREF(restored);
    Py_XDECREF(restore);
    return restored && sg_lock_state_rlock_owner(lock) == OTHER_OWNER &&
           sg_lock_state_rlock_is_held(lock);
}

static bool try_rlock(void) {
    PyObject *lock = sg_lock_types_make(SG_TYPE_RLOCK);
    bool is_right = lock && has_bytes(lock, sg_lock_state_words.owner + 8);
    for (int i = 0; is_right && i < 2; i++) {
        is_right = is_free(lock) && call(lock, "acquire") && is_mine(lock) &&
                   call(lock, "acquire") && is_mine(lock) && call(lock, "release") &&
                   is_mine(lock) && call(lock, "release") && is_free(lock);
    }
    /* Up to 3.13 any thread may release the lock, later only its owner or a fork. */
    is_right = is_right && is_anothers(lock) &&
               (call(lock, "_release_save") || call(lock, "_at_fork_reinit")) && is_free(lock);
    Py_XDECREF(lock);
    return is_right;
}

static bool try_lock_at(int32_t locked) {
    bool has_mutex = locked == WITH_MUTEX;
    sg_lock_state_words.locked = locked;
    sg_lock_state_words.handle = sg_lock_state_words.semaphore = -1;
    if (!try_lock())
        return false;
    sg_lock_state_words.is_exact = has_mutex;
    if (has_mutex)
        return true;
    sg_lock_state_words.handle = SEMAPHORE;
    if (!try_handle())
        sg_lock_state_words.handle = -1;
    else if (try_semaphore_of(SG_TYPE_LOCK))
        sg_lock_state_words.semaphore = SEMAPHORE;
    return true;
}

static bool try_rlock_either(void) {
    bool has_semaphore =
        sg_python_symbols.minor <= FIRST_WITH_MUTEX && try_semaphore_of(SG_TYPE_RLOCK);
    bool may_have_mutex = sg_python_symbols.minor >= FIRST_WITH_MUTEX && !has_semaphore;
    sg_lock_state_words.mutex = may_have_mutex ? WITH_MUTEX : -1;
    if (!try_rlock())
        return false;
    sg_lock_state_words.is_rlock_exact = may_have_mutex;
    sg_lock_state_words.rlock_semaphore = has_semaphore ? SEMAPHORE : -1;
    return true;
}

void sg_lock_state_prepare(void) {
    sg_lock_state_words = (struct sg_lock_words){.owner = 24};
    sg_lock_state_forget();
    bool is_lock_known =
        (sg_python_symbols.minor <= FIRST_WITH_MUTEX && try_lock_at(WITH_SEMAPHORE)) ||
        (sg_python_symbols.minor >= FIRST_WITH_MUTEX && try_lock_at(WITH_MUTEX));
    if (is_lock_known && try_rlock_either())
        sg_lock_state_words.is_known = true;
    else
        sg_lock_state_forget();
}

void sg_lock_state_forget(void) {
    sg_lock_state_words.is_known = sg_lock_state_words.is_exact =
        sg_lock_state_words.is_rlock_exact = false;
    sg_lock_state_words.handle = sg_lock_state_words.semaphore =
        sg_lock_state_words.rlock_semaphore = -1;
}
