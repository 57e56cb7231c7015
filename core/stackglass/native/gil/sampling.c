/* The states of a sample, and how the time waited is divided among samples.
 *
 *     no thread waits ──▶ no sample
 *     sample ──holder asked by a signal──▶ open ──answer, or a second passed──▶ settled ──▶ charged
 *        └──GIL is free: last holder's stack read───────────────────────────────▲
 *
 * Samples are collected in a window. When the window is full or a quarter of a second old,
 * close_window divides the exact time waited since the last charge among its settled samples, in
 * proportion to the number of threads that waited. Open samples stay for the next window. If no
 * sample was settled for a second, the time goes to <unknown>. Sampling takes at most 1 % of the
 * time: after a round that cost more, the next one is put off. */
#include "gil/sampling.h"

#include <stdatomic.h>
#include <stddef.h>

#include "contention/contention.h"
#include "cpu/sampler_thread.h"
#include "cpu/stack_request.h"
#include "gil/state.h"
#include "gil/waits.h"
#include "labels/labels.h"
#include "platform/engine_threads.h"
#include "platform/memory.h"
#include "platform/permitted_calls.h"
#include "platform/random_bits.h"
#include "platform/time.h"

enum {
    MOST_SAMPLES = 64, /* in a window; also the most open requests */
    WINDOW_NS = 250 * 1000 * 1000,
    ANSWER_NS = 1000 * 1000 * 1000, /* a sample without an answer is settled after this time */
    UNSEEN_NS = 1000 * 1000 * 1000, /* waits without a settled sample go to <unknown> after it */
    MOST_TRIES = 100,               /* attempts to find the GIL held, or to keep it free */
    TRIES_A_READ = 10,              /* a read without the mutex costs as much as so many attempts */
    COST = 100,                     /* sampling may take 1/COST of the time */
};

struct sample {
    struct sg_stack_request *request; /* NULL = no thread was asked */
    uint32_t n_waiting;
    bool is_settled, is_free;
    uint64_t at_ns;
    struct sg_gil_holder holder; /* or the last holder; its `frames` are a row of all_frames */
};

/* Lock-free. `charge` is written before the rate, while the rate is 0. */
static sg_gil_charge_fn *charge;
static _Atomic bool is_found, is_sampling;
static _Atomic uint32_t rate_hz;
static _Atomic(const char *) problem; /* constant text, or NULL */
static _Atomic uint64_t n_samples, n_free, n_last_known, n_released, n_unanswered, n_waits,
    waited_ns;
static _Atomic uint64_t free_ns;

/* Used by the sampler's thread alone. */
static struct sample window[MOST_SAMPLES];
static struct sg_frame *all_frames; /* (MOST_SAMPLES, depth_each): mapped by prepare, NULL = none */
static uint32_t depth_each;
static int n_window;
static uint64_t next_ns, window_ns;        /* when the next sample is due; when the window began */
static uint64_t charged_waits, charged_ns; /* sums up to here are charged, or before the start */

static uint64_t now(void) { return (uint64_t)sg_time_mono_ns(); }

/* ---- A sample ---- */

/* Return the holder's thread state, and set the sample's holder. Returns 0 if the GIL is free, or
 * if its state changes too fast; then the sample gets the last holder and, if they can be read, the
 * last holder's frames. */
static uintptr_t find_holder(struct sample *sample, uintptr_t gil) {
    for (int i = 0; i < MOST_TRIES; i++) {
        uintptr_t state = sg_gil_state_holder(gil);
        if (state) {
            sample->holder.tid = sg_gil_state_tid_of(state);
            return state;
        }
        if (sg_gil_state_freeze(gil)) {
            sg_gil_state_last_holder(gil, &sample->holder);
            sg_gil_state_thaw(gil);
            if (sample->holder.depth)
                return 0;
        }
        if (i % TRIES_A_READ == 0 && sg_gil_state_read_free(gil, &sample->holder))
            return 0;
    }
    return 0;
}

static void ask_holder(struct sample *sample, uintptr_t gil, uintptr_t state) {
    sample->request = sg_stack_request_ask(sample->holder.tid, sg_gil_state_owner,
                                           (const uintptr_t[2]){gil, state});
    if (sample->request)
        return;
    atomic_fetch_add(&n_unanswered, 1);
    if (sg_stack_request_is_refused(sample->holder.tid)) {
        sample->holder.frames[0] = (struct sg_frame){SG_SIGNAL_BLOCKED, -1};
        sample->holder.depth = 1;
    }
}

