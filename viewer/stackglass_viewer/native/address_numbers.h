/* Hash table that numbers addresses in the order of first use; equal addresses share a number. */
#ifndef SG_ADDRESS_NUMBERS_H
#define SG_ADDRESS_NUMBERS_H

#include "column.h"

struct sg_address_numbers {
    int32_t *slots; /* an address's number + 1; 0 = free */
    size_t mask;
    uint64_t seed; /* differs in every run, so that no file can be made to cause collisions */
    struct sg_vector different; /* uint64: the address of each number */
};

/* Make an empty table. Returns 0, or -1 if memory is short; free the table in either case. */
int sg_address_numbers_init(struct sg_address_numbers *numbers);
void sg_address_numbers_free(struct sg_address_numbers *numbers);

/* Number a new address, which belongs into the free slot `at`; -1 = as below. */
int32_t sg_address_numbers_insert(struct sg_address_numbers *numbers, size_t at, uint64_t address);

static inline size_t sg_address_hash(const struct sg_address_numbers *numbers, uint64_t address) {
    unsigned __int128 product = (unsigned __int128)(address ^ numbers->seed) * 0x9E3779B97F4A7C15u;
    uint64_t folded = (uint64_t)product ^ (uint64_t)(product >> 64);
    return (size_t)(folded * (numbers->seed | 1) >> 20) & numbers->mask;
}

/* Return the slot of `address`, or the free slot that it belongs into. */
static inline size_t sg_address_slot(const struct sg_address_numbers *numbers, uint64_t address) {
    const uint64_t *different = sg_u64(&numbers->different);
    size_t at = sg_address_hash(numbers, address);
    while (numbers->slots[at] && different[numbers->slots[at] - 1] != address)
        at = (at + 1) & numbers->mask;
    return at;
}

/* Return the number of `address`, which is added if it is new. Returns -1 if memory is short or if
 * there are more than 2^31 - 2 different addresses. */
static inline int32_t sg_address_numbers_number(struct sg_address_numbers *numbers,
                                                uint64_t address) {
    size_t at = sg_address_slot(numbers, address);
    int32_t place = numbers->slots[at];
    return place ? place - 1 : sg_address_numbers_insert(numbers, at, address);
}

#endif
