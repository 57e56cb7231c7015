/* Cycles in a call graph: its strongly connected components. */
#ifndef SG_CALL_CYCLES_H
#define SG_CALL_CYCLES_H

#include "column.h"

/* Check a graph. Returns 0, or -1 if the `n_starts` items of `start` do not ascend from 0 to
 * `n_calls`, or if a callee is not the number of a function. */
int sg_call_cycles_check(const int64_t *start, size_t n_starts, const int32_t *callee,
                         size_t n_calls);

/* Find the cycles of a graph in which function i calls callee[start[i]:start[i + 1]]. Sets
 * `cycle` (int32, by function) to a number that the functions of one cycle share, and
 * `n_in_cycles` to the number of functions in cycles of two or more. Returns 0, or -1 if memory
 * is short. */
int sg_call_cycles_find(const int64_t *start, size_t n_functions, const int32_t *callee,
                        struct sg_vector *cycle, size_t *n_in_cycles);

#endif
