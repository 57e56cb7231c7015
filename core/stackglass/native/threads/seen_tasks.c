/* Table of seen tasks: see seen_tasks.h. */
#include "threads/seen_tasks.h"

static uint64_t hash_of(uint64_t number) { return (number >> 4) * UINT64_C(0x9E3779B97F4A7C15); }

bool sg_seen_tasks_is_chosen(const struct sg_thread_dump *dump, uintptr_t task) {
    return dump->one_in <= 1 || (hash_of(hash_of(task) ^ dump->choice) >> 32) % dump->one_in == 0;
}

void sg_seen_tasks_make_room(struct sg_thread_dump *dump, size_t n) {
    sg_hash_table_reserve(&dump->seen, dump->seen.n + n);
}

bool sg_seen_tasks_has(const struct sg_thread_dump *dump, uintptr_t task) {
    return sg_hash_table_find(&dump->seen, task);
}

bool sg_seen_tasks_add(struct sg_thread_dump *dump, uintptr_t task) {
    if (dump->seen.n >= SG_MOST_TASKS || !sg_hash_table_add(&dump->seen, task)) {
        dump->is_whole = false;
        return false;
    }
    return true;
}
