/* Random numbers for samplers. Any thread, lock-free, async-signal-safe. */
#ifndef STACKGLASS_PLATFORM_RANDOM_BITS_H
#define STACKGLASS_PLATFORM_RANDOM_BITS_H

#include <stdint.h>

/* 64 of them, the same for equal seeds. */
uint64_t sg_random_bits(void);
void sg_random_bits_seed(uint64_t seed);
/* By a seed of the system's. Not async-signal-safe. */
void sg_random_bits_seed_anew(void);

#endif
