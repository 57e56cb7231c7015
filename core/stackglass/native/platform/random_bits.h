/* Random numbers for samplers. Any thread, lock-free, async-signal-safe. */
#ifndef STACKGLASS_PLATFORM_RANDOM_BITS_H
#define STACKGLASS_PLATFORM_RANDOM_BITS_H

#include <stdint.h>

/* Return 64 random bits. Equal seeds give the same sequence. */
uint64_t sg_random_bits(void);
void sg_random_bits_seed(uint64_t seed);
/* Seed from the system's random numbers, or from the clock if a system call filter may forbid them.
 * Not async-signal-safe. */
void sg_random_bits_seed_anew(void);

#endif
