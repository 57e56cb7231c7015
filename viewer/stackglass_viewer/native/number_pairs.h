/* Hash table that numbers pairs of int32 in order of first appearance; equal pairs share a number.
 */
#ifndef SG_NUMBER_PAIRS_H
#define SG_NUMBER_PAIRS_H

#include "text_pieces.h"

struct sg_number_pairs {
    struct sg_text_pieces pieces; /* pieces of the bytes of `pair` */
    struct sg_vector pair;        /* (n, 2) int32, by number */
    struct sg_vector last;        /* int32, by first item: the pair found last with it; -1 = none */
};

/* Initialize `pairs`, which is all zeros. Returns 0, or -1 if memory is short; free `pairs` in any
 * case. */
int sg_number_pairs_init(struct sg_number_pairs *pairs);
void sg_number_pairs_free(struct sg_number_pairs *pairs);

/* Slow path of sg_number_pairs_number: look the pair up in the hash table, and add it if it is new.
 */
int32_t sg_number_pairs_find(struct sg_number_pairs *pairs, int32_t first, int32_t second);

/* Return the pair that was found last with this first item; -1 = none. For a negative `first`, none
 * is kept. */
static inline int32_t sg_number_pairs_last(const struct sg_number_pairs *pairs, int32_t first) {
    return first >= 0 && (size_t)first < pairs->last.n ? sg_i32(&pairs->last)[first] : -1;
}

/* Return the number of a pair, which is added if it is new; -1 = memory is short. */
static inline int32_t sg_number_pairs_number(struct sg_number_pairs *pairs, int32_t first,
                                             int32_t second) {
    int32_t last = sg_number_pairs_last(pairs, first);
    if (last >= 0 && sg_i32(&pairs->pair)[2 * (size_t)last + 1] == second)
        return last;
    return sg_number_pairs_find(pairs, first, second);
}

#endif
