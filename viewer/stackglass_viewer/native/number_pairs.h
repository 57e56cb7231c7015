/* Pairs of numbers: equal ones get the same number, in order of first appearance. */
#ifndef SG_NUMBER_PAIRS_H
#define SG_NUMBER_PAIRS_H

#include "text_pieces.h"

struct sg_number_pairs {
    struct sg_text_pieces pieces; /* of the bytes of `pair` */
    struct sg_vector pair;        /* two int32 each, by number */
    struct sg_vector last;        /* int32, by first of a pair: which pair had it last; -1 = none */
};

/* `pairs` is all zeros before. 0, or -1 if there is no memory. To be freed in any case. */
int sg_number_pairs_init(struct sg_number_pairs *pairs);
void sg_number_pairs_free(struct sg_number_pairs *pairs);

/* The number of a pair that was not the last one with its first number, and is the last one of all
 * afterwards if it is new. -1 = no memory. */
int32_t sg_number_pairs_find(struct sg_number_pairs *pairs, int32_t first, int32_t second);

/* The last pair with this first number; -1 = there is none. Those below 0 are not remembered. */
static inline int32_t sg_number_pairs_last(const struct sg_number_pairs *pairs, int32_t first) {
    return first >= 0 && (size_t)first < pairs->last.n ? sg_i32(&pairs->last)[first] : -1;
}

/* The number of a pair. -1 = no memory. */
static inline int32_t sg_number_pairs_number(struct sg_number_pairs *pairs, int32_t first,
                                             int32_t second) {
    int32_t last = sg_number_pairs_last(pairs, first);
    if (last >= 0 && sg_i32(&pairs->pair)[2 * (size_t)last + 1] == second)
        return last;
    return sg_number_pairs_find(pairs, first, second);
}

#endif
