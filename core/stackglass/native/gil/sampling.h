/* Sampling of the GIL's holder, at random moments, while threads wait for the GIL.
 *
 *     waits.h ── time waited, exact ─────────────────────────────┐
 *                                                                ▼
 *     sample: n threads wait, H has it ──request H's stack──▶ window ──▶ charge
 *
 *     charge of a sample = time waited in the window * n / sum of n over the window's samples
 *
 * So the sum is the exact time waited, and its distribution over holders is sampled. A holder that
 * releases the GIL before it answers is charged at the place where it answers. While the GIL is
 * free because the woken thread has no processor yet, the last holder is charged at the place where
 * it released: its stack is read while the GIL is kept free (state.h). If that fails, or the holder
 * does not answer, <unknown> is charged. Time waited for the engine's own threads is left out.
 *
 * A chore of the sampler's thread, so it runs while the sampler is started. */
#ifndef STACKGLASS_GIL_SAMPLING_H
#define STACKGLASS_GIL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"

enum { SG_GIL_MAX_HZ = 1000 };

/* `holder` (0 = not known) had the GIL with these frames, leaf first, and this label set, while
 * others waited for `waited_ns` in all; `n_waits` of their waits ended. On the sampler's thread. */
typedef void sg_gil_charge_fn(pid_t holder, const struct sg_frame *frames, uint32_t depth,
                              uint32_t labels, uint64_t n_waits, int64_t waited_ns);

/* Find the GIL; the rate is 0 then. Returns NULL, or one sentence that says why waits for it cannot
 * be recorded here; the rest of the engine works without them. Caller holds the GIL; sg_cpu_prepare
 * has succeeded. */
const char *sg_gil_sampling_prepare(sg_gil_charge_fn *charge);
/* Undo prepare. The caller has stopped the sampler. Any thread. */
void sg_gil_sampling_unprepare(void);
/* In a forked child, before fork returns: as unprepare, and all samples are dropped. */
void sg_gil_sampling_after_fork_in_child(void);

/* Samples per second, from 0 (off) to SG_GIL_MAX_HZ. Any thread; acts at once. Only the time waited
 * while the rate is not 0 is charged. */
void sg_gil_sampling_set_rate(uint32_t hz);

struct sg_gil_status {
    uint32_t hz;
    bool is_sampling;      /* follows a change of the rate within milliseconds */
    const char *source;    /* "each wait timed, holders sampled", or "" = waits are not seen */
    const char *problem;   /* "" = none */
    uint64_t n_samples;    /* at which a thread waited */
    uint64_t n_free;       /* of these, with the GIL free … */
    uint64_t n_last_known; /* … and the last holder's stack read */
    uint64_t n_released;   /* of n_samples: the holder released the GIL before it answered */
    uint64_t n_unanswered;
    uint64_t n_waits;   /* that were charged */
    uint64_t waited_ns; /* that was charged */
    uint64_t free_ns;   /* of this, while the GIL was free */
    uint64_t engine_ns; /* waited for the engine's threads, left out */
};
/* Any thread. */
void sg_gil_sampling_status(struct sg_gil_status *status);

#endif