static void add_sample(const struct sg_gil_account *account) {
    struct sample *sample = &window[n_window];
    sample->request = NULL;
    sample->n_waiting = account->n_waiting;
    sample->at_ns = now();
    sample->holder.depth = 0;
    sample->holder.labels = SG_NO_LABELS;
    sample->holder.tid = 0;
    sg_permitted_calls_check_at((int64_t)sample->at_ns); /* reads of memory may be forbidden */
    uintptr_t state = find_holder(sample, account->gil);
    sample->is_free = !state;
    if (sample->holder.tid && sg_engine_threads_has(sample->holder.tid))
        return;
    if (state)
        sg_gil_waits_program_has(account->gil);
    n_window++;
    atomic_fetch_add(&n_samples, 1);
    atomic_fetch_add(&n_free, sample->is_free);
    atomic_fetch_add(&n_last_known, sample->holder.depth != 0);
    if (sample->holder.tid && !sample->is_free)
        ask_holder(sample, account->gil, state);
    sample->is_settled = !sample->request;
}

static void sample_all(void) {
    struct sg_gil_account account;
    for (size_t i = 0; i < SG_MOST_GILS && n_window < MOST_SAMPLES; i++) {
        bool is_read = sg_gil_waits_read(i, &account);
        if (!account.gil)
            break;
        if (is_read && account.n_waiting)
            add_sample(&account);
    }
}

/* ---- A window of samples ---- */

/* Count the waits of the program's threads for each other since the last charge, and their time.
 * Returns false if a descheduled thread is writing the sums. */
static bool count_uncharged(uint64_t *uncharged_waits, uint64_t *uncharged_ns) {
    struct sg_gil_sums sums;
    if (!sg_gil_waits_sum(&sums))
        return false;
    uint64_t ns = sums.waited_ns - sg_gil_waits_engine_ns(sums.main_ns);
    *uncharged_waits = sums.n_waits - charged_waits;
    *uncharged_ns = (int64_t)(ns - charged_ns) > 0
                        ? ns - charged_ns
                        : 0; /* the engine's part, read later, may have grown past `ns` */
    return true;
}

static void charge_holder(pid_t holder, const struct sg_stack_answer *answer, uint64_t waits,
                          uint64_t ns) {
    static const struct sg_frame unknown = {SG_UNKNOWN, -1};
    if (!waits && !ns)
        return;
    charged_waits += waits;
    charged_ns += ns;
    atomic_fetch_add(&n_waits, waits);
    atomic_fetch_add(&waited_ns, ns);
    if (answer->depth)
        charge(holder, answer->frames, answer->depth, answer->labels, waits, (int64_t)ns);
    else
        charge(holder, &unknown, 1, SG_NO_LABELS, waits, (int64_t)ns);
}

static void settle(struct sample *sample, bool is_last) {
    struct sg_stack_answer answer;
    if (sample->is_settled)
        return;
    bool has_answered = sg_stack_request_look(sample->request, &answer) && answer.depth;
    sample->is_settled = has_answered || is_last || now() - sample->at_ns > ANSWER_NS;
    if (!sample->is_settled)
        return;
    if (!has_answered)
        atomic_fetch_add(&n_unanswered, 1);
    else if (!answer.is_chosen)
        atomic_fetch_add(&n_released, 1);
}

static void charge_sample(struct sample *sample, uint64_t waits, uint64_t ns) {
    struct sg_stack_answer answer = {
        .frames = sample->holder.frames,
        .depth = sample->holder.depth,
        .labels = sample->holder.labels,
    };
    if (sample->request && !sg_stack_request_look(sample->request, &answer))
        answer.depth = 0;
    if (sample->is_free)
        atomic_fetch_add(&free_ns, ns);
    charge_holder(sample->holder.tid, &answer, waits, ns);
    if (sample->request)
        sg_stack_request_drop(sample->request);
}

/* Return sum * part / whole, truncated. The caller takes differences of two results as shares, so
 * that all shares add up to `sum`. */
static uint64_t share(uint64_t sum, uint64_t part, uint64_t whole) {
    return (uint64_t)((long double)sum * part / whole);
}

static void close_window(bool is_last) {
    uint64_t waits, ns, weight = 0, passed = 0;
    if (!count_uncharged(&waits, &ns))
        return;
    for (int i = 0; i < n_window; i++) {
        settle(&window[i], is_last);
        if (window[i].is_settled)
            weight += window[i].n_waiting;
    }
    if (!weight) {
        /* If threads waited, they did so between two samples, or the samples are still open. */
        if (is_last || now() - window_ns > UNSEEN_NS)
            charge_holder(0, &(struct sg_stack_answer){0}, waits, ns);
        else
            return;
    }
    window_ns = now();
    int n_kept = 0;
    for (int i = 0; i < n_window; i++) {
        if (!window[i].is_settled) {
            struct sample kept = window[n_kept]; /* swap: each element owns its row of frames */
            window[n_kept++] = window[i];
            window[i] = kept;
            continue;
        }
        uint64_t after = passed + window[i].n_waiting;
        charge_sample(&window[i], share(waits, after, weight) - share(waits, passed, weight),
                      share(ns, after, weight) - share(ns, passed, weight));
        passed = after;
    }
    n_window = n_kept;
}

/* ---- The chore ---- */

