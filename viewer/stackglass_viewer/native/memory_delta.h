/* Memory deltas: what a step between two checkpoints has changed in the live blocks.
 *
 * Blocks that were allocated and freed within the step are not in it, so applying the delta is
 * cheaper than replaying the step's events.
 *
 *     content  head of the checkpoint at the step's end
 *              u64 number of removals; for each, by ascending address:
 *                  varint address less the previous one
 *                  byte space; +128 = the block lives on, and is among the
 *                  added rows with another type or flag
 *              groups of added rows, as in a checkpoint
 *     index    of the groups
 */
#ifndef SG_MEMORY_DELTA_H
#define SG_MEMORY_DELTA_H

#include "memory_checkpoint.h"

/* Append the step since the last call or checkpoint, and begin the next one. 0, or -1 if there is
 * no memory. */
int sg_delta_pack(struct sg_replay *replay, struct sg_vector *content, struct sg_vector *index);
/* Begin a step here. */
void sg_delta_begin(struct sg_replay *replay);
/* Move the replay from the step's beginning to its end. 0; -1 = no memory; -2 = damaged content. */
int sg_delta_apply(const struct sg_checkpoint *delta, struct sg_replay *replay);
/* 1 if the block that was at an address when the step began was freed in it, else 0; -2 = damaged
 * content. */
int sg_delta_find_removed(const struct sg_checkpoint *delta, unsigned space, uint64_t address);

#endif
