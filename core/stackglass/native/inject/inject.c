/* The search for a thread that may be used, at a moment at which it may be used (rules.h).
 *
 *     each thread, in turn: seize ─▶ stop ─▶ fit? ─yes─▶ visit.h ─▶ detach: done
 *                                      ▲      └─no─▶ go on ─▶ nap ─┐
 *                                      └── up to 16 stops a turn ──┘
 *     then all threads again, until the time-out; up to six times as long if threads wait for a
 *     processor
 *
 * A thread that does not stop in time stays seized: its stop may still come, at its next turn or
 * during a call in another thread (tracee.c). */
#include "inject/inject.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>

#include "inject/machines.h"
#include "inject/progress.h"
#include "inject/rules.h"
#include "inject/sent_signals.h"
#include "inject/sequences.h"
#include "inject/tracee.h"
#include "inject/visit.h"

enum {
    STOP_TIMEOUT_NS = 50 * 1000 * 1000,
    SHORTEST_NAP_NS = 50 * 1000,
    LONGEST_NAP_NS = 500 * 1000,
    LONGER_NAP_NS = 4 * 1000 * 1000, /* after MANY_REFUSALS: the thread may lack a processor */
    MANY_REFUSALS = 64,
    TRIES_A_TURN = 16,     /* stops of a thread before another thread is tried */
    HANDLER_PATIENCE = 12, /* stops of a turn; see may_be_in_handler */
    STARVED_TIMES = 6,     /* times the time-out, if threads wait for a processor */
};

/* One thread's turn: what its stops have shown. */
struct turn {
    uint8_t registers[SG_REGISTERS_MAX]; /* at the last stop that n_blocking counts */
    int n_blocking;                      /* stops at which a handled signal was blocked */
};

/* Has the thread run since its last stop in this turn, or does it wait in the kernel? Otherwise it
 * has not moved, because it had no processor. */
static bool has_moved(struct turn *turn, const uint8_t *registers) {
    const struct sg_machine *machine = sg_machines_here;
    if (memcmp(turn->registers, registers, machine->registers_size) != 0) {
        memcpy(turn->registers, registers, machine->registers_size);
        return true;
    }
    return !machine->has_system_call_number ||
           (int64_t)sg_machine_get_register(registers, machine->system_call) >= 0;
}

/* May the thread be in a signal handler? The handler may have interrupted malloc, whose lock is
 * then held although the thread is outside the C library. While a handler runs, its signal is
 * blocked. Handlers last microseconds: a thread that blocks the signal for longer is not in a
 * handler. */
static bool may_be_in_handler(const struct sg_visit *visit, struct turn *turn,
                              const uint8_t *registers) {
    uint64_t blocked = 0;
    if (sg_tracee_get_blocked_signals(visit->thread, &blocked) != 0) {
        return true;
    }
    if ((blocked & visit->injection->caught_signals) == 0) {
        return false;
    }
    turn->n_blocking += has_moved(turn, registers);
    return turn->n_blocking <= HANDLER_PATIENCE;
}

static bool is_fit(const struct sg_visit *visit, struct turn *turn) {
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
           !sg_sequences_is_inside(visit->injection->pid, visit->thread, at) &&
           !sg_sent_signals_has_faulted(visit->thread) &&
           !may_be_in_handler(visit, turn, registers);
}

/* Return the pause before the next stop: short at first, because most threads reach a good moment
 * soon, and longer later, because on a busy machine the thread may not have run in between. */
static int64_t nap_ns(int n_refusals) {
    if (n_refusals > MANY_REFUSALS) {
        return LONGER_NAP_NS;
    }
    int64_t ns = (int64_t)SHORTEST_NAP_NS * (n_refusals + 1);
    return ns > LONGEST_NAP_NS ? LONGEST_NAP_NS : ns;
}

/* Results of try_thread for a thread that was not used. */
enum {
    TRY_UNFIT = -1,  /* stopped, but never at a good moment */
    TRY_STUCK = -2,  /* did not stop in time: in uninterruptible sleep, or without a processor */
    TRY_DENIED = -3, /* may not be traced */
    TRY_GONE = -4,   /* has ended */
};

/* Ask for a stop, unless an earlier turn has asked and the stop has not come yet, and wait for it.
 * A thread that waits for a processor may need more than one turn, so a late stop is used like any
 * other. */
