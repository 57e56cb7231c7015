/* An array with a chained index by address. It has room for all targets from the start, so it never
 * moves.
 *
 * A target is an edge: its object refers to the object of another target (`of`), and so on up to a
 * lock. Of two edges from one object to one lock the better one replaces the other in place, so
 * that the set depends on the objects and not on the order in which they are found. */
#include "lock_names/targets.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_AROUND_ONE = 1024, MOST_STEPS = 8 };
_Static_assert(SG_MOST_AROUND / SG_MOST_LOCKS >= 16, "room around each lock");

/* An object, and the target that was last added for it. */
struct place {
    uintptr_t object;
    uint32_t target;
};

bool sg_lock_targets_open(struct sg_lock_targets *targets, uint32_t n_locks) {
    uint32_t most = n_locks ? SG_MOST_AROUND / n_locks : 0;
    memset(targets, 0, sizeof *targets);
    targets->most_around = most > MOST_AROUND_ONE ? MOST_AROUND_ONE : most;
    uint32_t n = n_locks * (1 + targets->most_around);
    targets->by_address.entry_bytes = sizeof(struct place);
    targets->targets = calloc(n + 1, sizeof *targets->targets);
    targets->crowds = calloc(n_locks + 1, sizeof *targets->crowds);
    if (targets->targets && targets->crowds && sg_hash_table_reserve(&targets->by_address, n))
        return true;
    sg_lock_targets_close(targets);
    return false;
}

void sg_lock_targets_close(struct sg_lock_targets *targets) {
    free(targets->targets);
    free(targets->crowds);
    sg_hash_table_free(&targets->by_address);
    memset(targets, 0, sizeof *targets);
}

static void append(struct sg_lock_targets *targets, const struct sg_lock_target *target) {
    uint32_t same = sg_lock_targets_find(targets, (const void *)target->object);
    struct place *place = sg_hash_table_add(&targets->by_address, target->object);
    if (!place)
        return; /* never: there is room for all */
    place->target = targets->n;
    targets->targets[targets->n] = *target;
    targets->targets[targets->n++].next = same;
}

void sg_lock_targets_add_lock(struct sg_lock_targets *targets, uintptr_t object, uint32_t lock) {
    const struct sg_lock_target target = {
        .object = object, .lock = lock, .of = SG_NO_TARGET, .root = targets->n};
    targets->crowds[targets->n_roots++].from = UINT8_MAX;
    append(targets, &target);
}

/* Compare the paths from `a` and `b` to the lock step by step: less than 0 if the text of `a` is
 * shorter, or of equal length and first in byte order. */
static int compare_texts(const struct sg_lock_targets *targets, const struct sg_lock_target *a,
                         const struct sg_lock_target *b) {
    for (int i = 0; i < MOST_STEPS && a->of != SG_NO_TARGET && b->of != SG_NO_TARGET; i++) {
        size_t size = strlen(a->attribute), other = strlen(b->attribute);
        int order = size != other ? (size < other ? -1 : 1) : strcmp(a->attribute, b->attribute);
        if (order)
            return order;
        a = &targets->targets[a->of];
        b = &targets->targets[b->of];
    }
    return 0;
}

/* Whether `target` is better than `known`, two paths from one object to one lock with the same
 * number of steps. */
static bool is_better(const struct sg_lock_targets *targets, const struct sg_lock_target *target,
                      const struct sg_lock_target *known) {
    if (target->is_argument != known->is_argument)
        return known->is_argument;
    if (target->is_container != known->is_container)
        return known->is_container;
    if (target->is_for_items != known->is_for_items)
        return known->is_for_items;
    return compare_texts(targets, target, known) < 0;
}

void sg_lock_targets_add(struct sg_lock_targets *targets, struct sg_lock_target target) {
    const struct sg_lock_target *inner = &targets->targets[target.of];
    target.root = inner->root;
    target.n_steps = inner->n_steps + 1;
    struct sg_lock_crowd *crowd = &targets->crowds[target.root];
    if (target.n_steps >= crowd->from)
        return;
    for (uint32_t same = sg_lock_targets_find(targets, (const void *)target.object);
         same != SG_NO_TARGET; same = targets->targets[same].next) {
        struct sg_lock_target *known = &targets->targets[same];
        if (known->root != target.root)
            continue;
        target.next = known->next;
        if (known->n_steps == target.n_steps && is_better(targets, &target, known))
            *known = target;
        return;
    }
    if (crowd->n == targets->most_around) {
        crowd->from = target.n_steps;
        return;
    }
    crowd->n++;
    append(targets, &target);
}

bool sg_lock_targets_is_valid(const struct sg_lock_targets *targets, uint32_t target) {
    const struct sg_lock_target *it = &targets->targets[target];
    return it->n_steps < targets->crowds[it->root].from;
}

uint32_t sg_lock_targets_find(const struct sg_lock_targets *targets, const void *object) {
    const struct place *place = sg_hash_table_find(&targets->by_address, (uintptr_t)object);
    return place ? place->target : SG_NO_TARGET;
}

char *sg_lock_targets_path(const struct sg_lock_targets *targets, uint32_t target,
                           const char *holder) {
    char *path = malloc(strlen(holder) + MOST_STEPS * SG_ATTRIBUTE_BYTES + 1);
    if (!path)
        return NULL;
    strcpy(path, holder);
    for (int i = 0; i < MOST_STEPS && targets->targets[target].of != SG_NO_TARGET; i++) {
        strcat(path, targets->targets[target].attribute);
        target = targets->targets[target].of;
    }
    return path;
}
