/* The state word of a lock: where it lies, so that it can be read without a call.
 *
 *                       with a semaphore               with a mutex
 *     _thread.lock      │head│lock│weakrefs│locked│     │head│mutex│          offsets 32; 16
 *     _thread.RLock     │head│lock│owner│count│…        │head│mutex│owner│…   offset 24, both
 *
 *     3.9 … 3.13.0      both with a semaphore
 *     3.13.5            lock with a mutex, RLock with a semaphore
 *     3.14, 3.15        both with a mutex
 *
 * With a semaphore a waiter takes the lock without the GIL, and writes `locked` (an RLock: `owner`)
 * once it has the GIL again: until then the lock is taken but `locked` says free. The semaphore is
 * exact:
 *
 *     sem_t, 64 bits    │ 63 … sleepers … 32 │ 31 … value … 0 │    1 = free, and no thread sleeps
 *
 * So a lock counts as free if its semaphore is 1 and it has no registered waiter (table.h); any
 * other lock is tried by its handle, as acquire itself does first. The sleepers count because a
 * wait that began before locks were hooked is not registered. A mutex is taken with the GIL held.
 *
 * Each layout is checked on fresh locks, with a semaphore first. If none fits, nothing is known,
 * and a lock is tried without blocking first. */
#ifndef STACKGLASS_LOCKS_STATE_H
#define STACKGLASS_LOCKS_STATE_H

#include <Python.h>

#include "platform/export.h"
#include <stdbool.h>
#include <stdint.h>

struct sg_lock_words {
    bool is_known;     /* the layouts of both types have passed the tests */
    bool is_exact;     /* _thread.lock: `locked` 0 means free */
    int32_t locked;    /* _thread.lock: a byte whose bit 0 is set when it is held */
    int32_t handle;    /* _thread.lock: its PyThread_type_lock; -1 = there is none, or not known */
    int32_t semaphore; /* _thread.lock: pointer to the sem_t; -1 = none, or not as above */
    bool is_rlock_exact;     /* _thread.RLock: as is_exact */
    int32_t rlock_semaphore; /* _thread.RLock, as above */
    int32_t owner; /* _thread.RLock: the owner's threading.get_ident(), 64 bits; 0 = none */
    int32_t mutex; /* _thread.RLock: as `locked`; -1 = there is no such byte */
};

/* Written by prepare with the GIL held, before locks' methods are patched; read with the GIL. */
extern SG_NEAR struct sg_lock_words sg_lock_state_words;

/* Find the layouts and check them. Caller holds the GIL; sg_cpu_prepare has succeeded. */
void sg_lock_state_prepare(void);
/* Forget the layouts: every lock is then tried without blocking first. */
void sg_lock_state_forget(void);

/* Whether a plain lock is held. The lock must be alive, here and below, and `is_known` true. */
static inline bool sg_lock_state_is_held(const void *lock) {
    return *((const uint8_t *)lock + sg_lock_state_words.locked) & 1;
}
/* Whether no thread holds the lock, and none sleeps on its semaphore. `semaphore` is the offset for
 * the lock's type, not -1. */
static inline bool sg_lock_state_semaphore_is_free(const void *lock, int32_t semaphore) {
    const uint64_t *word = *(const uint64_t *const *)((const uint8_t *)lock + semaphore);
    return *(const volatile uint64_t *)word == 1;
}
/* Take a plain lock if it is free, as acquire(False) would; only if `handle` is known. Returns
 * whether the lock was taken. Caller holds the GIL. */
bool sg_lock_state_take(void *lock);
static inline uint64_t sg_lock_state_rlock_owner(const void *lock) {
    return *(const uint64_t *)((const uint8_t *)lock + sg_lock_state_words.owner);
}
static inline bool sg_lock_state_rlock_is_held(const void *lock) {
    return sg_lock_state_rlock_owner(lock) ||
           (sg_lock_state_words.mutex >= 0 &&
            (*((const uint8_t *)lock + sg_lock_state_words.mutex) & 1));
}

#endif
