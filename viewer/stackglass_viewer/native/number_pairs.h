/* Pairs of numbers: equal ones get the same number, in order of first appearance. */
#ifndef SG_NUMBER_PAIRS_H
#define SG_NUMBER_PAIRS_H

#include "text_pieces.h"

struct sg_number_pairs {
    struct sg_text_pieces pieces; /* of the bytes of `pair` */
    struct sg_vector pair;        /* two int32 each, by number */
};

/* 0, or -1 if there is no memory. To be freed in any case, if it was zero before. */
int sg_number_pairs_init(struct sg_number_pairs *pairs);
void sg_number_pairs_free(struct sg_number_pairs *pairs);

/* The number of a pair, which is the last one afterwards if it is new. -1 = no memory. */
int32_t sg_number_pairs_number(struct sg_number_pairs *pairs, int32_t first, int32_t second);

static inline size_t sg_number_pairs_count(const struct sg_number_pairs *pairs) {
    return pairs->pair.n / 2;
}

#endif
