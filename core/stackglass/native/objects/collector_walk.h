/* A walk of the collector's lists, in slices: each object that is tracked from its beginning to its
 * end is seen.
 *
 *     young ──▶ middle ──▶ old ──▶ frozen          a slice: a millisecond of the GIL
 *     … seen ⇄ C ⇄ not seen yet ⇄ … ⇄ D ⇄ E ⇄ …
 *
 * Between two slices objects die, are born, and collections move them to older lists. So the place
 * is kept by three empty lists of ours: C lies in front of the first object that has not been seen,
 * E behind the last one there was, and D in front of E. No object of the program is ever held.
 *
 *   · A collection that does not concern the list we are in only puts objects behind E. They come
 *     from younger lists, which were seen before.
 *   · One that does leaves an object where it is if there is a reference to it from outside the
 *     list (C and E: ours), or from an object in front of it. All others it moves to the list's
 *     end. Nothing moves forward: what has not been seen stays between C and E, or is behind E.
 *     We notice, because E is [D]: D, to which nothing but E refers, comes to lie behind it.
 *     In the oldest list E then moves to the end, and the walk goes on from C. A younger list has
 *     become a part of an older one, not begun yet, which has all that is missing.
 *
 * So an object may be seen more than once, and a user who counts has to know which. One that came
 * or went meanwhile may be missed. After MAX_COLLECTED full collections the walk ends as it is, and
 * says so (`is_whole`). The collector of 3.14.0 to 3.14.4 moves objects between two old lists in no
 * order. There C is D: the walk begins a list again that was collected, goes round through both
 * until a round finds no new object, and ends as it is after MAX_RESTARTS or MAX_ROUNDS.
 *
 * The collector itself may be suspended in a finaliser, with garbage in lists of its own: then a
 * slice does nothing. Other interpreters than the main one are not looked at. All with the GIL. */
#ifndef STACKGLASS_OBJECTS_COLLECTOR_WALK_H
#define STACKGLASS_OBJECTS_COLLECTOR_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/collector_lists.h"

/* All zero: not begun. */
struct sg_collector_walk {
    bool is_over;
    const char *problem; /* why it has ended before its end; NULL = nothing is wrong */
    bool is_whole;
    uint32_t n_restarts; /* full collections and other moves that the walk had to make up for */
    uint64_t n_new;      /* by who counts: objects of the old lists seen first in this round */

    /* The walk's own. */
    struct sg_collector_lists lists;
    void *end_mark;   /* E: [D]; owned, as C: PyObjects */
    void *place_mark; /* C */
    void *sign_mark;  /* D; borrowed: E's. Of an incremental collector C itself, borrowed so */
    uint32_t n_extended, n_begun_again; /* n_restarts: from C on, and from the list's head */
    int list;                           /* that is walked */
    int round;
    uint32_t n_idle;
    int64_t deadline_ns; /* of the slice */
    uint64_t n_left;     /* steps of the slice */
};

/* False = the slice has to end, and comes back to this object. */
typedef bool sg_collector_see_fn(void *context, struct sg_collector_node *node);

/* Put the marks in. NULL, or why there can be no walk. */
const char *sg_collector_walk_begin(struct sg_collector_walk *walk);
/* A slice begins, of `budget_ns` and `max_steps` steps at most. */
void sg_collector_walk_set_limits(struct sg_collector_walk *walk, int64_t budget_ns,
                                  uint64_t max_steps);
/* Go on until the slice or the walk ends. */
void sg_collector_walk_go_on(struct sg_collector_walk *walk, sg_collector_see_fn *see,
                             void *context);
/* One step; false = the slice has to end. */
bool sg_collector_walk_step(struct sg_collector_walk *walk);
/* What has just been seen was more work than a step: look at the clock with the next one. */
void sg_collector_walk_hurry(struct sg_collector_walk *walk);
/* Is the list that is walked one of the old ones? */
bool sg_collector_walk_is_among_old(const struct sg_collector_walk *walk);
/* Take what is ours out of the lists again. */
void sg_collector_walk_abandon(struct sg_collector_walk *walk);

#endif
