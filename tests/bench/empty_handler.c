/* What the machine itself takes for a signal of a perf task clock: a handler that does nothing.
 *
 *     LD_PRELOAD=empty_handler.so EMPTY_HANDLER_HZ=1000 python …      SIGUSR1 starts, SIGUSR2 stops
 *
 * Preloaded into the very program that is profiled, since most of the price is what the kernel's
 * way to a handler and back leaves of the caches, and in a virtual machine the hypervisor's. No
 * profiler that is driven by such signals can cost less here. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int event = -1; /* the main thread's, in handlers that do not interrupt each other */
static long hz;

static void on_tick(int number, siginfo_t *info, void *context) {
    (void)number, (void)info, (void)context;
}

static void on_start(int number) {
    struct perf_event_attr attributes;
    struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    (void)number;
    if (event >= 0)
        return;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.sample_period = (unsigned long long)(1000000000L / hz);
    attributes.wakeup_events = 1;
    attributes.disabled = 1;
    event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event < 0) { /* an ordinary user may not see the kernel's part */
        attributes.exclude_kernel = 1;
        event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    if (event < 0)
        _exit(70);
    fcntl(event, F_SETOWN_EX, &owner);
    fcntl(event, F_SETSIG, SIGURG);
    fcntl(event, F_SETFL, O_ASYNC | O_NONBLOCK);
    ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
}

static void on_stop(int number) {
    (void)number;
    if (event >= 0)
        close(event);
    event = -1;
}

__attribute__((constructor)) static void prepare(void) {
    const char *asked = getenv("EMPTY_HANDLER_HZ");
    struct sigaction tick = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction start = {.sa_handler = on_start, .sa_flags = SA_RESTART};
    struct sigaction stop = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    hz = asked ? atol(asked) : 0;
    if (hz <= 0)
        return;
    sigfillset(&tick.sa_mask);
    sigfillset(&start.sa_mask);
    sigfillset(&stop.sa_mask);
    sigaction(SIGURG, &tick, NULL);
    sigaction(SIGUSR1, &start, NULL);
    sigaction(SIGUSR2, &stop, NULL);
}