/* Begin to sample; time waited before now counts as charged. Returns false if sampling has not
 * begun: `problem` says why, or, if `problem` is NULL, a later try may succeed. */
static bool begin(void) {
    const char *refusal = sg_gil_waits_redirect();
    atomic_store(&problem, refusal);
    charged_waits = charged_ns = 0;
    if (refusal || !count_uncharged(&charged_waits, &charged_ns))
        return false;
    n_window = 0;
    next_ns = window_ns = now();
    atomic_store(&is_sampling, true);
    return true;
}

/* The thread ends, or the rate is 0: charge what is left. If the sums cannot be read, nothing is
 * charged, but the requests are dropped all the same: there are few, and other profiles need them.
 */
static void end_samples(void) {
    if (!atomic_load(&is_sampling))
        return;
    close_window(true);
    while (n_window) {
        if (window[--n_window].request)
            sg_stack_request_drop(window[n_window].request);
    }
    atomic_store(&is_sampling, false);
}

/* Take a sample if one is due. Returns the ns until the next one; 0 = never. */
static uint64_t maintain_samples(void) {
    uint32_t hz = atomic_load(&rate_hz);
    if (!hz || !atomic_load(&is_found)) {
        end_samples();
        return 0;
    }
    if (!atomic_load(&is_sampling) && !begin()) {
        if (atomic_load(&problem))
            atomic_store(&rate_hz, 0);
        return 1000 * 1000;
    }
    uint64_t began_ns = now();
    if (began_ns >= next_ns) {
        uint64_t period_ns = 1000 * 1000 * 1000 / hz,
                 cpu_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        sample_all();
        if (n_window == MOST_SAMPLES || began_ns - window_ns >= WINDOW_NS) {
            close_window(false);
            sg_gil_waits_maintain();
        }
        uint64_t rest_ns = COST * (sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
        next_ns = began_ns + period_ns / 2 + sg_random_bits() % period_ns;
        if (next_ns < began_ns + rest_ns)
            next_ns = began_ns + rest_ns;
    }
    uint64_t then_ns = now();
    return next_ns > then_ns ? next_ns - then_ns : 1;
}

static const struct sg_chore CHORE = {maintain_samples, end_samples};

/* ---- Lifecycle ---- */

static bool map_frames(void) {
    depth_each = sg_contention_stacks_depth;
    all_frames = sg_memory_map(MOST_SAMPLES * depth_each * sizeof *all_frames);
    for (int i = 0; all_frames && i < MOST_SAMPLES; i++)
        window[i].holder = (struct sg_gil_holder){
            .frames = all_frames + (size_t)i * depth_each,
            .capacity = depth_each,
        };
    return all_frames != NULL;
}

static void unmap_frames(void) {
    SG_MEMORY_DROP(all_frames, MOST_SAMPLES * depth_each * sizeof *all_frames);
}

static void forget_counts(void) {
    _Atomic uint64_t *const counts[] = {&n_samples,    &n_free,  &n_last_known, &n_released,
                                        &n_unanswered, &n_waits, &waited_ns,    &free_ns};
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
    sg_sampler_thread_want_scans(SG_SCANS_FOR_GIL, false);
    atomic_store(&is_found, false);
    sg_gil_waits_restore();
    unmap_frames();
}

void sg_gil_sampling_after_fork_in_child(void) {
    atomic_store(&rate_hz, 0);
    atomic_store(&is_found, false);
    atomic_store(&is_sampling, false);
    n_window = 0;
    unmap_frames();
    sg_gil_waits_after_fork_in_child();
}

void sg_gil_sampling_set_rate(uint32_t hz) {
    if (!atomic_load(&is_found))
        return;
    atomic_store(&rate_hz, hz > SG_GIL_MAX_HZ ? SG_GIL_MAX_HZ : hz);
    sg_sampler_thread_want_scans(SG_SCANS_FOR_GIL, hz != 0);
    sg_sampler_thread_wake();
}

void sg_gil_sampling_status(struct sg_gil_status *status) {
    const char *refusal = atomic_load(&problem);
    struct sg_gil_sums sums;
    if (!sg_gil_waits_sum(&sums))
        sums.main_ns = 0; /* leaves out the engine's hold under way */
    *status = (struct sg_gil_status){
        .hz = atomic_load(&rate_hz),
        .is_sampling = atomic_load(&is_sampling),
        .source = atomic_load(&is_found) && !refusal ? "each wait timed, holders sampled" : "",
        .problem = refusal ? refusal : "",
        .n_samples = atomic_load(&n_samples),
        .n_free = atomic_load(&n_free),
        .n_last_known = atomic_load(&n_last_known),
        .n_released = atomic_load(&n_released),
        .n_unanswered = atomic_load(&n_unanswered),
        .n_waits = atomic_load(&n_waits),
        .waited_ns = atomic_load(&waited_ns),
        .free_ns = atomic_load(&free_ns),
        .engine_ns = sg_gil_waits_engine_ns(sums.main_ns),
    };
}
