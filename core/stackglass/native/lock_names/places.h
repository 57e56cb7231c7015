/* The places where a search for names looks, at each level:
 *
 *     modules' variables ─▶ objects: attributes, items, variables around functions ─▶ next level
 *     and after the last level: variables of functions that run
 *
 * Owned by the thread that runs the job. Caller holds the GIL. */
#ifndef STACKGLASS_LOCK_NAMES_PLACES_H
#define STACKGLASS_LOCK_NAMES_PLACES_H

#include <stdbool.h>

#include "objects/collector_lists.h"

/* Continue the search at that place. Returns false if the slice has to end. The position among
 * modules is a number, so that modules may come and go between slices; threads are counted from the
 * oldest. */
bool sg_lock_places_see_modules(void);
bool sg_lock_places_see_object(void *context, struct sg_collector_node *node);
bool sg_lock_places_see_variables(void);

#endif
