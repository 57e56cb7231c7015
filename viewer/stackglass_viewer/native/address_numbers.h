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

/* Return the number of `address`, which is added if it is new. Returns -1 if memory is short or if
 * there are more than 2^31 - 2 different addresses. */
int32_t sg_address_numbers_number(struct sg_address_numbers *numbers, uint64_t address);

#endif
