/* The si_code of a signal shows its origin: it is positive if the kernel reports a fault, and 0 or
 * less if the signal was sent. One sent signal of each number is kept, with its siginfo. */
#include "inject/sent_signals.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N_AT_ONCE = 16 };

static const int faults[SG_N_FAULTS] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};

static int find(int signal) {
    int i = 0;
    while (i < SG_N_FAULTS && faults[i] != signal)
        i++;
    return i;
}

bool sg_sent_signals_is_fault(int signal) { return find(signal) < SG_N_FAULTS; }

bool sg_sent_signals_has_faulted(pid_t thread) {
    siginfo_t infos[N_AT_ONCE];
    struct __ptrace_peeksiginfo_args which = {.off = 0, .flags = 0, .nr = N_AT_ONCE};
    for (;;) {
        long n = ptrace(PTRACE_PEEKSIGINFO, thread, &which, infos);
        for (long i = 0; i < n; i++) {
            if (infos[i].si_code > 0 && sg_sent_signals_is_fault(infos[i].si_signo))
                return true;
        }
        if (n < N_AT_ONCE)
            return false;
        which.off += N_AT_ONCE;
    }
}

bool sg_sent_signals_keep(pid_t thread, int signal, bool is_step, struct sg_saved *saved) {
    siginfo_t info;
    if (ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) != 0 || info.si_code > 0)
        return false; /* the kernel reports a fault */
    if (is_step && signal == SIGTRAP && info.si_code == SI_USER && info.si_pid == 0)
        return false; /* some processors describe the end of a single step like this */
    siginfo_t *kept = &saved->sent[find(signal)];
    if (kept->si_signo == 0) /* a second signal merges with the first, as blocked signals do */
        *kept = info;
    return true;
}

void sg_sent_signals_give_back(pid_t pid, pid_t thread, struct sg_saved *saved) {
    for (int i = 0; i < SG_N_FAULTS; i++) {
        siginfo_t *kept = &saved->sent[i];
        if (kept->si_signo == 0)
            continue;
        /* The kernel does not permit to send the siginfo of a plain kill(): then without it. */
        if (syscall(SYS_rt_tgsigqueueinfo, pid, thread, kept->si_signo, kept) != 0)
            syscall(SYS_tgkill, pid, thread, kept->si_signo);
        kept->si_signo = 0;
    }
}
