/* Blocks of the C library, each filled, for a benchmark. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define API __attribute__((visibility("default")))

enum { N_KEPT = 64, LEAST_BYTES = 16, MOST_BYTES = 1024 };

static uint32_t next(uint32_t seed) { return seed * 1664525 + 1013904223; }

/* Allocates `n` blocks of sizes that `seed` decides, keeps the last ones, frees all others. */
API void allocate_blocks(long n, uint32_t seed) {
    uint8_t *kept[N_KEPT] = {NULL};
    for (long i = 0; i < n; i++) {
        uint8_t **place = &kept[i % N_KEPT];
        seed = next(seed);
        uint32_t size = LEAST_BYTES + (seed >> 8) % (MOST_BYTES - LEAST_BYTES);
        free(*place);
        *place = malloc(size);
        for (uint32_t at = 0; *place && at < size; at++)
            (*place)[at] = (uint8_t)((seed = next(seed)) >> 24);
    }
    for (int i = 0; i < N_KEPT; i++)
        free(kept[i]);
}
