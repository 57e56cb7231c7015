/* Thread numbers: the offset from a pthread_t to its tid. */
#include "platform/thread_ids.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "platform/memory.h"

_Atomic int32_t sg_thread_ids_found;

/* Return the offset from the calling thread's pthread_t to its tid; 0 = it was not found. */
static int32_t find_offset(void) {
    enum { FIRST = 64, LAST = 2048 };
    uintptr_t self = (uintptr_t)pthread_self();
    pid_t own = (pid_t)syscall(SYS_gettid), candidate;
    for (int32_t at = FIRST; at < LAST; at += 4) {
        if (sg_memory_read(self + (uintptr_t)at, &candidate, sizeof candidate) && candidate == own)
            return at;
    }
    return 0;
}

bool sg_thread_ids_prepare(void) {
    if (!sg_thread_ids_offset())
        atomic_store(&sg_thread_ids_found, find_offset());
    return sg_thread_ids_offset() != 0;
}

pid_t sg_thread_ids_own(void) {
    int32_t offset = sg_thread_ids_offset();
    return offset ? sg_memory_load_int(sg_thread_ids_self() + (uintptr_t)offset)
                  : (pid_t)syscall(SYS_gettid);
}

pid_t sg_thread_ids_of(uintptr_t pthread) {
    int32_t offset = sg_thread_ids_offset();
    pid_t tid;
    return pthread && offset &&
                   sg_memory_read_foreign(pthread + (uintptr_t)offset, &tid, sizeof tid)
               ? sg_thread_ids_checked(tid)
               : 0;
}

pid_t sg_thread_ids_of_living(uintptr_t pthread) {
    int32_t offset = sg_thread_ids_offset();
    pid_t tid;
    return pthread && offset && sg_memory_read_probed(pthread + (uintptr_t)offset, &tid, sizeof tid)
               ? sg_thread_ids_checked(tid)
               : 0;
}

pid_t sg_thread_ids_of_fleeting(uintptr_t pthread) {
    int32_t offset = sg_thread_ids_offset();
    uint32_t tid;
    return pthread && offset && sg_memory_read_fleeting(pthread + (uintptr_t)offset, &tid)
               ? sg_thread_ids_checked((pid_t)tid)
               : 0;
}

int sg_thread_ids_compare(const void *row, const void *other) {
    pid_t left = *(const pid_t *)row, right = *(const pid_t *)other;
    return (left > right) - (left < right);
}
