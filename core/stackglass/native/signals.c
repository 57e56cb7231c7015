/* Claiming a signal and giving it back: see signals.h. */
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "permitted_calls.h"
#include "signal_pipe.h"
#include "tick.h"

/* What a claimed signal did before; written before the handler is installed. One thread. */
static struct sigaction previous[NSIG];

static void on_signal(int signo, siginfo_t *info, void *context) {
    int saved_errno = errno;
    if (!sg_tick_take(info, context)) {
        const struct sigaction *theirs = &previous[signo];
        if (theirs->sa_flags & SA_SIGINFO)
            theirs->sa_sigaction(signo, info, context);
        else if (theirs->sa_handler != SIG_DFL && theirs->sa_handler != SIG_IGN)
            theirs->sa_handler(signo);
    }
    errno = saved_errno;
}

static bool is_unused(const struct sigaction *action) {
    return !(action->sa_flags & SA_SIGINFO) &&
           (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN);
}

static bool is_free(int signo) {
    struct sigaction current;
    return sigaction(signo, NULL, &current) == 0 && is_unused(&current);
}

bool sg_signals_is_default_free(void) { return is_free(SIGURG); }

static bool install(int signo) {
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_signal;
    /* Nothing else runs on top of it, and so nothing can jump out of it. */
    sigfillset(&ours.sa_mask);
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    return sigaction(signo, NULL, &previous[signo]) == 0 && sigaction(signo, &ours, NULL) == 0;
}

int sg_signals_claim(int except) {
    if (except != SIGURG && is_free(SIGURG) && install(SIGURG))
        return SIGURG;
    /* From above: programs count theirs from SIGRTMIN. An ignored one is somebody's wish. */
    for (int signo = SIGRTMAX - 1; signo > SIGRTMIN; signo--) {
        struct sigaction current;
        if (signo != except && sigaction(signo, NULL, &current) == 0 &&
            !(current.sa_flags & SA_SIGINFO) && current.sa_handler == SIG_DFL && install(signo))
            return signo;
    }
    return 0;
}

bool sg_signals_is_ours(int signo) {
    struct sigaction current;
    return sigaction(signo, NULL, &current) == 0 && current.sa_flags & SA_SIGINFO &&
           current.sa_sigaction == on_signal;
}

void sg_signals_release(int signo) {
    struct sigaction ignore;
    if (!signo || !sg_signals_is_ours(signo))
        return;
    /* Ignoring a signal throws away those that wait to be delivered; the default action of a
     * realtime signal would end the process instead. */
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(signo, &ignore, NULL);
    sigaction(signo, &previous[signo], NULL);
}

void sg_signals_send(pid_t tid, int signo, void *pointer) {
    if (!sg_calls_may(SG_CALL_QUEUE_SIGNAL)) {
        sg_signal_pipe_send(tid, signo);
        return;
    }
    siginfo_t info;
    pid_t process = getpid();
    memset(&info, 0, sizeof info);
    info.si_code = SI_QUEUE;
    info.si_pid = process;
    info.si_uid = getuid();
    info.si_value.sival_ptr = pointer;
    syscall(SYS_rt_tgsigqueueinfo, process, tid, signo, &info);
}
