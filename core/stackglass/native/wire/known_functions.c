/* A search for Python's names begins if stacks have functions of extension modules that the last
 * search did not include: a second after the end of that search, or at once when sampling has
 * ended. */
#include "wire/known_functions.h"

#include <stdlib.h>

#include "frames/function_names.h"

enum { PAUSE_NS = 1000 * 1000 * 1000 }; /* between the end of a search and the next one */

/* Begin a search. Functions with a name are searched for again, because another one may share their
 * code by now. */
static bool begin(struct sg_known_functions *known, const struct sg_native_names *names) {
    struct sg_function_name *wanted = calloc(names->ranges.n + 1, sizeof *wanted);
    size_t n = 0;
    known->n_searched = names->n_extension;
    for (size_t i = 0; wanted && i < names->ranges.n; i++) {
        const struct sg_native_range *range = &names->ranges.at[i];
        if (range->is_extension)
            wanted[n++] = (struct sg_function_name){.code = range->from, .id = range->function};
    }
    bool is_begun = wanted && sg_function_names_begin(wanted, n);
    free(wanted);
    return is_begun;
}

bool sg_known_functions_continue(struct sg_known_functions *known,
                                 const struct sg_native_names *names, int64_t now_ns,
                                 bool is_last) {
    if (sg_function_names_are_open())
        return true;
    if (known->n_searched == names->n_extension || (now_ns < known->due_ns && !is_last))
        return false;
    return begin(known, names);
}

void sg_known_functions_take(struct sg_known_functions *known, struct sg_intern *intern,
                             int64_t now_ns) {
    size_t n;
    const struct sg_function_name *found = sg_function_names_list(&n);
    if (!sg_function_names_are_done())
        return;
    for (size_t i = 0; i < n; i++)
        if (found[i].name)
            sg_intern_known(intern, found[i].id, found[i].name, found[i].file,
                            (uint32_t)found[i].line);
        else if (found[i].is_uncertain)
            sg_intern_known(intern, found[i].id, "", "", 0);
    sg_function_names_end();
    known->due_ns = now_ns + PAUSE_NS;
}

bool sg_known_functions_are_wanted(const struct sg_known_functions *known,
                                   const struct sg_native_names *names) {
    return sg_function_names_are_open() || known->n_searched != names->n_extension;
}
