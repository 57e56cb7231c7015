/* Numbers by an open hash, half full at most. */
#include "address_numbers.h"

#include <stdlib.h>
#include <time.h>

enum { FIRST_SLOTS = 1 << 12 };

struct table {
    int32_t *slots; /* number + 1; 0 = free */
    size_t mask;
    uint64_t seed; /* different in every run: no file can be made so that its addresses collide */
};

static size_t hash(const struct table *table, uint64_t address) {
    unsigned __int128 product = (unsigned __int128)(address ^ table->seed) * 0x9E3779B97F4A7C15u;
    uint64_t folded = (uint64_t)product ^ (uint64_t)(product >> 64);
    return (size_t)(folded * (table->seed | 1) >> 20) & table->mask;
}

static size_t find_slot(const struct table *table, const uint64_t *different, uint64_t address) {
    size_t at = hash(table, address);
    while (table->slots[at] && different[table->slots[at] - 1] != address)
        at = (at + 1) & table->mask;
    return at;
}

static int grow(struct table *table, const struct sg_vector *different) {
    size_t n_slots = (table->mask + 1) * 2;
    int32_t *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return -1;
    free(table->slots);
    table->slots = slots;
    table->mask = n_slots - 1;
    const uint64_t *addresses = sg_u64(different);
    for (size_t i = 0; i < different->n; i++)
        slots[find_slot(table, addresses, addresses[i])] = (int32_t)i + 1;
    return 0;
}

static int number_all(struct table *table, const uint64_t *address, size_t n, int32_t *number,
                      struct sg_vector *different) {
    for (size_t i = 0; i < n; i++) {
        size_t at = find_slot(table, sg_u64(different), address[i]);
        if (!table->slots[at]) {
            if (different->n == INT32_MAX - 1 || sg_push_u64(different, address[i]) < 0)
                return -1;
            table->slots[at] = (int32_t)different->n;
            number[i] = (int32_t)different->n - 1;
            if (different->n * 2 > table->mask && grow(table, different) < 0)
                return -1;
            continue;
        }
        number[i] = table->slots[at] - 1;
    }
    return 0;
}

int sg_address_numbers_find(const uint64_t *address, size_t n, struct sg_vector *number,
                            struct sg_vector *different) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct table table = {calloc(FIRST_SLOTS, sizeof(int32_t)), FIRST_SLOTS - 1, 0};
    table.seed = (uint64_t)now.tv_nsec * 0xD6E8FEB86659FD93u ^ (uint64_t)(uintptr_t)table.slots;
    int result = -1;
    if (table.slots && sg_reserve(number, n, sizeof(int32_t)) == 0) {
        result = number_all(&table, address, n, sg_i32(number), different);
        number->n = result < 0 ? 0 : n;
    }
    free(table.slots);
    return result;
}
