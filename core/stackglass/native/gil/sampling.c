/* Looking at who has the GIL: see sampling.h. */
#include "gil/sampling.h"

#include <stdatomic.h>
#include <stddef.h>

#include "contention/contention.h"
#include "cpu/sampler_thread.h"
#include "cpu/stack_request.h"
#include "gil/state.h"
#include "gil/waits.h"
#include "platform/engine_threads.h"
#include "platform/memory.h"
#include "platform/time.h"

enum {
    MOST_LOOKS = 64, /* in a window; as many requests */
    WINDOW_NS = 250 * 1000 * 1000,
    ANSWER_NS = 1000 * 1000 * 1000, /* longer than that nobody waits for an answer */
    UNSEEN_NS = 1000 * 1000 * 1000, /* waited without a look that saw it: <unknown> */
    MOST_TRIES = 100,               /* to find it in the one state or the other */
    TRIES_A_READ = 10,              /* a read without the mutex costs as much as so many tries */
    COST = 100,                     /* a look may take one part in so many of the time */
};

struct look {
    struct sg_stack_request *request; /* NULL = nobody was asked */
    pid_t holder;                     /* or who let go last; 0 = not known */
    uint32_t n_waiting;
    bool is_settled, is_free;
    uint64_t at_ns;
    uint32_t depth;          /* of `frames`, of who let go */
    struct sg_frame *frames; /* (depth_each,), within all_frames */
};

/* Lock-free. `charge` is written before the rate is, while nobody looks. */
static sg_gil_charge_fn *charge;
static _Atomic bool is_found, is_looking;
static _Atomic uint32_t rate_hz;
static _Atomic(const char *) problem; /* constant text, or NULL */
static _Atomic uint64_t n_looks, n_nobody, n_left, n_let_go, n_unanswered, n_waits, waited_ns;
static _Atomic uint64_t free_ns;

/* The attendant's alone. */
static struct look window[MOST_LOOKS];
static struct sg_frame *all_frames; /* (MOST_LOOKS, depth_each): mapped by prepare, NULL = none */
static uint32_t depth_each;
static int n_window;
static uint64_t next_ns, window_ns;  /* when to look again; since when this window */
static uint64_t told_waits, told_ns; /* of all that was waited: charged, or not ours to charge */
static uint64_t random_state = 88172645463325252u;

static uint64_t now(void) { return sg_time_clock_ns(CLOCK_MONOTONIC); }

static uint64_t draw(uint64_t limit) { /* xorshift */
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % limit;
}

/* ---- A look ---- */

/* Who has it; or if nobody has, and that lasts for a moment, who let go of it, and where. Between
 * the two it may be neither: then once more. The state of who has it, or 0. */
static uintptr_t find_holder(struct look *look, uintptr_t gil) {
    for (int i = 0; i < MOST_TRIES; i++) {
        uintptr_t state = sg_gil_state_holder(gil);
        if (state) {
            look->holder = sg_gil_state_tid_of(state);
            return state;
        }
        if (sg_gil_state_freeze(gil)) {
            look->holder = sg_gil_state_last_holder(gil, look->frames, depth_each, &look->depth);
            sg_gil_state_thaw(gil);
            if (look->depth)
                return 0;
        }
        if (i % TRIES_A_READ == 0 &&
            sg_gil_state_read_free(gil, &look->holder, look->frames, depth_each, &look->depth))
            return 0;
    }
    return 0;
}

static void ask_holder(struct look *look, uintptr_t gil, uintptr_t state) {
    look->request =
        sg_stack_request_ask(look->holder, sg_gil_state_owner, (const uintptr_t[2]){gil, state});
    if (look->request)
        return;
    atomic_fetch_add(&n_unanswered, 1);
    if (!sg_stack_request_is_possible(look->holder)) {
        look->frames[0] = (struct sg_frame){SG_SIGNAL_BLOCKED, -1};
        look->depth = 1;
    }
}

static void add_look(const struct sg_gil_account *account) {
    struct look *look = &window[n_window];
    look->request = NULL;
    look->n_waiting = account->n_waiting;
    look->at_ns = now();
    look->depth = 0;
    look->holder = 0;
    uintptr_t state = find_holder(look, account->gil);
    look->is_free = !state;
    if (look->holder && sg_engine_threads_has(look->holder))
        return;
    if (state)
        sg_gil_waits_engine_is_over();
    n_window++;
    atomic_fetch_add(&n_looks, 1);
    atomic_fetch_add(&n_nobody, look->is_free);
    atomic_fetch_add(&n_left, look->depth != 0);
    if (look->holder && !look->is_free)
        ask_holder(look, account->gil, state);
    look->is_settled = !look->request;
}

