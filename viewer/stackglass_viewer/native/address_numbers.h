/* Addresses, each with a number: those of different ones, in the order of their first use. */
#ifndef SG_ADDRESS_NUMBERS_H
#define SG_ADDRESS_NUMBERS_H

#include "column.h"

/* Of `n` addresses (at most 2^31 - 2 different ones) the numbers, int32, and the different ones,
 * uint64. 0, or -1 if there is no memory, or there are more. */
int sg_address_numbers_find(const uint64_t *address, size_t n, struct sg_vector *number,
                            struct sg_vector *different);

#endif
