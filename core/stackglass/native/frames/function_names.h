/* Search for the names that Python code has for functions of machine code.
 *
 *     wanted: start addresses ──▶ modules' variables, their classes ──callables──▶ name, file, line
 *
 * A search takes many slices. A function that is reached by different names has none: no name is
 * better than a wrong one. Begun and ended by the writer while no job runs; continued by the
 * worker, which holds the GIL. */
#ifndef STACKGLASS_FRAMES_FUNCTION_NAMES_H
#define STACKGLASS_FRAMES_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_function_name {
    uintptr_t code; /* where the function starts */
    uint32_t id;    /* the caller's */
    int32_t line;   /* where it is defined; 0 = not known */
    char *name;     /* "Vec.norm"; NULL = not found, or not certain; owned */
    char *file;     /* "" = not known; owned */
    bool is_uncertain;
};

/* Begin a search for `n` functions in ascending order of their addresses. False if memory runs
 * out. */
bool sg_function_names_begin(const struct sg_function_name *wanted, size_t n);
bool sg_function_names_are_open(void);
/* Caller holds the GIL. */
void sg_function_names_continue(int64_t budget_ns);
bool sg_function_names_are_done(void);
/* The functions of the search, in their order; NULL = none is open. Until its end. */
const struct sg_function_name *sg_function_names_list(size_t *n);
/* Forget the search. */
void sg_function_names_end(void);
void sg_function_names_after_fork_in_child(void);

#endif
