/* The sampler's signal: claiming, sending and releasing it.
 *
 *     claim     free? ─▶ install ─▶ was it still free?    no: the program's action is put back
 *     release   still the engine's? ─▶ ignore it, which discards pending ones ─▶ the former action;
 *               if the program has installed its own meanwhile, that one is put back
 *
 * The handler runs with all signals blocked but 33. No program blocks 32 and not 33: so a thread's
 * mask says whether it is in the handler. */
#include "cpu/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu/signal_pipe.h"
#include "platform/permitted_calls.h"

enum { MOST_FRAME_BYTES = 1 << 14 }; /* from a handler's frame to the kernel's data above it */

/* The previous action of a claimed signal: the default, or to ignore it. Used by one thread at a
 * time. */
static struct sigaction previous[NSIG];
static sg_signal_fn *_Atomic handle; /* lock-free; set before a signal is claimed */

void sg_signals_set_handler(sg_signal_fn *handler) { atomic_store(&handle, handler); }

/* A library that has replaced the handler may call it with one argument only: then `info` is
 * garbage. The kernel's `info` is on this stack, right above the handler's frame. */
static void on_signal(int signo, siginfo_t *info, void *context) {
    int saved_errno = errno;
    (void)signo;
    if ((uintptr_t)info - (uintptr_t)__builtin_frame_address(0) < MOST_FRAME_BYTES)
        atomic_load (&handle)(info, context);
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

/* A process without a controlling terminal gets ENXIO for /dev/tty. */
static bool has_no_terminal(void) {
    int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (terminal >= 0)
        close(terminal);
    return terminal < 0 && errno == ENXIO;
}

static bool install(int signo) {
    struct sigaction action;
    uint64_t mask; /* signals 1 to 64 */
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    /* No other handler runs on top of it, so none can jump out of it. */
    sigfillset(&action.sa_mask); /* but 32 and 33 */
    memcpy(&mask, &action.sa_mask, sizeof mask);
    mask |= SG_SIGNALS_HANDLER_MARK;
    memcpy(&action.sa_mask, &mask, sizeof mask);
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    if (!is_free(signo) || sigaction(signo, &action, &previous[signo]) != 0)
        return false;
    if (is_unused(&previous[signo]))
        return true;
    sigaction(signo, &previous[signo], NULL); /* the program has just installed its own */
    return false;
}

int sg_signals_claim(int except) {
    if (except != SIGURG && install(SIGURG))
        return SIGURG;
    if (except != SIGWINCH && is_free(SIGWINCH) && has_no_terminal() && install(SIGWINCH))
        return SIGWINCH;
    return 0;
}

static bool is_own(const struct sigaction *action) {
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_signal;
}

bool sg_signals_is_installed(int signo) {
    struct sigaction current;
    return sigaction(signo, NULL, &current) == 0 && is_own(&current);
}

void sg_signals_release(int signo) {
    struct sigaction ignore, before, between;
    if (!signo || !sg_signals_is_installed(signo))
        return;
    /* Ignoring a signal discards pending ones. */
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(signo, &ignore, &before);
    sigaction(signo, &previous[signo], &between);
    /* what the program has installed between two of these calls */
    if (!is_unused(&between))
        sigaction(signo, &between, NULL);
    else if (!is_own(&before))
        sigaction(signo, &before, NULL);
}

void sg_signals_send(pid_t tid, int signo, void *pointer) {
    if (!sg_permitted_calls_may_now(SG_CALL_QUEUE_SIGNAL)) {
        if (sg_signal_pipe_open())
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
