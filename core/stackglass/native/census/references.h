/* What the objects of a census refer to: the only way to objects that the collector does not list.
 *
 *     listed object ──▶ str, int, bytes …      its block is proven; its type is read
 *                   ──▶ untracked tuple, dict ──▶ … likewise
 *
 * Lists, tuples and dicts are followed by position, so that one of millions takes many slices; all
 * others by their own tp_traverse, which the collector itself would call: up to so many references,
 * beyond which the blocks of what they lead to stay unknown. */
#ifndef STACKGLASS_CENSUS_REFERENCES_H
#define STACKGLASS_CENSUS_REFERENCES_H

#include "census/census.h"

/* Go on at census->place. False = the slice has to end before all have been followed. Caller holds
 * the GIL; `object` is listed and of that type. */
bool sg_census_references_follow(struct sg_census *census, const struct sg_known_type *known,
                                 void *object);

#endif
