/* Native stacks: turns C frames in stacks on and off, and makes the tables that they need.
 *
 *     off ──set_wanted──▶ tables are made, in steps ──▶ ready: stacks have C frames
 *
 * The writer calls these functions, except that a job of the worker discards. */
#ifndef STACKGLASS_UNWIND_UNWIND_H
#define STACKGLASS_UNWIND_UNWIND_H

#include <stdbool.h>

void sg_unwind_set_wanted(bool is_wanted);
/* Do a part of the pending work, a few milliseconds at most. Returns true if there is more to do at
 * once. */
bool sg_unwind_maintain(void);
/* Return whether stacks are to have C frames now. */
bool sg_unwind_is_ready(void);
/* Return why stacks never have C frames; "" = nothing is wrong. */
const char *sg_unwind_problem(void);

/* Free everything. No handler and no hook may run. */
void sg_unwind_discard(void);
void sg_unwind_after_fork_in_child(void);

#endif
