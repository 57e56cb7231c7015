/* A walk of the collector's lists, in slices: each object that is tracked from its beginning to its
 * end is seen.
 *
 *     young ──▶ middle ──▶ old ──▶ frozen          a slice: a millisecond of the GIL
 *     … seen ⇄ C ⇄ not seen yet ⇄ … ⇄ E ⇄ …
 *
 * Between two slices objects die, are born, and collections move them to older lists. So the place
 * is kept by two objects of ours, lists with nothing of the program's in them: C lies in front of
 * the first object that has not been seen, E behind the last one there was. No object of the
 * program is ever held.
 *
 *   · A collection that does not concern the list we are in only puts objects behind E. They come
 *     from younger lists, which were seen before.
 *   · One that does shuffles the list and puts it behind an older one. We notice, because E is [C]:
 *     C, to which nothing but E refers, comes to lie behind it. Then the older list, not begun yet,
 *     has all that is missing; or, if it was the oldest, that one is walked again from its head.
 *
 * So an object may be seen more than once, and who counts has to know which. One that came or went
 * meanwhile may be missed. After MAX_RESTARTS full collections the walk ends as it is, and says so
 * (`is_whole`). So it does on 3.14.0 to 3.14.4, whose collector moves objects between two old lists
 * in no order, if the last of some rounds through both has still found any.
 *
 * The collector itself may be suspended in a finaliser, with garbage in lists of its own: then a
 * slice does nothing. Other interpreters than the main one are not looked at. All with the GIL. */
#ifndef STACKGLASS_COLLECTOR_WALK_H
#define STACKGLASS_COLLECTOR_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector_lists.h"

/* All zero: not begun. */
struct sg_collector_walk {
    bool is_over;
    const char *problem; /* why it has ended before its end; NULL = nothing is wrong */
    bool is_whole;
    uint32_t n_restarts;
    uint64_t n_new; /* by who counts: objects of the old lists seen first in this round */

    /* The walk's own. */
    struct sg_collector_lists lists;
    void *end_mark;   /* E: [C]; owned: a PyObject */
    void *place_mark; /* C; borrowed: E's */
    int list;         /* that is walked */
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
