/* Numbers of threads: the system's (tid) and the C library's (pthread_t). */
#ifndef STACKGLASS_PLATFORM_THREAD_IDS_H
#define STACKGLASS_PLATFORM_THREAD_IDS_H

#include <pthread.h>
#include <stdint.h>

/* pthread_self(). On x86-64 both C libraries have the thread pointer point to itself and return
 * that: read here, the paths that everybody takes need no call, and with it no saved registers. */
static inline uintptr_t sg_calling_thread_self(void) {
#if defined __x86_64__ && defined __has_builtin
#if __has_builtin(__builtin_thread_pointer)
    return (uintptr_t)__builtin_thread_pointer();
#endif
#endif
    return (uintptr_t)pthread_self();
}

/* Where the C library keeps a thread's tid behind its pthread_t: a byte offset; 0 = not known. Any
 * thread. */
int32_t sg_thread_ids_offset(void);

#endif
