/* GIL sampling: the GIL's holder while threads wait for the GIL, sampled at random moments.
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
 * does not answer, <unknown> is charged; if the holder must not get the signal, <signal blocked>.
 * Time waited for the engine's own threads is left out.
 *
 * The sampling is a chore of the sampler's thread (cpu/sampler_thread.h), so it runs only while
 * that thread does. */
#ifndef STACKGLASS_GIL_SAMPLING_H
#define STACKGLASS_GIL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"

enum { SG_GIL_MAX_HZ = 1000 };

/* Receives a charge, on the sampler's thread: `holder` (0 = not known) had the GIL with these
 * frames, leaf first, and this label set, while other threads waited for `waited_ns` in all;
 * `n_waits` of their waits ended. */
typedef void sg_gil_charge_fn(pid_t holder, const struct sg_frame *frames, uint32_t depth,
                              uint32_t labels, uint64_t n_waits, int64_t waited_ns);

/* Find the GIL and set the rate to 0. Returns NULL, or one sentence that says why waits for the GIL
 * cannot be recorded here; the rest of the engine works without them. The caller holds the GIL;
 * sg_cpu_prepare has succeeded. */
const char *sg_gil_sampling_prepare(sg_gil_charge_fn *charge);
/* Undo sg_gil_sampling_prepare. The caller has stopped the sampler. Any thread. */
void sg_gil_sampling_unprepare(void);
/* In a forked child, before fork returns: as sg_gil_sampling_unprepare, and drop all samples. */
void sg_gil_sampling_after_fork_in_child(void);

/* Set the samples per second, from 0 (off) to SG_GIL_MAX_HZ, with immediate effect. Only the time
 * waited while the rate is not 0 is charged. Any thread. */
void sg_gil_sampling_set_rate(uint32_t hz);

struct sg_gil_status {
    uint32_t hz;
    bool is_sampling;      /* follows a change of the rate within milliseconds */
    const char *source;    /* "each wait timed, holders sampled", or "" = waits are not seen */
    const char *problem;   /* "" = none */
    uint64_t n_samples;    /* samples at which a thread waited */
    uint64_t n_free;       /* of n_samples: the GIL was free, or changed hands too fast */
    uint64_t n_last_known; /* of n_free: the last holder's stack could be read */
    uint64_t n_released;   /* of n_samples: the holder released the GIL before it answered */
    uint64_t n_unanswered; /* of n_samples: the holder was not asked, or did not answer */
    uint64_t n_waits;      /* waits that were charged */
    uint64_t waited_ns;    /* time waited that was charged */
    uint64_t free_ns;      /* of waited_ns: time in which the GIL was free */
    uint64_t engine_ns;    /* time waited for the engine's threads, which is not charged */
};
/* Fill in `status`. Any thread. */
void sg_gil_sampling_status(struct sg_gil_status *status);

#endif
