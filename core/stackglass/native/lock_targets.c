/* What is looked for: see lock_targets.h. */
#include "lock_targets.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_BITS = 12, N_PLACES = 1 << PLACE_BITS, MOST_STEPS = 8 };
_Static_assert(SG_LOCK_TARGETS <= N_PLACES / 2, "room for all");

static uint32_t place_of(const struct sg_lock_targets *targets, uintptr_t object) {
    uint32_t at = (uint32_t)((object >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - PLACE_BITS));
    while (targets->by_address[at] &&
           targets->targets[targets->by_address[at] - 1].object != object)
        at = (at + 1) % N_PLACES;
    return at;
}

bool sg_lock_targets_open(struct sg_lock_targets *targets) {
    targets->n = 0;
    targets->targets = calloc(SG_LOCK_TARGETS, sizeof *targets->targets);
    targets->by_address = calloc(N_PLACES, sizeof *targets->by_address);
    if (targets->targets && targets->by_address)
        return true;
    sg_lock_targets_close(targets);
    return false;
}

void sg_lock_targets_close(struct sg_lock_targets *targets) {
    free(targets->targets);
    free(targets->by_address);
    memset(targets, 0, sizeof *targets);
}

/* A shorter road to the same: what leads on from there is never one of its own. */
static bool shorten(struct sg_lock_target *known, const struct sg_lock_target *target) {
    uint32_t next = known->next;
    if (target->n_steps >= known->n_steps || target->is_argument > known->is_argument)
        return false;
    *known = *target;
    known->next = next;
    return true;
}

bool sg_lock_targets_add(struct sg_lock_targets *targets, const struct sg_lock_target *target) {
    uint32_t at = place_of(targets, target->object);
    uint32_t first = targets->by_address[at] ? targets->by_address[at] - 1 : SG_NO_TARGET;
    if (targets->n == SG_LOCK_TARGETS)
        return false;
    for (uint32_t same = first; same != SG_NO_TARGET; same = targets->targets[same].next) {
        if (targets->targets[same].lock == target->lock)
            return shorten(&targets->targets[same], target);
    }
    targets->targets[targets->n] = *target;
    targets->targets[targets->n].next = first;
    targets->by_address[at] = ++targets->n;
    return true;
}

uint32_t sg_lock_targets_find(const struct sg_lock_targets *targets, const void *object) {
    uint32_t number = targets->by_address[place_of(targets, (uintptr_t)object)];
    return number ? number - 1 : SG_NO_TARGET;
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
