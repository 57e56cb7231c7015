/* Functions that call each other in circles: strongly connected components. */
#ifndef SG_CALL_CIRCLES_H
#define SG_CALL_CIRCLES_H

#include "column.h"

/* 0, or -1 if `start`, of `n_starts` items, is not ascending from 0 to `n_calls`, or a callee is no
 * function. */
int sg_call_circles_check(const int64_t *start, size_t n_starts, const int32_t *callee,
                          size_t n_calls);

/* Into `circle` (int32, by function) a number that functions of one circle share, and into
 * `n_in_circles` how many functions are in a circle of two or more. Function i calls
 * callee[start[i]:start[i + 1]]. 0, or -1 if there is no memory. */
int sg_call_circles_find(const int64_t *start, size_t n_functions, const int32_t *callee,
                         struct sg_vector *circle, size_t *n_in_circles);

#endif
