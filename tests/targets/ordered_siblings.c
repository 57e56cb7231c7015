/* The order of siblings that are laid out again, as a library that counts calls: it is compiled
 * with -finstrument-functions. */
#include "kept_order.c"

#define UNCOUNTED __attribute__((no_instrument_function))
#define EXPORT __attribute__((visibility("default"), no_instrument_function))

static size_t n_calls;

/* Hidden: libc exports functions of these names that do nothing. */
UNCOUNTED void __cyg_profile_func_enter(void *function, void *caller);
UNCOUNTED void __cyg_profile_func_exit(void *function, void *caller);
EXPORT size_t pull_counted(const int64_t *size, double spread, double enough, int32_t *children,
                           size_t n);

void __cyg_profile_func_enter(void *function, void *caller) { n_calls++; }

void __cyg_profile_func_exit(void *function, void *caller) {}

/* Return the number of functions called. */
size_t pull_counted(const int64_t *size, double spread, double enough, int32_t *children,
                    size_t n) {
    const struct sg_chance chance = {spread, enough};
    n_calls = 0;
    sg_kept_order_pull(size, &chance, children, n);
    return n_calls;
}
