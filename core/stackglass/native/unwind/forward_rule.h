/* Rules of a forward walk: its exit, as seen from one of its instructions. */
#ifndef STACKGLASS_UNWIND_FORWARD_RULE_H
#define STACKGLASS_UNWIND_FORWARD_RULE_H

#include <stdbool.h>

#include "unwind/forward_walk.h"

/* The rule at a visit of a walk that knows the exit; false if it cannot be expressed there. */
bool sg_forward_rule_find(const struct sg_forward_walk *walk, const struct sg_forward_visit *visit,
                          struct sg_unwind_rule *rule);

#endif
