/* Which waits and releases are kept, and what one that is kept stands for. Pure, but for
 * platform/random_bits.h.
 *
 *     wait ≥ rate: always, for itself            wait d < rate: with chance d/rate, for rate/d
 *     release:     with chance 1/fraction, for `fraction`                                      */
#ifndef STACKGLASS_CONTENTION_SAMPLING_H
#define STACKGLASS_CONTENTION_SAMPLING_H

#include <stdint.h>

/* Each returns how many it stands for; 0 = it is not kept. Rates and fractions of 0 keep nothing.
 */
double sg_contention_sampling_weigh_wait(uint64_t delay_ns, uint64_t rate_ns);
double sg_contention_sampling_weigh_release(uint64_t fraction);

/* The same coin, thrown ahead: how many releases pass before one is kept. `fraction` is not 0. */
uint64_t sg_contention_sampling_draw_passing(uint64_t fraction);

#endif
