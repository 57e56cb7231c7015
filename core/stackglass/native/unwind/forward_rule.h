/* Rules of a forward walk: expresses the caller's frame, which the walk found at its exit, in terms
 * of the registers at each visited instruction. */
#ifndef STACKGLASS_UNWIND_FORWARD_RULE_H
#define STACKGLASS_UNWIND_FORWARD_RULE_H

#include <stdbool.h>

#include "unwind/forward_walk.h"

/* Set `rule` to the rule at a visit of a walk that has an exit. Returns false if no rule can
 * express it. */
bool sg_forward_rule_find(const struct sg_forward_walk *walk, const struct sg_forward_visit *visit,
                          struct sg_unwind_rule *rule);

#endif
