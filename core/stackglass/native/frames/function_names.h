/* Function names: a search for the names that Python code has for functions of machine code.
 *
 *     wanted: start addresses ──▶ modules' variables, their classes ──callables──▶ name, file, line
 *
 * A search takes many slices of time. A function that is reached by different names gets no name:
 * no name is better than a wrong one. The writer begins and ends a search, while no job of the GIL
 * worker runs; the worker continues the search with the GIL held. A search that is still open when
 * the engine leaves is ended by the worker, which may be in a slice of it until then. */
#ifndef STACKGLASS_FRAMES_FUNCTION_NAMES_H
#define STACKGLASS_FRAMES_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_function_name {
    uintptr_t code;    /* where the function starts */
    uint32_t id;       /* chosen by the caller of sg_function_names_begin */
    int32_t line;      /* where it is defined; 0 = not known */
    char *name;        /* "Vec.norm"; NULL = not found, or not certain; owned */
    char *file;        /* "" = not known; owned */
    bool is_uncertain; /* it was reached by different names */
};

/* Begin a search for `n` functions, which are in ascending order of their addresses. Returns false
 * if memory runs out, or if there are none or more than 65536 of them. */
bool sg_function_names_begin(const struct sg_function_name *wanted, size_t n);
bool sg_function_names_are_open(void);
/* Search for about `budget_ns`. The caller holds the GIL. */
void sg_function_names_continue(int64_t budget_ns);
bool sg_function_names_are_done(void);
/* Return the `n` functions of the search, in their order, valid until the search ends. Returns NULL
 * if no search is open. */
const struct sg_function_name *sg_function_names_list(size_t *n);
/* Forget the search. */
void sg_function_names_end(void);
void sg_function_names_after_fork_in_child(void);

#endif
