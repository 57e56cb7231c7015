/* What may happen after PTRACE_INTERRUPT, by enum sg_stop:
 *
 *     seized, runs ──INTERRUPT──▶ TRAP: stopped    (machines that stop twice: at the second TRAP)
 *                           ├──▶ SIGNAL: deliver the signal, and wait again for the TRAP
 *                           ├──▶ GROUP: the program is stopped (SIGSTOP)
 *                           └──▶ GONE
 *
 * A thread is saved and restored with its registers, the vector registers that the machine has, the
 * number of its system call (where a register set of its own holds that number; it is -1 during the
 * calls), and its blocked signals. */
#include "inject/tracee.h"
#include "inject/machines.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

enum {
    NAP_NS = 20 * 1000,   /* a stop takes some 50 us; a yield could last for another's time slice */
    SIGNAL_MASK_SIZE = 8, /* bytes of the kernel's sigset_t */
    SIGNAL_OF_SETXID = 33, /* glibc: a thread has changed its user, and all others must */
};

int64_t sg_tracee_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void sg_tracee_pause_ns(int64_t ns) {
    struct timespec time = {ns / 1000000000, ns % 1000000000};
    nanosleep(&time, NULL);
}

static enum sg_stop classify(int status, int *signal) {
    if (!WIFSTOPPED(status)) {
        *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        return SG_STOP_GONE;
    }
    *signal = WSTOPSIG(status);
    if (status >> 16 != PTRACE_EVENT_STOP) {
        return SG_STOP_SIGNAL;
    }
    return *signal == SIGTRAP ? SG_STOP_TRAP : SG_STOP_GROUP;
}

/* Release a thread that stopped too late to be used: it may hold a lock that the used thread waits
 * for. */
static void release_late(pid_t thread, int status) {
    int signal = 0;
    enum sg_stop stop = classify(status, &signal);
    if (stop != SG_STOP_GONE) {
        int deliver = stop == SG_STOP_SIGNAL ? signal : 0;
        ptrace(PTRACE_DETACH, thread, NULL, (void *)(intptr_t)deliver);
    }
}

bool sg_tracee_is_held(pid_t thread) {
    siginfo_t unused;
    int options = WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD;
    return waitid(P_PID, (id_t)thread, &unused, options) == 0;
}

static _Thread_local bool leaves_ended; /* see sg_tracee_leave_ended */

void sg_tracee_leave_ended(void) { leaves_ended = true; }

/* waitpid, except that the end of `thread` is only looked at. */
static pid_t wait_and_leave(pid_t thread, pid_t which, int *status, int options) {
    siginfo_t next = {0};
    int looks = options | WEXITED | WSTOPPED | WNOWAIT;
    if (waitid(which < 0 ? P_ALL : P_PID, which < 0 ? 0 : (id_t)which, &next, looks) != 0)
        return -1;
    pid_t found = next.si_pid;
    if (found == 0)
        return 0;
    bool is_end = next.si_code != CLD_TRAPPED && next.si_code != CLD_STOPPED;
    if (is_end && found != thread)
        return waitpid(found, status, options | WNOHANG);
    if (is_end) {
        *status = next.si_code == CLD_EXITED ? next.si_status << 8 : next.si_status;
        return found;
    }
    /* Not waitpid: the thread may have been killed since the look. */
    next.si_pid = 0;
    if (waitid(P_PID, (id_t)found, &next, options | WSTOPPED | WNOHANG) != 0)
        return -1;
    *status = next.si_status << 8 | 0x7f;
    return next.si_pid;
}

enum sg_stop sg_tracee_wait_stop(pid_t thread, int64_t deadline_ns, int *signal) {
    bool is_endless = deadline_ns == SG_NO_TIMEOUT;
    /* __WNOTHREAD: do not wait for the children of the attacher's other threads. */
    int options = __WALL | __WNOTHREAD | (is_endless ? 0 : WNOHANG);
    for (;;) {
        int status = 0;
        /* Read before the wait: if the tracer itself is late, it looks once more for a stop. */
        bool is_over = !is_endless && sg_tracee_now_ns() > deadline_ns;
        pid_t which = is_endless ? -1 : thread;
        pid_t found = leaves_ended ? wait_and_leave(thread, which, &status, options)
                                   : waitpid(which, &status, options);
        if (found == thread) {
            return classify(status, signal);
        }
        if (found > 0) {
            release_late(found, status);
            continue;
        }
        if (found < 0 && errno != EINTR) {
            *signal = 0;
            return SG_STOP_GONE;
        }
        if (is_over) {
            return SG_STOP_TIMEOUT;
        }
        if (!is_endless) {
            sg_tracee_pause_ns(NAP_NS);
        }
    }
}

enum sg_stop sg_tracee_stop_thread(pid_t thread, int64_t deadline_ns) {
    if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0) {
        return SG_STOP_GONE;
    }
    return sg_tracee_await_stop(thread, deadline_ns);
}

enum sg_stop sg_tracee_await_stop(pid_t thread, int64_t deadline_ns) {
    bool again = sg_machines_here->stops_twice;
    for (;;) {
        int signal = 0;
        enum sg_stop stop = sg_tracee_wait_stop(thread, deadline_ns, &signal);
        if (stop == SG_STOP_SIGNAL) {
            /* Another signal came first: deliver it. The request to stop still stands. */
            ptrace(PTRACE_CONT, thread, NULL, (void *)(intptr_t)signal);
        } else if (stop == SG_STOP_TRAP && again) {
            again = false;
            ptrace(PTRACE_INTERRUPT, thread, NULL, NULL);
            ptrace(PTRACE_CONT, thread, NULL, NULL);
        } else {
            return stop;
        }
    }
}

