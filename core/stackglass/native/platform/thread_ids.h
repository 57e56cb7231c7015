/* Thread numbers: the kernel's (tid) and the C library's (pthread_t). Any thread,
 * async-signal-safe. */
#ifndef STACKGLASS_PLATFORM_THREAD_IDS_H
#define STACKGLASS_PLATFORM_THREAD_IDS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/export.h"

/* Find where the C library keeps the tid in a thread's descriptor, to which its pthread_t points.
 * Returns false if the tid is not found. */
bool sg_thread_ids_prepare(void);
/* Bytes from a pthread_t to its tid; 0 = not known. Lock-free: every search finds the same. */
extern SG_NEAR _Atomic int32_t sg_thread_ids_found;
static inline int32_t sg_thread_ids_offset(void) {
    return atomic_load_explicit(&sg_thread_ids_found, memory_order_relaxed);
}

/* Return the calling thread's tid. */
pid_t sg_thread_ids_own(void);
/* Return a tid that was read where one should be; 0 = it is none. The C library writes -1 there as
 * it joins a thread, and the memory of an ended thread may hold anything. */
static inline pid_t sg_thread_ids_checked(pid_t tid) {
    enum { MOST_TID = 4 << 20 }; /* of any Linux */
    return tid > 0 && tid <= MOST_TID ? tid : 0;
}
/* Return the tid of the thread with this pthread_t; 0 = not known, or it has been joined. The
 * thread may have ended: then this reads freed memory without faulting. It may make a system call
 * that a filter of the calling thread forbids, so hooks use one of the two functions below. */
pid_t sg_thread_ids_of(uintptr_t pthread);
/* Do the same in a hook on a thread of the program, for a thread that cannot end meanwhile. */
pid_t sg_thread_ids_of_living(uintptr_t pthread);
/* Do the same in such a hook, for a thread that may end at any moment. */
pid_t sg_thread_ids_of_fleeting(uintptr_t pthread);

/* Compare two rows that begin with a tid, for qsort() and bsearch(). */
int sg_thread_ids_compare(const void *row, const void *other);

/* Return pthread_self(). On x86-64 the thread pointer is the pthread_t in glibc and in musl;
 * reading it needs no call, so that fast paths save no registers. */
static inline uintptr_t sg_thread_ids_self(void) {
#if defined __x86_64__ && defined __has_builtin
#if __has_builtin(__builtin_thread_pointer)
    return (uintptr_t)__builtin_thread_pointer();
#endif
#endif
    return (uintptr_t)pthread_self();
}

#endif
