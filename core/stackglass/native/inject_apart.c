/* A process of its own for an injection.
 *
 * While a call of ours runs in the target, the one who traces it must not go away: the thread
 * would come back to address 0 with nobody there to know what that means. So the tracer is a
 * small process that no Ctrl-C, no exit and no crash of ours takes along. It lives for
 * milliseconds; where the target's loader keeps it waiting, it stays for as long as that takes. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"
#include "inject_tracee.h"

enum {
    GRACE_NS = 1000 * 1000 * 1000, /* beyond the search, for the calls themselves */
    SLICE_NS = 20 * 1000 * 1000,   /* how often to look whether the process still lives */
};

static void block_all_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void wake(struct sg_injection_result *shared) {
    syscall(SYS_futex, &shared->status, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* In the copy of our process: nothing that could wait for a lock another thread of ours held. */
static void run_apart(const struct sg_injection *injection, struct sg_injection_result *shared) {
    setsid();                             /* out of the reach of the terminal's signals */
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* naps of 50 us, not of 100 */
    sg_inject(injection, shared);
    wake(shared);
    syscall(SYS_exit_group, 0);
}

/* Wait for `shared` to say how it ended; false = its process died, or the time is over. */
static void await(pid_t helper, struct sg_injection_result *shared, int64_t deadline_ns) {
    const struct timespec slice = {0, SLICE_NS};
    while (__atomic_load_n(&shared->status, __ATOMIC_ACQUIRE) == SG_INJECT_RUNNING) {
        syscall(SYS_futex, &shared->status, FUTEX_WAIT, SG_INJECT_RUNNING, &slice, NULL, 0);
        int64_t left_ns = deadline_ns - sg_now_ns();
        if (left_ns < 0) {
            return;
        }
        if (waitpid(helper, NULL, __WALL | WNOHANG) == helper) {
            return;
        }
    }
    waitpid(helper, NULL, __WALL); /* it has only its exit left to do */
}

struct here {
    const struct sg_injection *injection;
    struct sg_injection_result *result;
};

static void *run_here(void *argument) {
    struct here *here = argument;
    block_all_signals();
    sg_inject(here->injection, here->result);
    return NULL; /* and with the thread ends every trace that could not be ended before */
}

/* Where only ancestors may trace (Yama, scope 1), a helper of ours is nobody's ancestor. */
static void inject_here(const struct sg_injection *injection, struct sg_injection_result *result) {
    struct here here = {injection, result};
    pthread_t thread;
    memset(result, 0, sizeof *result);
    int error = pthread_create(&thread, NULL, run_here, &here);
    if (error != 0) {
        result->status = SG_INJECT_SYSTEM;
        result->error = error;
        return;
    }
    pthread_join(thread, NULL);
}

void sg_inject_apart(const struct sg_injection *injection, struct sg_injection_result *result) {
    memset(result, 0, sizeof *result);
    struct sg_injection_result *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        result->status = SG_INJECT_SYSTEM;
        result->error = errno;
        return;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* Not fork(): no handlers to run, and no signal at its end, so that a program which waits for
     * its own children is not told of ours. */
    long helper = syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
    if (helper == 0) {
        run_apart(injection, shared);
    }
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (helper < 0) {
        result->status = SG_INJECT_SYSTEM;
        result->error = error;
    } else {
        await((pid_t)helper, shared, sg_now_ns() + injection->timeout_ns + GRACE_NS);
        *result = *shared;
    }
    munmap(shared, sizeof *shared);
    if (result->status == SG_INJECT_NOT_ALLOWED) {
        inject_here(injection, result);
    }
}
