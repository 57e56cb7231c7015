/* Tarjan's algorithm for strongly connected components. An explicit stack, `path`, replaces the
 * recursion, because a graph can be deeper than the C stack. */
#include <stdlib.h>
#include <string.h>

#include "call_cycles.h"

struct search {
    const int64_t *start;
    const int32_t *callee;
    int32_t *order;   /* by function: the order of the first visit, from 1; 0 = not visited */
    int32_t *low;     /* by function: Tarjan's lowlink, the lowest order known to be reachable */
    int32_t *cycle;   /* by function: its component's first function; -1 = not known yet */
    int32_t *waiting; /* Tarjan's stack: visited functions without a cycle */
    int32_t *path;    /* from the root to the function that is being searched */
    int64_t *next;    /* by function on the path: index of its next call */
    size_t n_waiting, n_path;
    int32_t n_seen;
    size_t n_in_cycles;
};

int sg_call_cycles_check(const int64_t *start, size_t n_starts, const int32_t *callee,
                         size_t n_calls) {
    if (n_starts == 0 || n_starts > INT32_MAX || start[0] != 0 ||
        start[n_starts - 1] != (int64_t)n_calls)
        return -1;
    for (size_t i = 1; i < n_starts; i++)
        if (start[i] < start[i - 1])
            return -1;
    for (size_t i = 0; i < n_calls; i++)
        if (callee[i] < 0 || (size_t)callee[i] >= n_starts - 1)
            return -1;
    return 0;
}

static void enter(struct search *search, int32_t function) {
    search->order[function] = search->low[function] = ++search->n_seen;
    search->waiting[search->n_waiting++] = function;
    search->path[search->n_path++] = function;
    search->next[function] = search->start[function];
}

/* Make one cycle of `first`, the root of a component, and all functions after it in `waiting`. */
static void close_cycle(struct search *search, int32_t first) {
    size_t n = 0;
    int32_t last;
    do {
        last = search->waiting[--search->n_waiting];
        search->cycle[last] = first;
        n++;
    } while (last != first);
    if (n > 1)
        search->n_in_cycles += n;
}

static void leave(struct search *search, int32_t function) {
    search->n_path--;
    if (search->n_path) {
        int32_t caller = search->path[search->n_path - 1];
        if (search->low[function] < search->low[caller])
            search->low[caller] = search->low[function];
    }
    if (search->low[function] == search->order[function])
        close_cycle(search, function);
}

static void follow(struct search *search, int32_t root) {
    enter(search, root);
    while (search->n_path) {
        int32_t at = search->path[search->n_path - 1];
        if (search->next[at] == search->start[at + 1]) {
            leave(search, at);
            continue;
        }
        int32_t other = search->callee[search->next[at]++];
        if (!search->order[other])
            enter(search, other);
        else if (search->cycle[other] < 0 && search->order[other] < search->low[at])
            search->low[at] = search->order[other];
    }
}

int sg_call_cycles_find(const int64_t *start, size_t n_functions, const int32_t *callee,
                        struct sg_vector *cycle, size_t *n_in_cycles) {
    *n_in_cycles = 0;
    if (n_functions == 0)
        return 0;
    int32_t *numbers = calloc(n_functions, 4 * sizeof *numbers);
    int64_t *next = calloc(n_functions, sizeof *next);
    int result = numbers && next ? sg_reserve(cycle, n_functions, sizeof(int32_t)) : -1;
    if (result == 0) {
        memset(sg_i32(cycle), 0xff, n_functions * sizeof(int32_t));
        cycle->n = n_functions;
        struct search search = {
            .start = start,
            .callee = callee,
            .order = numbers,
            .low = numbers + n_functions,
            .cycle = sg_i32(cycle),
            .waiting = numbers + 2 * n_functions,
            .path = numbers + 3 * n_functions,
            .next = next,
        };
        for (size_t root = 0; root < n_functions; root++)
            if (!search.order[root])
                follow(&search, (int32_t)root);
        *n_in_cycles = search.n_in_cycles;
    }
    free(numbers);
    free(next);
    return result;
}
