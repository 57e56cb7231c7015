/* Search for a thread that may be used, at a moment when it may. */
#include "inject/inject.h"

#include <errno.h>
#include <sys/ptrace.h>

#include "inject/machines.h"
#include "inject/rules.h"
#include "inject/tracee.h"
#include "inject/visit.h"

enum {
    STOP_TIMEOUT_NS = 50 * 1000 * 1000,
    SHORTEST_NAP_NS = 50 * 1000,
    LONGEST_NAP_NS = 500 * 1000,
    LONGER_NAP_NS = 4 * 1000 * 1000, /* on a machine where others run first */
    MANY_REFUSALS = 64,
    TRIES_A_TURN = 8,      /* before another thread is tried */
    HANDLER_PATIENCE = 12, /* stops; see may_be_in_handler */
};

/* May the thread be in a signal handler? The handler may have interrupted malloc, whose lock is
 * then held although the thread stands outside the C library. A handler's own signal is blocked
 * while it runs. Handlers last microseconds: a thread that blocks the signal for longer is not in
 * one. */
static bool may_be_in_handler(const struct sg_visit *visit) {
    uint64_t blocked = 0;
    if (sg_tracee_get_blocked_signals(visit->thread, &blocked) != 0) {
        return true;
    }
    return (blocked & visit->injection->caught_signals) != 0 &&
           visit->result->n_refusals < HANDLER_PATIENCE;
}

static bool is_fit(struct sg_visit *visit) {
    const struct sg_machine *machine = sg_machines_here;
    uint8_t registers[SG_REGISTERS_MAX];
    if (sg_tracee_get_registers(visit->thread, registers) != 0) {
        return false;
    }
    uint64_t at = sg_machine_get_register(registers, machine->program_counter);
    size_t size = machine->system_call_instruction_size;
    uint8_t code[2 * sizeof machine->system_call_instruction] = {0};
    if (sg_tracee_read_memory(visit->injection->pid, at - size, code, 2 * size) != 0) {
        /* The next bytes may be on a page that cannot be read. */
        sg_tracee_read_memory(visit->injection->pid, at - size, code, size);
    }
    return sg_rules_may_inject(machine, registers, code, visit->injection->ranges,
                               visit->injection->n_ranges) &&
           !may_be_in_handler(visit);
}

/* Pause before the next stop. Short at first, because most threads reach a good moment soon; longer
 * later, because on a busy machine the thread may not have run in between. */
static int64_t nap_ns(int n_refusals) {
    if (n_refusals > MANY_REFUSALS) {
        return LONGER_NAP_NS;
    }
    int64_t ns = (int64_t)SHORTEST_NAP_NS * (n_refusals + 1);
    return ns > LONGEST_NAP_NS ? LONGEST_NAP_NS : ns;
}

/* Results for a thread that was not used. */
enum {
    TRY_UNFIT = -1,  /* stopped, but never at a good moment */
    TRY_STUCK = -2,  /* does not stop: in uninterruptible sleep */
    TRY_DENIED = -3, /* may not be traced */
    TRY_GONE = -4,   /* has ended */
};

static int seize(pid_t thread) {
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) == 0) {
        return 0;
    }
    if (errno == ESRCH) {
        return TRY_GONE;
    }
    /* This tracer may hold the thread since an earlier turn, in which it did not stop. If it has
     * stopped now, detach: the next turn can use it. */
    int error = errno, signal = 0;
    switch (sg_tracee_wait_stop(thread, sg_tracee_now_ns(), &signal)) {
    case SG_STOP_GONE:
        errno = error;
        return TRY_DENIED;
    case SG_STOP_TIMEOUT:
        return TRY_STUCK;
    case SG_STOP_SIGNAL:
        ptrace(PTRACE_DETACH, thread, NULL, (void *)(intptr_t)signal);
        return TRY_UNFIT;
    default:
        ptrace(PTRACE_DETACH, thread, NULL, NULL);
        return TRY_UNFIT;
    }
}

/* Stop one thread a few times to find a good moment. Returns enum sg_injection_status if it was
 * used, or if no other thread need be tried; else a TRY_ value. */
static int try_thread(struct sg_visit *visit, int64_t start_ns, int64_t deadline_ns) {
    pid_t thread = visit->thread;
    int failure = seize(thread);
    if (failure != 0) {
        return failure;
    }
    for (int i = 0; i < TRIES_A_TURN && sg_tracee_now_ns() < deadline_ns; i++) {
        enum sg_stop stop = sg_tracee_stop_thread(thread, sg_tracee_now_ns() + STOP_TIMEOUT_NS);
        if (stop == SG_STOP_GONE) {
            return TRY_GONE;
        }
        if (stop == SG_STOP_TIMEOUT) {
            return TRY_STUCK; /* released at its next turn, or when it stops during a call in
                                 another */
        }
        if (stop == SG_STOP_GROUP) {
            ptrace(PTRACE_DETACH, thread, NULL, NULL);
            return sg_visit_finish(visit, SG_INJECT_STOPPED, 0, NULL);
        }
        int64_t stopped_ns = sg_tracee_now_ns();
        if (is_fit(visit)) {
            visit->result->thread = thread;
            visit->result->search_ns = stopped_ns - start_ns;
            int status = sg_visit_run(visit);
            ptrace(PTRACE_DETACH, thread, NULL, NULL);
            visit->result->stop_ns = sg_tracee_now_ns() - stopped_ns;
            return status;
        }
        ptrace(PTRACE_CONT, thread, NULL, NULL);
        sg_tracee_pause_ns(nap_ns(visit->result->n_refusals++));
    }
    /* The thread is running, and only a stopped thread can be detached. */
    switch (sg_tracee_stop_thread(thread, sg_tracee_now_ns() + STOP_TIMEOUT_NS)) {
    case SG_STOP_GONE:
        return TRY_GONE;
    case SG_STOP_TIMEOUT:
        return TRY_STUCK;
    default:
        ptrace(PTRACE_DETACH, thread, NULL, NULL);
        return TRY_UNFIT;
    }
}

static int search(struct sg_visit *visit) {
    const struct sg_injection *injection = visit->injection;
    int64_t start_ns = sg_tracee_now_ns();
    int64_t deadline_ns = start_ns + injection->timeout_ns;
    do {
        size_t n_gone = 0, n_denied = 0;
        int error = 0;
        for (size_t i = 0; i < injection->n_threads; i++) {
            visit->thread = injection->threads[i];
            int came = try_thread(visit, start_ns, deadline_ns);
            if (came >= 0) {
                return came;
            }
            n_gone += came == TRY_GONE;
            if (came == TRY_DENIED) {
                error = errno;
                n_denied++;
            }
        }
        if (n_gone == injection->n_threads) {
            return SG_INJECT_GONE;
        }
        if (n_gone + n_denied == injection->n_threads) {
            return sg_visit_finish(visit, SG_INJECT_NOT_ALLOWED, error, NULL);
        }
    } while (sg_tracee_now_ns() < deadline_ns);
    return SG_INJECT_NO_THREAD;
}

void sg_inject(const struct sg_injection *injection, struct sg_injection_result *result) {
    struct sg_visit visit = {.injection = injection, .result = result};
    int status = sg_machines_here == NULL
                     ? sg_visit_finish(&visit, SG_INJECT_SYSTEM, ENOSYS, "no such processor")
                     : search(&visit);
    __atomic_store_n(&result->status, status, __ATOMIC_RELEASE);
}
