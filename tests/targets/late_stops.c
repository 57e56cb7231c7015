/* The injector's search against a kernel of its own, with a clock that only its naps move.
 *
 * One thread, with a story that is the program's argument. Prints the status, the time of the
 * search in ms, how often a stop was asked for, and how often the thread was looked at; of the
 * story "child" how a wait ended, and the children of other threads that it took. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "inject/inject.h"
#include "inject/machines.h"
#include "inject/progress.h"
#include "inject/tracee.h"
#include "inject/visit.h"

enum { THREAD = 42, CHILD = 77, MS = 1000 * 1000, HANDLED = 1 << (SIGUSR2 - 1) };

static struct {
    int64_t delay_ns;     /* from a request to its stop */
    bool wants_processor; /* meanwhile */
    bool blocks;          /* a signal with a handler */
    int n_looks_in_place; /* looks at which it stands where it stood */
} story;

static int64_t now_ns = 1, asked_ns;
static bool is_seized, is_asked, is_stopped;
static int n_requests, n_looks, n_children;

int clock_gettime(clockid_t clock, struct timespec *time) {
    now_ns += 1000;
    *time = (struct timespec){now_ns / 1000000000, now_ns % 1000000000};
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    now_ns += time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
    return 0;
}

static long look(struct iovec *io) {
    int64_t place = ++n_looks > story.n_looks_in_place ? n_looks : 0;
    const int64_t no_call = -1;
    memset(io->iov_base, 0, io->iov_len);
    memcpy((char *)io->iov_base + sg_machines_here->stack_pointer, &place, sizeof place);
    if (sg_machines_here->has_system_call_number)
        memcpy((char *)io->iov_base + sg_machines_here->system_call, &no_call, sizeof no_call);
    return 0;
}

long ptrace(enum __ptrace_request request, ...) {
    va_list arguments;
    va_start(arguments, request);
    va_arg(arguments, pid_t);
    va_arg(arguments, void *);
    void *data = va_arg(arguments, void *);
    va_end(arguments);
    const int64_t mask = story.blocks ? HANDLED : 0;
    switch ((int)request) {
    case PTRACE_SEIZE:
        errno = EPERM;
        if (is_seized)
            return -1;
        is_seized = true;
        return 0;
    case PTRACE_INTERRUPT:
        n_requests++;
        is_asked = true;
        asked_ns = now_ns;
        return 0;
    case PTRACE_GETREGSET:
        return look(data);
    case PTRACE_GETSIGMASK:
        memcpy(data, &mask, sizeof mask);
        return 0;
    case PTRACE_CONT:
        is_stopped = false;
        return 0;
    case PTRACE_DETACH:
        is_seized = is_asked = is_stopped = false;
        return 0;
    default:
        return 0;
    }
}

static bool has_stopped(void) { return is_asked && now_ns >= asked_ns + story.delay_ns; }

pid_t waitpid(pid_t pid, int *status, int options) {
    if (pid == -1 && !(options & __WNOTHREAD) && n_children++ == 0) {
        *status = 0;
        return CHILD; /* of another thread, which will not hear of its end */
    }
    errno = ECHILD;
    if (!is_seized)
        return -1;
    if (!has_stopped())
        return 0;
    is_asked = false;
    is_stopped = true;
    *status = PTRACE_EVENT_STOP << 16 | SIGTRAP << 8 | 0x7f;
    return THREAD;
}

int waitid(idtype_t type, id_t id, siginfo_t *info, int options) {
    errno = ECHILD;
    return is_seized ? 0 : -1;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n_to,
                         const struct iovec *from, unsigned long n_from, unsigned long flags) {
    return (ssize_t)to->iov_len;
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *from, unsigned long n_from,
                          const struct iovec *to, unsigned long n_to, unsigned long flags) {
    return (ssize_t)from->iov_len;
}

bool sg_progress_wants_processor(pid_t pid, pid_t thread) { return story.wants_processor; }

int sg_visit_run(struct sg_visit *visit) { return is_stopped ? SG_INJECT_DONE : SG_INJECT_FAULT; }

int sg_visit_finish(struct sg_visit *visit, enum sg_injection_status status, int error,
                    const char *text) {
    return status;
}

static bool tell(const char *name) {
    const struct {
        const char *name;
        int64_t delay_ms;
        bool wants_processor, blocks;
        int n_looks_in_place;
    } stories[] = {
        {"late", 200, true, false, 0},          {"starved", 8000, true, false, 0},
        {"unstoppable", 8000, false, false, 0}, {"handler", 1, true, true, 30},
        {"blocks", 1, true, true, 0},
    };
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
        if (strcmp(name, stories[i].name) == 0) {
            story.delay_ns = stories[i].delay_ms * MS;
            story.wants_processor = stories[i].wants_processor;
            story.blocks = stories[i].blocks;
            story.n_looks_in_place = stories[i].n_looks_in_place;
            return true;
        }
    return false;
}

int main(int n, char **words) {
    if (n == 2 && strcmp(words[1], "child") == 0) {
        int signal = 0;
        is_seized = is_asked = true;
        int stop = sg_tracee_wait_stop(THREAD, SG_NO_TIMEOUT, &signal);
        printf("%d %d\n", stop, n_children);
        return 0;
    }
    if (n != 2 || !tell(words[1]))
        return 2;
    const pid_t threads[] = {THREAD};
    const struct sg_injection injection = {
        .pid = THREAD,
        .threads = threads,
        .n_threads = 1,
        .caught_signals = HANDLED,
        .timeout_ns = INT64_C(5000) * MS,
    };
    struct sg_injection_result result = {0};
    int64_t began_ns = now_ns;
    sg_inject(&injection, &result);
    printf("%d %d %d %d\n", result.status, (int)((now_ns - began_ns) / MS), n_requests, n_looks);
    return 0;
}
