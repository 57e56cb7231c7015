/* Known functions: Python's names for functions of machine code that stacks have.
 *
 *     native_names: new functions of extension modules ──▶ search, a job ──▶ rows of intern.known
 *
 * Owned by the writer. */
#ifndef STACKGLASS_WIRE_KNOWN_FUNCTIONS_H
#define STACKGLASS_WIRE_KNOWN_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/intern.h"
#include "wire/native_names.h"

/* Zeroed before use. */
struct sg_known_functions {
    uint32_t n_searched; /* functions of extension modules at the last search */
    int64_t due_ns;      /* when the next search may begin, CLOCK_MONOTONIC; 0 = at once */
};

/* Whether a slice of a search is to run now; `is_last`: sampling has ended. Begins a search if
 * stacks have new functions. No job runs. */
bool sg_known_functions_continue(struct sg_known_functions *known,
                                 const struct sg_native_names *names, int64_t now_ns, bool is_last);
/* Take the result of a job. */
void sg_known_functions_take(struct sg_known_functions *known, struct sg_intern *intern,
                             int64_t now_ns);
/* Whether a search is under way, or functions were not searched for. */
bool sg_known_functions_are_wanted(const struct sg_known_functions *known,
                                   const struct sg_native_names *names);

#endif
