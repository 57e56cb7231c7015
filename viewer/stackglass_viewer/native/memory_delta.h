/* Memory deltas: the changes of the live blocks in a step, from one checkpoint to the next.
 *
 * Blocks that were allocated and freed within the step are not in it, so applying the delta is
 * cheaper than replaying the step's events.
 *
 *     content  head of the checkpoint at the step's end
 *              u64 number of removals; for each, by ascending address:
 *                  varint address less the previous one
 *                  byte space; +128 = the block was not freed: it is among the
 *                  added rows, with another type or flag
 *              groups of added rows, as in a checkpoint
 *     index    index of the groups, as in a checkpoint
 */
#ifndef SG_MEMORY_DELTA_H
#define SG_MEMORY_DELTA_H

#include "memory_checkpoint.h"

/* Append the step since the last call or checkpoint, and begin the next step. Returns 0, or -1 if
 * memory is short. */
int sg_delta_pack(struct sg_replay *replay, struct sg_vector *content, struct sg_vector *index);
/* Begin a step at the replay's current event. */
void sg_delta_begin(struct sg_replay *replay);
/* Move the replay from the step's beginning to its end. Returns 0, -1 if memory is short, or -2 if
 * the content is damaged. */
int sg_delta_apply(const struct sg_checkpoint *delta, struct sg_replay *replay);
/* Return 1 if the step freed the block that was at `address` at its beginning, else 0; -2 = the
 * content is damaged. */
int sg_delta_find_removed(const struct sg_checkpoint *delta, unsigned space, uint64_t address);

#endif
