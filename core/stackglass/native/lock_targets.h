/* What a search for names looks for: locks, and objects of the standard library around them.
 *
 *     0: a lock  ◀── of ── 1: a Condition, "_lock"  ◀── of ── 2: an Event, "_cond"
 *
 * so that what is called app.READY is app.READY._cond._lock. By address; not thread-safe. */
#ifndef STACKGLASS_LOCK_TARGETS_H
#define STACKGLASS_LOCK_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_LOCK_TARGETS = 2048, SG_ATTRIBUTE_BYTES = 48, SG_NO_TARGET = UINT32_MAX };

struct sg_lock_target {
    uintptr_t object;
    uint32_t lock;   /* its number */
    uint32_t of;     /* the target that it refers to; SG_NO_TARGET = it is the lock itself */
    uint32_t type;   /* row of the search's types, if it is not the lock */
    uint32_t next;   /* another target that is the same object: a Queue, and the one of its mutex */
    uint8_t n_steps; /* from there to the lock; 0 = it is the lock itself */
    bool is_container; /* a list, a dict …: no name in itself */
    bool is_for_items; /* has a name already: to be found in containers, for a better one */
    bool is_argument;  /* among what a thread was started with, or leads to the lock through that */
    char attribute[SG_ATTRIBUTE_BYTES]; /* by which: "._cond", "['eu']" */
};

struct sg_lock_targets {
    struct sg_lock_target *targets; /* (SG_LOCK_TARGETS,); owned */
    uint32_t n;
    uint32_t *by_address; /* target + 1 by hash, 0 = empty; owned */
};

/* False if there is no memory. */
bool sg_lock_targets_open(struct sg_lock_targets *targets);
void sg_lock_targets_close(struct sg_lock_targets *targets);

/* False if there is no room, or the object is one already for that lock, by as short a road. */
bool sg_lock_targets_add(struct sg_lock_targets *targets, const struct sg_lock_target *target);
/* The first one that is this object, see `next`; SG_NO_TARGET = there is none. */
uint32_t sg_lock_targets_find(const struct sg_lock_targets *targets, const void *object);

/* "app.READY" and what leads from there to the lock: "app.READY._cond._lock"; malloc'ed. */
char *sg_lock_targets_path(const struct sg_lock_targets *targets, uint32_t target,
                           const char *holder);

#endif
