/* Deltas between checkpoints: what a step has changed in the live blocks.
 *
 * What was born and freed within the step is not in it, so that going over a step by its delta
 * costs a part of what its events cost.
 *
 *     content  head of the checkpoint at the step's end, u64 number of removals, for each by
 *              ascending address: varint address less the one before, byte space, +128 = it is
 *              there again, with another type or flag; then groups of added rows as in a checkpoint
 *     index    of the groups */
#ifndef SG_MEMORY_DELTA_H
#define SG_MEMORY_DELTA_H

#include "memory_checkpoint.h"

/* Append the step since the last call or checkpoint, and begin the next one. 0, or -1 if there is
 * no memory. */
int sg_delta_pack(struct sg_replay *replay, struct sg_vector *content, struct sg_vector *index);
/* Begin a step here. */
void sg_delta_begin(struct sg_replay *replay);
/* Go on from the step's beginning to its end. 0; -1 if there is no memory; -2 if it is damaged. */
int sg_delta_apply(const struct sg_checkpoint *delta, struct sg_replay *replay);
/* Whether the block that was at an address as the step began has ended in it; -2 if the content is
 * damaged. */
int sg_delta_find_removed(const struct sg_checkpoint *delta, unsigned space, uint64_t address);

#endif
