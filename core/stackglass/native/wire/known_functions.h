/* Known functions: finds Python's names for the functions of machine code in stacks.
 *
 *     native_names: new functions of extension modules ──▶ search, a job ──▶ rows of intern.known
 *
 * The writer owns it. */
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

/* Return whether a slice of a search is to run now; begins a search if stacks have new functions.
 * `is_last`: sampling has ended. No job may run. */
bool sg_known_functions_continue(struct sg_known_functions *known,
                                 const struct sg_native_names *names, int64_t now_ns, bool is_last);
/* Take the result of a job. */
void sg_known_functions_take(struct sg_known_functions *known, struct sg_intern *intern,
                             int64_t now_ns);
/* Return whether a search is under way or a function was not searched for yet. */
bool sg_known_functions_are_wanted(const struct sg_known_functions *known,
                                   const struct sg_native_names *names);

#endif
