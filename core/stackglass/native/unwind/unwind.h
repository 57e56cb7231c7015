/* Native stacks: on or off, and what they need.
 *
 *     off ──set_wanted──▶ tables are made, in steps ──▶ ready: stacks have C frames
 *
 * Called by the writer, except where a line says otherwise. */
#ifndef STACKGLASS_UNWIND_UNWIND_H
#define STACKGLASS_UNWIND_UNWIND_H

#include <stdbool.h>

void sg_unwind_set_wanted(bool is_wanted);
/* Do a part of the pending work, a few milliseconds at most. True if there is more to do at once.
 */
bool sg_unwind_maintain(void);
/* Whether stacks are to have C frames now. */
bool sg_unwind_is_ready(void);
/* Why they never will; "" = nothing is wrong. */
const char *sg_unwind_problem(void);

/* Free everything. No handler and no hook runs. */
void sg_unwind_discard(void);
void sg_unwind_after_fork_in_child(void);

#endif