static void look_at_all(void) {
    struct sg_gil_account account;
    for (size_t i = 0; i < SG_MOST_GILS && n_window < MOST_LOOKS; i++) {
        if (!sg_gil_waits_read(i, &account))
            break;
        if (account.n_waiting)
            add_look(&account);
    }
}

/* ---- A window of looks ---- */

/* What was waited since the last time and is the program's to answer for. */
static bool count_untold(uint64_t *untold_waits, uint64_t *untold_ns) {
    uint64_t waits, ns;
    if (!sg_gil_waits_sum(&waits, &ns))
        return false;
    ns -= sg_gil_waits_engine_ns(ns);
    *untold_waits = waits - told_waits;
    *untold_ns = (int64_t)(ns - told_ns) > 0 ? ns - told_ns : 0; /* while the engine holds it */
    return true;
}

static void tell(pid_t holder, const struct sg_frame *frames, uint32_t depth, uint64_t waits,
                 uint64_t ns) {
    static const struct sg_frame unknown = {SG_UNKNOWN, -1};
    if (!waits && !ns)
        return;
    told_waits += waits;
    told_ns += ns;
    atomic_fetch_add(&n_waits, waits);
    atomic_fetch_add(&waited_ns, ns);
    charge(holder, depth ? frames : &unknown, depth ? depth : 1, waits, (int64_t)ns);
}

static void settle(struct look *look, bool is_last) {
    struct sg_stack_answer answer;
    if (look->is_settled)
        return;
    bool has_answered = sg_stack_request_look(look->request, &answer) && answer.depth;
    look->is_settled = has_answered || is_last || now() - look->at_ns > ANSWER_NS;
    if (!look->is_settled)
        return;
    if (!has_answered)
        atomic_fetch_add(&n_unanswered, 1);
    else if (!answer.is_chosen)
        atomic_fetch_add(&n_let_go, 1);
}

static void tell_look(struct look *look, uint64_t waits, uint64_t ns) {
    struct sg_stack_answer answer = {.frames = look->frames, .depth = look->depth};
    if (look->request && !sg_stack_request_look(look->request, &answer))
        answer.depth = 0;
    if (look->is_free)
        atomic_fetch_add(&free_ns, ns);
    tell(look->holder, answer.frames, answer.depth, waits, ns);
    if (look->request)
        sg_stack_request_drop(look->request);
}

/* `part` of `whole` of a sum: parts that are next to each other add up to it. */
static uint64_t share(uint64_t sum, uint64_t part, uint64_t whole) {
    return (uint64_t)((long double)sum * part / whole);
}

static void close_window(bool is_last) {
    uint64_t waits, ns, weight = 0, passed = 0;
    if (!count_untold(&waits, &ns))
        return;
    for (int i = 0; i < n_window; i++) {
        settle(&window[i], is_last);
        if (window[i].is_settled)
            weight += window[i].n_waiting;
    }
    if (!weight) {
        /* Waited, but always between two looks. */
        if (is_last || now() - window_ns > UNSEEN_NS)
            tell(0, NULL, 0, waits, ns);
        else
            return;
    }
    window_ns = now();
    int n_kept = 0;
    for (int i = 0; i < n_window; i++) {
        if (!window[i].is_settled) {
            struct look kept = window[n_kept]; /* each keeps frames of its own */
            window[n_kept++] = window[i];
            window[i] = kept;
            continue;
        }
        uint64_t after = passed + window[i].n_waiting;
        tell_look(&window[i], share(waits, after, weight) - share(waits, passed, weight),
                  share(ns, after, weight) - share(ns, passed, weight));
        passed = after;
    }
    n_window = n_kept;
}

/* ---- The attendant's part ---- */

/* What is waited up to here is nobody's; what the engine has made others wait since does not
 * begin with a debt. */
static bool begin(void) {
    const char *refusal = sg_gil_waits_lead();
    atomic_store(&problem, refusal);
    told_waits = told_ns = 0;
    if (refusal || !count_untold(&told_waits, &told_ns))
        return false;
    n_window = 0;
    next_ns = window_ns = now();
    random_state ^= next_ns;
    atomic_store(&is_looking, true);
    return true;
}

