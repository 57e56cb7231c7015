/* Offsets of locks' state, tried on locks of our own: see lock_words.h. */
#include "lock_words.h"

#include <Python.h>

#include "lock_types.h"
#include "memory.h"
#include "python_symbols.h"

enum { FIRST_WITH_MUTEX = 14, OTHER_OWNER = 0x5ca1ab1e };

struct sg_lock_words sg_lock_words; /* guarded by the GIL */

/* Make a call that may fail; whether it did not. */
static bool call(PyObject *object, const char *method) {
    PyObject *result = PyObject_CallMethod(object, method, NULL);
    if (!result)
        PyErr_Clear();
    Py_XDECREF(result);
    return result != NULL;
}

static bool has_bytes(PyObject *object, Py_ssize_t n) {
    PyObject *size = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__basicsize__");
    bool is_enough = size && PyLong_AsSsize_t(size) >= n;
    Py_XDECREF(size);
    PyErr_Clear();
    return is_enough;
}

static bool try_lock(void) {
    PyObject *lock = sg_lock_types_make(SG_TYPE_LOCK);
    bool is_right = lock && has_bytes(lock, sg_lock_words.locked + 1);
    for (int i = 0; is_right && i < 2; i++) {
        is_right = !sg_lock_is_held(lock) && call(lock, "acquire") && sg_lock_is_held(lock) &&
                   call(lock, "release") && !sg_lock_is_held(lock);
    }
    Py_XDECREF(lock);
    return is_right;
}

static void *handle_of(const void *lock) {
    return (void *)sg_load((uintptr_t)lock + (uintptr_t)sg_lock_words.handle);
}

bool sg_lock_take(void *lock) {
    if (!PyThread_acquire_lock(handle_of(lock), NOWAIT_LOCK))
        return false;
    *((uint8_t *)lock + sg_lock_words.locked) = 1;
    return true;
}

/* What is taken by its handle is taken, and the other way round. */
static bool try_handle(void) {
    PyObject *lock = sg_lock_types_make(SG_TYPE_LOCK);
    uint64_t word;
    bool is_right = lock && sg_memory_read((uintptr_t)handle_of(lock), &word, sizeof word);
    for (int i = 0; is_right && i < 2; i++) {
        is_right = sg_lock_take(lock) && !sg_lock_take(lock) && call(lock, "release") &&
                   !sg_lock_is_held(lock) && call(lock, "acquire") && !sg_lock_take(lock) &&
                   call(lock, "release");
    }
    Py_XDECREF(lock);
    return is_right;
}

/* Its semaphore is 1 when it is free, and 0 when it is held; at `semaphore`. */
static bool try_semaphore_of(enum sg_lock_type type) {
    PyObject *lock = sg_lock_types_make(type);
    uint64_t word;
    bool is_right = lock && sg_memory_read((uintptr_t)handle_of(lock), &word, sizeof word);
    for (int i = 0; is_right && i < 2; i++) {
        is_right = sg_lock_semaphore_is_free(lock) && call(lock, "acquire") &&
                   *(const uint64_t *)handle_of(lock) == 0 && call(lock, "release") &&
                   sg_lock_semaphore_is_free(lock);
    }
    Py_XDECREF(lock);
    return is_right;
}

static bool is_free(PyObject *lock) { return !sg_rlock_owner(lock) && !sg_rlock_is_held(lock); }

static bool is_mine(PyObject *lock) {
    return sg_rlock_owner(lock) == PyThread_get_thread_ident() && sg_rlock_is_held(lock);
}

/* As it looks when another thread holds it. */
static bool is_anothers(PyObject *lock) {
    PyObject *restored =
        PyObject_CallMethod(lock, "_acquire_restore", "((kk))", 1UL, (unsigned long)OTHER_OWNER);
    if (!restored)
        PyErr_Clear();
    Py_XDECREF(restored);
    return restored && sg_rlock_owner(lock) == OTHER_OWNER && sg_rlock_is_held(lock);
}

static bool try_rlock(void) {
    PyObject *lock = sg_lock_types_make(SG_TYPE_RLOCK);
    bool is_right = lock && has_bytes(lock, sg_lock_words.owner + 8);
    for (int i = 0; is_right && i < 2; i++) {
        is_right = is_free(lock) && call(lock, "acquire") && is_mine(lock) &&
                   call(lock, "acquire") && is_mine(lock) && call(lock, "release") &&
                   is_mine(lock) && call(lock, "release") && is_free(lock);
    }
    /* Up to 3.13 it is given back by whoever likes, later only by its owner or a fork. */
    is_right = is_right && is_anothers(lock) &&
               (call(lock, "_release_save") || call(lock, "_at_fork_reinit")) && is_free(lock);
    Py_XDECREF(lock);
    return is_right;
}

void sg_lock_words_prepare(void) {
    bool has_mutex = sg_python.minor >= FIRST_WITH_MUTEX;
    sg_lock_words = (struct sg_lock_words){
        .is_exact = has_mutex,
        .locked = has_mutex ? 16 : 32,
        .handle = has_mutex ? -1 : 16,
        .semaphore = has_mutex ? -1 : 16,
        .owner = 24,
        .mutex = has_mutex ? 16 : -1,
    };
    sg_lock_words.is_known = try_lock() && try_rlock();
    sg_lock_words.is_exact &= sg_lock_words.is_known;
    if (!sg_lock_words.is_known || has_mutex || !try_handle())
        sg_lock_words.handle = -1;
    if (sg_lock_words.handle < 0 || !try_semaphore_of(SG_TYPE_LOCK) ||
        !try_semaphore_of(SG_TYPE_RLOCK))
        sg_lock_words.semaphore = -1;
}

void sg_lock_words_forget(void) {
    sg_lock_words.is_known = sg_lock_words.is_exact = false;
    sg_lock_words.handle = sg_lock_words.semaphore = -1;
}