int sg_tracee_get_registers(pid_t thread, void *registers) {
    struct iovec io = {registers, sg_machines_here->registers_size};
    if (ptrace(PTRACE_GETREGSET, thread, (void *)(uintptr_t)NT_PRSTATUS, &io) != 0) {
        return -1;
    }
    if (io.iov_len != sg_machines_here->registers_size) {
        errno = ENOEXEC; /* the thread of a 32-bit program */
        return -1;
    }
    return 0;
}

int sg_tracee_set_registers(pid_t thread, const void *registers) {
    struct iovec io = {(void *)(uintptr_t)registers, sg_machines_here->registers_size};
    return ptrace(PTRACE_SETREGSET, thread, (void *)(uintptr_t)NT_PRSTATUS, &io) == 0 ? 0 : -1;
}

static int save_vectors(pid_t thread, struct sg_saved *saved) {
    for (int i = 0; i < SG_VECTOR_NOTES; i++) {
        uintptr_t note = (uintptr_t)sg_machines_here->vector_notes[i];
        struct iovec io = {saved->vectors[i], SG_VECTORS_MAX};
        saved->vectors_size[i] = 0;
        if (note == 0) {
            continue;
        }
        if (ptrace(PTRACE_GETREGSET, thread, (void *)note, &io) != 0) {
            if (i == 0) {
                return -1;
            }
            continue; /* the processor has no such set */
        }
        if (io.iov_len >= SG_VECTORS_MAX) {
            errno = E2BIG; /* the set may have been cut off, and could not be restored */
            return -1;
        }
        saved->vectors_size[i] = io.iov_len;
    }
    return 0;
}

int sg_tracee_get_blocked_signals(pid_t thread, uint64_t *mask) {
    void *size = (void *)(uintptr_t)SIGNAL_MASK_SIZE;
    return ptrace(PTRACE_GETSIGMASK, thread, size, mask) == 0 ? 0 : -1;
}

static int set_blocked_signals(pid_t thread, const uint64_t *mask) {
    void *size = (void *)(uintptr_t)SIGNAL_MASK_SIZE;
    return ptrace(PTRACE_SETSIGMASK, thread, size, (void *)(uintptr_t)mask) == 0 ? 0 : -1;
}

int sg_tracee_block_signals(pid_t thread, const struct sg_saved *saved, bool is_setxid_open) {
    const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
    const uint64_t setxid = UINT64_C(1) << (SIGNAL_OF_SETXID - 1);
    uint64_t mask = UINT64_MAX;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mask &= ~(UINT64_C(1) << (faults[i] - 1));
    }
    if (is_setxid_open && (saved->blocked_signals & setxid) == 0) {
        mask &= ~setxid;
    }
    return set_blocked_signals(thread, &mask);
}

int sg_tracee_save_thread(pid_t thread, struct sg_saved *saved) {
    if (sg_tracee_get_registers(thread, saved->registers) != 0 ||
        save_vectors(thread, saved) != 0) {
        return -1;
    }
    saved->system_call = -1;
    uintptr_t note = (uintptr_t)sg_machines_here->system_call_note;
    if (note != 0) {
        struct iovec io = {&saved->system_call, sizeof saved->system_call};
        if (ptrace(PTRACE_GETREGSET, thread, (void *)note, &io) != 0) {
            return -1;
        }
        int none = -1;
        io.iov_base = &none;
        if (ptrace(PTRACE_SETREGSET, thread, (void *)note, &io) != 0) {
            return -1;
        }
    }
    return sg_tracee_get_blocked_signals(thread, &saved->blocked_signals);
}

int sg_tracee_restore_thread(pid_t thread, const struct sg_saved *saved) {
    int failed = 0;
    for (int i = 0; i < SG_VECTOR_NOTES; i++) {
        if (saved->vectors_size[i] > 0) {
            uintptr_t note = (uintptr_t)sg_machines_here->vector_notes[i];
            struct iovec io = {(void *)(uintptr_t)saved->vectors[i], saved->vectors_size[i]};
            failed |= ptrace(PTRACE_SETREGSET, thread, (void *)note, &io) != 0;
        }
    }
    failed |= sg_tracee_set_registers(thread, saved->registers) != 0;
    uintptr_t note = (uintptr_t)sg_machines_here->system_call_note;
    if (note != 0) {
        int system_call = saved->system_call;
        struct iovec io = {&system_call, sizeof system_call};
        failed |= ptrace(PTRACE_SETREGSET, thread, (void *)note, &io) != 0;
    }
    failed |= set_blocked_signals(thread, &saved->blocked_signals) != 0;
    return failed ? -1 : 0;
}

int sg_tracee_read_memory(pid_t pid, uint64_t address, void *to, size_t size) {
    struct iovec local = {to, size};
    struct iovec remote = {(void *)(uintptr_t)address, size};
    return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -1;
}

int sg_tracee_write_memory(pid_t pid, uint64_t address, const void *from, size_t size) {
    struct iovec local = {(void *)(uintptr_t)from, size};
    struct iovec remote = {(void *)(uintptr_t)address, size};
    return process_vm_writev(pid, &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -1;
}
