/* Perf clock: task-clock events, one for each thread.
 *
 *     arm ──▶ one tick, after a random part of a period (REFRESH 1)
 *                  └──continue──▶ a tick each period ⇄ vary: another period
 *
 * A tick's signal has the event's descriptor: slot_of_fd leads to the slot. Periods are varied so
 * that samples do not fall into step with a cycle of the program. */
#include "cpu/clock_perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu/periods.h"
#include "platform/fd_table.h"
#include "platform/permitted_calls.h"

enum {
    MAX_FDS = 1 << 16,
    /* Events leave so many numbers of the engine's table free: for sockets, and for files that are
     * open for a moment. */
    SPARE_FDS = 32,
    VARIED_AFTER_TICKS = 8,
};

/* Slots by descriptor number. Written under sg_threads_lock, read by handlers. */
static _Atomic(struct sg_slot *) slot_of_fd[MAX_FDS];

struct sg_slot *sg_clock_perf_slot_of(int fd) {
    return fd >= 0 && fd < MAX_FDS ? atomic_load(&slot_of_fd[fd]) : NULL;
}

void sg_clock_perf_forget(void) {
    for (int fd = 0; fd < MAX_FDS; fd++) {
        if (atomic_load_explicit(&slot_of_fd[fd], memory_order_relaxed))
            atomic_store(&slot_of_fd[fd], NULL);
    }
}

static int open_event(pid_t tid, bool with_kernel, uint64_t period_ns) {
    struct perf_event_attr event = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof event,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = period_ns,
        .wakeup_events = 1,
        .disabled = 1,
        .exclude_kernel = !with_kernel,
        .exclude_hv = !with_kernel,
    };
    return (int)syscall(SYS_perf_event_open, &event, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

const char *sg_clock_perf_check(bool with_kernel) {
    if (!sg_permitted_calls_may_now(SG_CALL_PERF))
        return "a system call filter (seccomp) of the program may forbid perf events";
    if (sg_fd_table_is_shared())
        return "a system call filter (seccomp) forbids the descriptor table of its own that the "
               "engine needs for perf events";
    int fd = open_event(0, with_kernel, 1000 * 1000);
    if (fd >= 0) {
        close(fd);
        return NULL;
    }
    if (errno == EACCES || errno == EPERM)
        return "the system does not permit perf events here (kernel.perf_event_paranoid, seccomp)";
    return "the system has no perf events";
}

/* Whether a descriptor is so far below the limit of open files (RLIMIT_NOFILE) that SPARE_FDS are
 * left. */
static bool leaves_spare(int fd) {
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, fd + SPARE_FDS);
    if (higher >= 0)
        close(higher);
    return higher >= 0;
}

bool sg_clock_perf_arm(struct sg_slot *slot, bool with_kernel, uint64_t first_ns,
                       uint64_t period_ns, int signo) {
    pid_t tid = atomic_load(&slot->tid);
    if (!sg_permitted_calls_may_now(SG_CALL_PERF))
        return false; /* the program has installed a filter since */
    int fd = open_event(tid, with_kernel, first_ns);
    if (fd < 0)
        return false;
    struct f_owner_ex owner = {F_OWNER_TID, tid};
    if (fd >= MAX_FDS || !leaves_spare(fd) || fcntl(fd, F_SETOWN_EX, &owner) != 0 ||
        fcntl(fd, F_SETSIG, signo) != 0 || fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) != 0) {
        close(fd);
        return false;
    }
    slot->perf_fd = fd;
    atomic_store(&slot_of_fd[fd], slot);
    if (first_ns == period_ns)
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    else
        ioctl(fd, PERF_EVENT_IOC_REFRESH, 1); /* one tick, then wait for the full period */
    return true;
}

void sg_clock_perf_continue(struct sg_slot *slot, uint64_t period_ns) {
    if (slot->perf_fd < 0)
        return;
    ioctl(slot->perf_fd, PERF_EVENT_IOC_PERIOD, &period_ns);
    ioctl(slot->perf_fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* A new period discards the elapsed part of the present one, half a period on average. To keep the
 * rate, the new period is a little shorter; and where a tick stands for its period, the lost half
 * is added to the next tick. */
void sg_clock_perf_vary_period(struct sg_slot *slot, uint64_t period_ns) {
    uint32_t n_ticks = atomic_load(&slot->n_ticks), n = n_ticks - slot->varied_ticks;
    if (slot->perf_fd == SG_NO_FD || n < VARIED_AFTER_TICKS)
        return;
    uint64_t before_ns = atomic_load(&slot->period_ns);
    /* The rate is drawn uniformly, because each draw holds for the same time. */
    uint64_t drawn_ns = period_ns * period_ns / sg_periods_draw_about(period_ns);
    drawn_ns = drawn_ns * 2 * n / (2 * n + 1);
    if (drawn_ns < SG_SHORTEST_PERIOD_NS)
        drawn_ns = SG_SHORTEST_PERIOD_NS;
    slot->varied_ticks = n_ticks;
    ioctl(slot->perf_fd, PERF_EVENT_IOC_PERIOD, &drawn_ns);
    atomic_fetch_add(&slot->owed_ns, before_ns / 2);
    atomic_store(&slot->period_ns, drawn_ns);
}

void sg_clock_perf_set_signal(struct sg_slot *slot, int signo) {
    if (slot->perf_fd >= 0)
        fcntl(slot->perf_fd, F_SETSIG, signo);
}

void sg_clock_perf_disarm(struct sg_slot *slot) {
    if (slot->perf_fd < 0)
        return;
    ioctl(slot->perf_fd, PERF_EVENT_IOC_DISABLE, 0);
    atomic_store(&slot_of_fd[slot->perf_fd], NULL);
    close(slot->perf_fd);
    slot->perf_fd = SG_NO_FD;
}
