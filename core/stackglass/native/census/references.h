/* References of the objects in a census: the only way to objects that the collector does not list.
 *
 *     listed object ──▶ str, int, bytes …         its block is proven, its type is read
 *                   ──▶ untracked tuple, dict ──▶ … and so are what they refer to
 *
 * Lists, tuples and dicts are followed by position, so that one with millions of items takes many
 * slices; other objects by their tp_traverse, as the collector would, up to MAX_REFERENCES
 * references: the types of blocks behind further references stay unknown. */
#ifndef STACKGLASS_CENSUS_REFERENCES_H
#define STACKGLASS_CENSUS_REFERENCES_H

#include "census/state.h"

/* Continue at census->place. Returns false if the slice ends before all references have been
 * followed. Caller holds the GIL; `object` is in the collector's lists and has the type `known`. */
bool sg_census_references_follow(struct sg_census *census, const struct sg_known_type *known,
                                 void *object);

#endif
