/* Numbers of addresses, in the order of first use: equal addresses have the same number. */
#ifndef SG_ADDRESS_NUMBERS_H
#define SG_ADDRESS_NUMBERS_H

#include "column.h"

struct sg_address_numbers {
    int32_t *slots; /* number + 1; 0 = free */
    size_t mask;
    uint64_t seed; /* different in every run: no file can be made so that its addresses collide */
    struct sg_vector different; /* uint64, by number */
};

/* 0, or -1 if there is no memory. To be freed in either case. */
int sg_address_numbers_init(struct sg_address_numbers *numbers);
void sg_address_numbers_free(struct sg_address_numbers *numbers);

/* The number of an address. -1 = no memory, or more than 2^31 - 2 different ones. */
int32_t sg_address_numbers_number(struct sg_address_numbers *numbers, uint64_t address);

#endif
