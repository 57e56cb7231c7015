/* Order of siblings in a flame graph that is laid out again: boxes keep their places, unless one is
 * larger than another by more than chance. */
#ifndef SG_KEPT_ORDER_H
#define SG_KEPT_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Limits for the difference at which a box passes a smaller sibling. The difference must exceed one
 * of them, and a fifth of the sibling. */
struct sg_chance {
    double spread; /* times the sum of both sizes: limit for the square of the difference */
    double enough; /* limit for the difference */
};

/* Move each of `n` children, from left to right, forward to before the first sibling that it is
 * clearly larger than. `size`: by child, at least 0. */
void sg_kept_order_pull(const int64_t *size, const struct sg_chance *chance, int32_t *children,
                        size_t n);

#endif
