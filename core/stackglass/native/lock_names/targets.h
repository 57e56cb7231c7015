/* Targets of a search for names: locks, and the wrappers and containers around them.
 *
 *     0: a lock  ◀── of ── 1: a Condition, "_lock"  ◀── of ── 2: an Event, "_cond"
 *
 * so the lock of app.READY is called app.READY._cond._lock. A target's level is its number of steps
 * to the lock. Found by address; not thread-safe. */
#ifndef STACKGLASS_LOCK_NAMES_TARGETS_H
#define STACKGLASS_LOCK_NAMES_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/hash_table.h"

enum {
    SG_MOST_LOCKS = 1024,     /* in one search */
    SG_MOST_AROUND = 1 << 14, /* objects that refer to them, directly or not */
    SG_ATTRIBUTE_BYTES = 48,
    SG_NO_TARGET = UINT32_MAX,
};

struct sg_lock_target {
    uintptr_t object;
    uint32_t lock;     /* its number */
    uint32_t of;       /* the target that it refers to; SG_NO_TARGET = it is the lock itself */
    uint32_t type;     /* row of the search's types, if it is not the lock */
    uint32_t next;     /* another target that is the same object, with a path to another lock */
    uint32_t root;     /* the target that is the lock itself: below n_roots */
    uint8_t n_steps;   /* from this object to the lock: its level; 0 = it is the lock itself */
    bool is_container; /* a list, a dict …: no name in itself */
    bool is_for_items; /* has a name already; looked for in containers only, for a better one */
    bool is_argument;  /* its path to the lock leads through the arguments of a thread or a task */
    char attribute[SG_ATTRIBUTE_BYTES]; /* by which it refers to `of`: "._cond", "['eu']" */
};

/* The set of targets does not depend on the order in which objects are found. Of several paths from
 * an object to the lock only the shortest counts; among equally long ones, a path without arguments
 * and containers is preferred, then the one with the smaller text. A lock may have `most_around`
 * targets; if there are more, the level that exceeds this number does not count, nor do the levels
 * above it. */
struct sg_lock_targets {
    struct sg_lock_target *targets; /* the roots, then the others; owned */
    uint32_t n, n_roots, most_around;
    struct sg_lock_crowd {
        uint16_t n;   /* objects around this root */
        uint8_t from; /* the first level that does not count; UINT8_MAX = all count */
    } * crowds;       /* (n_roots,); owned */
    struct sg_hash_table by_address; /* from an object to the first target that is this object */
};

/* Allocate room for the targets of `n_locks` locks, at most SG_MOST_LOCKS. Returns false if memory
 * is short. */
bool sg_lock_targets_open(struct sg_lock_targets *targets, uint32_t n_locks);
void sg_lock_targets_close(struct sg_lock_targets *targets);

/* Add a lock. All locks must be added before the first object that refers to one of them. */
void sg_lock_targets_add_lock(struct sg_lock_targets *targets, uintptr_t object, uint32_t lock);
/* Add an object that refers to `target->of`, one level above it. Fills in `root` and `n_steps`. */
void sg_lock_targets_add(struct sg_lock_targets *targets, struct sg_lock_target target);
/* Whether the target's level is one that counts. */
bool sg_lock_targets_is_valid(const struct sg_lock_targets *targets, uint32_t target);
/* Return the first target that is `object`; the others follow by `next`. SG_NO_TARGET = none. */
uint32_t sg_lock_targets_find(const struct sg_lock_targets *targets, const void *object);

/* Return `holder`, such as "app.READY", with the attributes on the path from `target` to the lock
 * appended: "app.READY._cond._lock"; malloc'ed. */
char *sg_lock_targets_path(const struct sg_lock_targets *targets, uint32_t target,
                           const char *holder);

#endif
