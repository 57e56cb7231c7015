/* The tid behind a pthread_t: see thread_ids.h. */
#include "platform/thread_ids.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "platform/memory.h"

/* Lock-free: every thread that searches finds the same offset. 0 = not found yet. */
static _Atomic int32_t offset;

/* The calling thread's tid is searched for behind its own pthread_t. */
static int32_t search(void) {
    enum { FIRST = 64, LAST = 2048 };
    uintptr_t self = (uintptr_t)pthread_self();
    pid_t own = (pid_t)syscall(SYS_gettid), candidate;
    for (int32_t at = FIRST; at < LAST; at += 4) {
        if (sg_memory_read(self + (uintptr_t)at, &candidate, sizeof candidate) && candidate == own)
            return at;
    }
    return 0;
}

int32_t sg_thread_ids_offset(void) {
    int32_t known = atomic_load(&offset);
    if (!known)
        atomic_store(&offset, known = search());
    return known;
}