static enum sg_stop stop_once(pid_t thread, bool *is_asked) {
    int64_t deadline_ns = sg_tracee_now_ns() + STOP_TIMEOUT_NS;
    bool was_asked = *is_asked;
    *is_asked = false;
    return was_asked ? sg_tracee_await_stop(thread, deadline_ns)
                     : sg_tracee_stop_thread(thread, deadline_ns);
}

static void note_calls(const struct sg_visit *visit, bool are_under_way) {
    __atomic_store_n(&visit->result->is_calling, are_under_way, __ATOMIC_RELEASE);
    if (visit->injection->n_calling != NULL) {
        __atomic_add_fetch(visit->injection->n_calling, are_under_way ? 1 : -1, __ATOMIC_ACQ_REL);
    }
}

/* Stop one thread a few times to find a good moment. Returns an enum sg_injection_status if the
 * thread was used, or if no other thread need be tried; otherwise a TRY_ value. */
static int try_thread(struct sg_visit *visit, int64_t start_ns, int64_t deadline_ns) {
    pid_t thread = visit->thread;
    struct turn turn = {.n_blocking = 0};
    bool is_asked = sg_tracee_is_held(thread);
    if (!is_asked && ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) {
        return errno == ESRCH ? TRY_GONE : TRY_DENIED;
    }
    for (int i = 1;; i++) {
        enum sg_stop stop = stop_once(thread, &is_asked);
        if (stop == SG_STOP_GONE) {
            return TRY_GONE;
        }
        if (stop == SG_STOP_TIMEOUT) {
            return TRY_STUCK; /* a late stop is used at the thread's next turn; if it comes during a
                                 call in another thread, the thread is released */
        }
        if (stop == SG_STOP_GROUP) {
            ptrace(PTRACE_DETACH, thread, NULL, NULL);
            return sg_visit_finish(visit, SG_INJECT_STOPPED, 0, NULL);
        }
        int64_t stopped_ns = sg_tracee_now_ns();
        if (is_fit(visit, &turn)) {
            visit->result->search_ns = stopped_ns - start_ns;
            __atomic_store_n(&visit->result->thread, thread, __ATOMIC_RELAXED);
            note_calls(visit, true);
            int status = sg_visit_run(visit);
            ptrace(PTRACE_DETACH, thread, NULL, NULL);
            note_calls(visit, false);
            visit->result->stop_ns = sg_tracee_now_ns() - stopped_ns;
            return status;
        }
        int64_t nap = nap_ns(visit->result->n_refusals++);
        if (i == TRIES_A_TURN || stopped_ns >= deadline_ns) {
            ptrace(PTRACE_DETACH, thread, NULL, NULL);
            return TRY_UNFIT;
        }
        ptrace(PTRACE_CONT, thread, NULL, NULL);
        sg_tracee_pause_ns(nap);
    }
}

/* Were there only a few stops, because threads wait for a processor? */
static bool is_starved(const struct sg_visit *visit) {
    const struct sg_injection *injection = visit->injection;
    bool wants_processor = false;
    for (size_t i = 0; i < injection->n_threads && !wants_processor; i++) {
        wants_processor = sg_progress_wants_processor(injection->pid, injection->threads[i]);
    }
    return wants_processor && visit->result->n_refusals < MANY_REFUSALS;
}

static int search(struct sg_visit *visit) {
    const struct sg_injection *injection = visit->injection;
    int64_t start_ns = sg_tracee_now_ns(), now_ns;
    int64_t deadline_ns = start_ns + injection->timeout_ns;
    int64_t last_ns = start_ns + STARVED_TIMES * injection->timeout_ns;
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
        now_ns = sg_tracee_now_ns();
    } while (now_ns < deadline_ns || (now_ns < last_ns && is_starved(visit)));
    return SG_INJECT_NO_THREAD;
}

void sg_inject(const struct sg_injection *injection, struct sg_injection_result *result) {
    struct sg_visit visit = {.injection = injection, .result = result};
    int status = sg_machines_here == NULL
                     ? sg_visit_finish(&visit, SG_INJECT_SYSTEM, ENOSYS, "no such processor")
                     : search(&visit);
    __atomic_store_n(&result->status, status, __ATOMIC_RELEASE);
}
