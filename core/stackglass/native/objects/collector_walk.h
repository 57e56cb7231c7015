/* Incremental walk of the collector's lists: visits each object that is tracked from the beginning
 * of the walk to its end.
 *
 *     young ──▶ middle ──▶ old ──▶ frozen          a slice: a millisecond of the GIL
 *     … seen ⇄ place ⇄ not seen yet ⇄ … ⇄ sign ⇄ end ⇄ …
 *
 * Between two slices, objects are made and freed, and collections move them to older lists. So
 * three objects of the engine, the marks, keep the position: `place` before the first unseen
 * object, `end` behind the last object of the list, `sign` just before `end`. The walk holds no
 * object of the program.
 *
 *   · A collection of younger lists only puts objects behind `end`. They were seen in those lists.
 *   · A collection of this list keeps an object where it is if it is referred to from outside the
 *     list (as `place` and `end` are by the engine) or by an object before it, and moves all others
 *     to the list's end. So an unseen object stays between `place` and `end`, or is behind `end`.
 *   · `sign` shows that this list was collected: only `end` refers to it, so it was moved behind
 *     `end`. In the oldest list `end` then moves to the list's end, and the walk continues at
 *     `place`. A younger list has been merged into one that is still to be walked: it is done.
 *
 * An object may be visited more than once; a caller that counts must recognise it. An object made
 * or freed during the walk may be missed. After MAX_COLLECTED full collections the oldest list is
 * not continued (`is_whole` is false).
 *
 * 3.14.0 to 3.14.4 move objects between two old lists in no order. There `place` is also the sign.
 * If the second of them was collected, the walk restarts at the first, at most MAX_RESTARTS times.
 * Both are walked until a round finds no new object, in at most MAX_ROUNDS rounds.
 *
 * While a collection runs (a finalizer may suspend it), a slice does nothing. No collection begins
 * in a slice: a job pauses the collector (worker/collection.h), and on 3.9, where it cannot, the
 * walk does. Only the main interpreter is walked. All functions need the GIL. */
#ifndef STACKGLASS_OBJECTS_COLLECTOR_WALK_H
#define STACKGLASS_OBJECTS_COLLECTOR_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/collector_lists.h"

/* A walk that has not begun is all zero. */
struct sg_collector_walk {
    bool is_over;
    const char *problem; /* why the walk failed; NULL = it did not */
    bool is_whole;       /* false: objects may have been missed */
    uint32_t n_restarts; /* full collections and other moves during the walk */
    uint64_t n_new;      /* set by the caller: objects of old lists first seen in this round */

    /* Private. */
    struct sg_collector_lists lists;
    void *end_mark;   /* the list [sign]; a PyObject, owned */
    void *place_mark; /* a PyObject, owned */
    void *sign_mark;  /* borrowed from the end mark; the place mark in 3.14.0 to 3.14.4 */
    uint32_t n_extended, n_begun_again; /* restarts from `place`, and from the list's head */
    int list;                           /* the list that is walked */
    int round;                          /* through the old lists of 3.14.0 to 3.14.4 */
    uint32_t n_idle;                    /* slices in a row that found a collection running */
    int64_t deadline_ns;                /* of this slice */
    uint64_t n_left;                    /* steps of this slice */
};

/* Visits an object. Returns false to end the slice; the next slice begins with this object. */
typedef bool sg_collector_see_fn(void *context, struct sg_collector_node *node);

/* Begin a walk. Returns NULL, or one sentence that says why it cannot begin. */
const char *sg_collector_walk_begin(struct sg_collector_walk *walk);
/* Begin a slice of at most `budget_ns` and `max_steps` steps. */
void sg_collector_walk_set_limits(struct sg_collector_walk *walk, int64_t budget_ns,
                                  uint64_t max_steps);
/* Walk until the slice or the walk ends. */
void sg_collector_walk_go_on(struct sg_collector_walk *walk, sg_collector_see_fn *see,
                             void *context);
/* Count one step. Returns false if the slice has to end. */
bool sg_collector_walk_step(struct sg_collector_walk *walk);
/* Have the next step read the clock, because the last visit took long. */
void sg_collector_walk_hurry(struct sg_collector_walk *walk);
/* Whether the list that is walked is not the youngest. */
bool sg_collector_walk_is_among_old(const struct sg_collector_walk *walk);
/* End the walk: remove the marks from the lists. */
void sg_collector_walk_abandon(struct sg_collector_walk *walk);

#endif
