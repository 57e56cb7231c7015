/* Checkpoints of a replay: all live blocks, packed, from which a replay goes on.
 *
 *     head     10 numbers of 8 bytes: n_events, time_ns, last_loss by domain, number of rows,
 *              number and bytes of live start blocks, which are not among them
 *     groups   of 1024 rows, by space and ascending address; a row:
 *              1 byte   domain, and which of size, stack, type and thread equal the row before
 *              1 byte   flags
 *              varints  address less the row before's; events and ns since its birth; those of
 *                       the four that differ; events until it was recycled, if it was
 *
 * An index has the first space and address of each group, and where it begins. */
#ifndef SG_MEMORY_CHECKPOINT_H
#define SG_MEMORY_CHECKPOINT_H

#include "memory_replay.h"

enum { SG_CHECKPOINT_HEAD = 80, SG_GROUP_ROWS = 1024 };

struct sg_checkpoint {
    const uint8_t *content;
    size_t n_bytes;
    const uint64_t *index; /* (n_groups, 3): space, address, offset of the group */
    size_t n_groups;
};

/* A row and what it is sorted by. */
struct sg_place {
    uint64_t address;
    uint32_t row;
};

/* Sort by address. 0, or -1 if there is no memory. */
int sg_sort_places(struct sg_place *places, size_t n);

/* Rows of live blocks of one space that reach into the addresses from `low` to `high`, exclusive,
 * by ascending address, into `rows` (u32). 0, or -1 if there is no memory. */
int sg_sort_rows(const struct sg_blocks *blocks, unsigned space, uint64_t low, uint64_t high,
                 struct sg_vector *rows);

/* Append to `content` (bytes) and `index` (u64). 0, or -1 if there is no memory. */
int sg_checkpoint_pack(const struct sg_replay *replay, struct sg_vector *content,
                       struct sg_vector *index);
/* What sg_checkpoint_pack is made of: append the head; append the blocks in `rows` (u32) of one
 * space, by ascending address. Results as there. */
int sg_checkpoint_pack_head(const struct sg_replay *replay, struct sg_vector *content);
int sg_checkpoint_pack_rows(const struct sg_replay *replay, unsigned space,
                            const struct sg_vector *rows, struct sg_vector *content,
                            struct sg_vector *index);
/* Add the blocks of the groups to the replay's, and set its counts and times from the head. Results
 * as of sg_checkpoint_load. */
int sg_checkpoint_add_groups(const struct sg_checkpoint *checkpoint, struct sg_replay *replay);
/* Replace the replay's blocks. 0; -1 if there is no memory; -2 if the content is damaged. */
int sg_checkpoint_load(const struct sg_checkpoint *checkpoint, struct sg_replay *replay);
/* Number of the event in which the block at an address was born; -1 = there is none; -2 if the
 * content is damaged. */
int64_t sg_checkpoint_find(const struct sg_checkpoint *checkpoint, unsigned space,
                           uint64_t address);

#endif
