/* The census: the program's objects, counted by type in a walk of the collector's lists, in slices
 * (objects/collector_walk.h). A bitmap of addresses says which objects are counted already.
 *
 * An object that is tracked from the beginning to the end is counted once, exactly. One that is
 * created or dies meanwhile may be missing; one that gets the address of a dead one is missing. */
#ifndef STACKGLASS_CENSUS_CENSUS_H
#define STACKGLASS_CENSUS_CENSUS_H

#include "census/state.h"

extern struct sg_census sg_census;

/* Begin the census or continue it, for `budget_ns` at most, and for at most `max_steps` objects and
 * references. A census that is done stays as it is. Caller holds the GIL. */
void sg_census_go_on(int64_t budget_ns, uint64_t max_steps);
/* End a census that is under way: remove the walk's marks (objects/collector_walk.h) from the
 * collector's lists. Caller holds the GIL. */
void sg_census_abandon(void);
/* Free everything. Needs no GIL. */
void sg_census_clear(void);
/* Reset everything in a forked child, without freeing memory: the walk's marks, three empty lists,
 * stay in the collector's lists. */
void sg_census_after_fork_in_child(void);

#endif
