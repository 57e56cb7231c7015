/* Sampling of waits and releases. Pure, but for platform/random_bits.h.
 *
 *     wait d >= rate     kept, stands for 1
 *     wait d <  rate     kept with chance d/rate, stands for rate/d
 *     release            kept with chance 1/fraction, stands for `fraction` */
#ifndef STACKGLASS_CONTENTION_SAMPLING_H
#define STACKGLASS_CONTENTION_SAMPLING_H

#include <stdint.h>

/* How many waits or releases this one stands for; 0 = it is not kept. Rate 0 keeps none. */
double sg_contention_sampling_weigh_wait(uint64_t delay_ns, uint64_t rate_ns);
double sg_contention_sampling_weigh_release(uint64_t fraction);

/* The same, drawn in advance: how many releases pass before one is kept. `fraction` > 0. */
uint64_t sg_contention_sampling_draw_passing(uint64_t fraction);

#endif
