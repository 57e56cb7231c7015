/* Table of seen tasks: see seen_tasks.h. */
#include "threads/seen_tasks.h"

#include <stdlib.h>

enum { FIRST_SEEN = 1024 }; /* places; a power of two */

static uint64_t hash_of(uintptr_t task) { return (task >> 4) * UINT64_C(0x9E3779B97F4A7C15); }

bool sg_seen_tasks_is_chosen(const struct sg_thread_dump *dump, uintptr_t task) {
    return dump->one_in <= 1 || (hash_of(hash_of(task) ^ dump->choice) >> 32) % dump->one_in == 0;
}

static size_t place_of(const struct sg_thread_dump *dump, uintptr_t task) {
    size_t mask = dump->seen_capacity - 1;
    size_t at = (size_t)(hash_of(task) >> 20) & mask;
    while (dump->seen[at] && dump->seen[at] != task)
        at = (at + 1) & mask;
    return at;
}

/* At least half of the places stay free. */
bool sg_seen_tasks_make_room(struct sg_thread_dump *dump, size_t n) {
    if (2 * (dump->n_seen + n) <= dump->seen_capacity)
        return true;
    size_t old_capacity = dump->seen_capacity;
    uintptr_t *old = dump->seen;
    if (!dump->seen_capacity)
        dump->seen_capacity = FIRST_SEEN;
    while (2 * (dump->n_seen + n) > dump->seen_capacity)
        dump->seen_capacity *= 2;
    dump->seen = calloc(dump->seen_capacity, sizeof *dump->seen);
    if (!dump->seen) {
        dump->seen = old;
        dump->seen_capacity = old_capacity;
        return false;
    }
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i])
            dump->seen[place_of(dump, old[i])] = old[i];
    }
    free(old);
    return true;
}

bool sg_seen_tasks_has(const struct sg_thread_dump *dump, uintptr_t task) {
    return dump->seen_capacity && dump->seen[place_of(dump, task)];
}

bool sg_seen_tasks_add(struct sg_thread_dump *dump, uintptr_t task) {
    if (dump->n_seen >= SG_MOST_TASKS || !sg_seen_tasks_make_room(dump, 1)) {
        dump->is_whole = false;
        return false;
    }
    dump->seen[place_of(dump, task)] = task;
    dump->n_seen++;
    return true;
}
