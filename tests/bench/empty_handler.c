/* What the machine itself takes for a signal of a perf task clock: a handler that does nothing.
 *
 *     empty_handler HZ
 *
 * Prints the slowdown of a loop in C, and the microseconds that each signal cost. No profiler that
 * is driven by such signals can cost less on this machine; in a virtual one, most of it is the
 * hypervisor's, and it differs from host to host. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, STEPS = 60 * 1000 * 1000 };

static volatile sig_atomic_t n_signals; /* written by the handler of the only thread */

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)number, (void)info, (void)context;
    n_signals++;
}

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double work_s(void) {
    double begin = cpu_s();
    volatile double x = 1;
    for (long i = 0; i < STEPS; i++)
        x = x * 1.0000001;
    return cpu_s() - begin;
}

static int start_clock(long hz) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.sample_period = (unsigned long long)(1000000000L / hz);
    attributes.wakeup_events = 1;
    attributes.exclude_kernel = 1;
    int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -1;
    struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
    fcntl(fd, F_SETSIG, SIGURG);
    fcntl(fd, F_SETOWN_EX, &owner);
    ioctl(fd, PERF_EVENT_IOC_REFRESH, 1 << 30);
    return fd;
}

int main(int count, char **words) {
    long hz = count > 1 ? atol(words[1]) : 0;
    if (hz <= 0)
        return 2;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGURG, &action, NULL);
    double alone = 0, ticked = 0;
    for (int i = 0; i < ROUNDS; i++) {
        alone += work_s();
        int fd = start_clock(hz);
        if (fd < 0) {
            perror("perf_event_open");
            return 1;
        }
        ticked += work_s();
        close(fd);
    }
    printf("%.3f %.1f\n", ticked / alone, n_signals ? (ticked - alone) / n_signals * 1e6 : 0.0);
    return 0;
}
