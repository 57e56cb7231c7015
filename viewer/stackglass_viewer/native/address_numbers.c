/* Open addressing with linear probing: the table doubles when half of its slots are in use. */
#include "address_numbers.h"

#include <stdlib.h>
#include <time.h>

enum { FIRST_SLOTS = 1 << 12 };

static int grow(struct sg_address_numbers *numbers) {
    size_t n_slots = (numbers->mask + 1) * 2;
    int32_t *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return -1;
    free(numbers->slots);
    numbers->slots = slots;
    numbers->mask = n_slots - 1;
    const uint64_t *different = sg_u64(&numbers->different);
    for (size_t i = 0; i < numbers->different.n; i++)
        slots[sg_address_slot(numbers, different[i])] = (int32_t)i + 1;
    return 0;
}

int sg_address_numbers_init(struct sg_address_numbers *numbers) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *numbers = (struct sg_address_numbers){.mask = FIRST_SLOTS - 1};
    numbers->slots = calloc(FIRST_SLOTS, sizeof *numbers->slots);
    numbers->seed =
        (uint64_t)now.tv_nsec * 0xD6E8FEB86659FD93u ^ (uint64_t)(uintptr_t)numbers->slots;
    return numbers->slots ? 0 : -1;
}

void sg_address_numbers_free(struct sg_address_numbers *numbers) {
    free(numbers->slots);
    numbers->slots = NULL;
    sg_release(&numbers->different);
}

int32_t sg_address_numbers_insert(struct sg_address_numbers *numbers, size_t at, uint64_t address) {
    struct sg_vector *different = &numbers->different;
    if (different->n == INT32_MAX - 1 || sg_push_u64(different, address) < 0)
        return -1;
    int32_t number = (int32_t)different->n - 1;
    numbers->slots[at] = number + 1;
    return different->n * 2 > numbers->mask && grow(numbers) < 0 ? -1 : number;
}
