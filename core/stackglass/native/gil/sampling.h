/* Who keeps the GIL while others wait for it: looked at so many times a second, at random moments.
 *
 *     gil_waits ── waited so long, exactly ──────────────┐
 *                                                        ▼
 *     look: n threads wait, H has it ──ask H's stack──▶ window of looks ──▶ charge: stacks share
 *                                                                           the time, by their n
 *
 * So the sum is what was waited, to the nanosecond, and how it is distributed over those who held
 * the GIL is sampled: a holder counts by how long it held and how many waited. A holder that has
 * let go before it is asked is charged where it stands then. While nobody has the GIL, since who is
 * to have it has not woken up yet, who let go of it is charged, where it did: its stack is read
 * while the GIL is kept free (state.h). Where that cannot be, and of who does not answer,
 * <unknown> is charged. What the engine's own threads make others wait is left out.
 *
 * Looks are a chore of the sampler's thread, so they go on as long as the sampler is started. */
#ifndef STACKGLASS_GIL_SAMPLING_H
#define STACKGLASS_GIL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"

enum { SG_GIL_DEFAULT_HZ = 100, SG_GIL_MAX_HZ = 1000 };

/* `holder` (0 = nobody) had the GIL with these frames, leaf first, while others waited for
 * `waited_ns` in all; `n_waits` waits of theirs ended. On the attendant's thread. */
typedef void sg_gil_charge_fn(pid_t holder, const struct sg_frame *frames, uint32_t depth,
                              uint64_t n_waits, int64_t waited_ns);

/* Find the GIL. NULL, or one sentence that says why waiting for it is not seen here; the rest of
 * the engine goes on. Caller holds the GIL; sg_cpu_prepare has succeeded. Rate 0. */
const char *sg_gil_sampling_prepare(sg_gil_charge_fn *charge);
/* Everything as it was. The sampler is stopped, so nobody looks. Any thread. */
void sg_gil_sampling_unprepare(void);
void sg_gil_sampling_after_fork_in_child(void);

/* 0 = off … SG_GIL_MAX_HZ. Any thread; acts at once. What was waited before it is switched on is
 * not charged; what was until it is switched off is. */
void sg_gil_sampling_set_rate(uint32_t hz);

struct sg_gil_status {
    uint32_t hz;
    bool is_looking;     /* a rate acts within milliseconds */
    const char *source;  /* "each wait timed, holders sampled", or "" = it is not seen */
    const char *problem; /* "" = none */
    uint64_t n_looks;    /* at which somebody waited */
    uint64_t n_nobody;   /* of these, at which nobody had the GIL … */
    uint64_t n_left;     /* … and it was seen who had let go of it */
    uint64_t n_let_go;   /* of these, whose holder let go before it answered */
    uint64_t n_unanswered;
    uint64_t n_waits;   /* that were charged */
    uint64_t waited_ns; /* that was charged */
    uint64_t free_ns;   /* of this, for what was waited while nobody had it */
    uint64_t engine_ns; /* waited for the engine's threads, and left out */
};
/* Any thread. */
void sg_gil_sampling_status(struct sg_gil_status *status);

#endif