/* The thread ends, or the rate is 0: charge what is left. */
static void end_looks(void) {
    if (!atomic_load(&is_looking))
        return;
    close_window(true);
    atomic_store(&is_looking, false);
}

/* Look if it is time to. How long until the next time, ns; 0 = never. */
static uint64_t tend_looks(void) {
    uint32_t hz = atomic_load(&rate_hz);
    if (!hz || !atomic_load(&is_found)) {
        end_looks();
        return 0;
    }
    if (!atomic_load(&is_looking) && !begin()) {
        if (atomic_load(&problem))
            atomic_store(&rate_hz, 0);
        return 1000 * 1000;
    }
    uint64_t began_ns = now();
    if (began_ns >= next_ns) {
        uint64_t period_ns = 1000 * 1000 * 1000 / hz,
                 cpu_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        look_at_all();
        if (n_window == MOST_LOOKS || began_ns - window_ns >= WINDOW_NS) {
            close_window(false);
            sg_gil_waits_tend();
        }
        uint64_t rest_ns = COST * (sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
        next_ns = began_ns + period_ns / 2 + draw(period_ns);
        if (next_ns < began_ns + rest_ns)
            next_ns = began_ns + rest_ns;
    }
    uint64_t then_ns = now();
    return next_ns > then_ns ? next_ns - then_ns : 1;
}

static const struct sg_chore CHORE = {tend_looks, end_looks};

/* ---- Its life ---- */

static bool map_frames(void) {
    depth_each = sg_contention_depth;
    all_frames = sg_memory_map(MOST_LOOKS * depth_each * sizeof *all_frames);
    for (int i = 0; all_frames && i < MOST_LOOKS; i++)
        window[i].frames = all_frames + (size_t)i * depth_each;
    return all_frames != NULL;
}

static void unmap_frames(void) {
    sg_memory_unmap(all_frames, MOST_LOOKS * depth_each * sizeof *all_frames);
    all_frames = NULL;
}

static void forget_counts(void) {
    _Atomic uint64_t *const counts[] = {&n_looks,      &n_nobody, &n_left,    &n_let_go,
                                        &n_unanswered, &n_waits,  &waited_ns, &free_ns};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        atomic_store(counts[i], 0);
}

const char *sg_gil_sampling_prepare(sg_gil_charge_fn *charge_with) {
    const char *refusal = sg_gil_state_find();
    if (!all_frames && !map_frames())
        refusal = "there is no memory for the GIL's samples";
    atomic_store(&rate_hz, 0);
    atomic_store(&problem, refusal);
    forget_counts();
    charge = charge_with;
    sg_sampler_thread_set_chore(&CHORE);
    atomic_store(&is_found, !refusal);
    return refusal;
}

void sg_gil_sampling_unprepare(void) {
    atomic_store(&rate_hz, 0);
    atomic_store(&is_found, false);
    sg_gil_waits_restore();
    unmap_frames();
}

void sg_gil_sampling_after_fork_in_child(void) {
    atomic_store(&rate_hz, 0);
    atomic_store(&is_found, false);
    atomic_store(&is_looking, false);
    n_window = 0;
    unmap_frames();
    sg_gil_waits_after_fork_in_child();
}

void sg_gil_sampling_set_rate(uint32_t hz) {
    if (!atomic_load(&is_found))
        return;
    atomic_store(&rate_hz, hz > SG_GIL_MAX_HZ ? SG_GIL_MAX_HZ : hz);
    sg_sampler_thread_wake();
}

void sg_gil_sampling_status(struct sg_gil_status *status) {
    const char *refusal = atomic_load(&problem);
    uint64_t total_waits, total_ns = 0; /* 0: an open span is not counted yet */
    if (!sg_gil_waits_sum(&total_waits, &total_ns))
        total_ns = 0;
    *status = (struct sg_gil_status){
        .hz = atomic_load(&rate_hz),
        .is_looking = atomic_load(&is_looking),
        .source = atomic_load(&is_found) && !refusal ? "each wait timed, holders sampled" : "",
        .problem = refusal ? refusal : "",
        .n_looks = atomic_load(&n_looks),
        .n_nobody = atomic_load(&n_nobody),
        .n_left = atomic_load(&n_left),
        .n_let_go = atomic_load(&n_let_go),
        .n_unanswered = atomic_load(&n_unanswered),
        .n_waits = atomic_load(&n_waits),
        .waited_ns = atomic_load(&waited_ns),
        .free_ns = atomic_load(&free_ns),
        .engine_ns = sg_gil_waits_engine_ns(total_ns),
    };
}
