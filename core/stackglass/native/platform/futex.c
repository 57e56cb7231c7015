/* Futex: wake and wait. */
#include "platform/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000 };
enum { N_SPINS = 64, MOMENT_NS = 1000 };

void sg_futex_wake(sg_wakeup *wakeup) {
    int saved_errno = errno;
    atomic_fetch_add(wakeup, 1);
    syscall(SYS_futex, wakeup, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
    errno = saved_errno;
}

void sg_futex_wait(sg_wakeup *wakeup, uint32_t seen, int64_t timeout_ns) {
    int saved_errno = errno;
    if (timeout_ns <= 0)
        return;
    struct timespec timeout = {timeout_ns / NS_PER_S, timeout_ns % NS_PER_S};
    syscall(SYS_futex, wakeup, FUTEX_WAIT_PRIVATE, seen,
            timeout_ns == SG_FUTEX_FOREVER ? NULL : &timeout, NULL, 0);
    errno = saved_errno;
}

void sg_futex_sleep_ns(int64_t ns) {
    sg_wakeup never = 0;
    sg_futex_wait(&never, 0, ns);
}

static inline void pause_processor(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void sg_futex_back_off(uint32_t n_tries) {
    if (n_tries < N_SPINS)
        pause_processor();
    else
        sg_futex_sleep_ns(MOMENT_NS);
}
