/* Random numbers by splitmix64. */
#include "platform/random_bits.h"

#include <stdatomic.h>
#include <sys/random.h>

#include "platform/permitted_calls.h"
#include "platform/time.h"

static const uint64_t ODD = UINT64_C(0x9E3779B97F4A7C15);

static _Atomic uint64_t state; /* lock-free */

void sg_random_bits_seed(uint64_t seed) { atomic_store(&state, seed); }

void sg_random_bits_seed_anew(void) {
    uint64_t seed = 0;
    if (!sg_permitted_calls_may(SG_CALL_OTHERS) ||
        getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = sg_time_clock_ns(CLOCK_MONOTONIC) * ODD;
    sg_random_bits_seed(seed);
}

uint64_t sg_random_bits(void) {
    uint64_t z = atomic_fetch_add_explicit(&state, ODD, memory_order_relaxed) + ODD;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}
