/* Checkpoints of a replay: all live blocks in a packed form, from which the replay can continue.
 *
 *     head     10 numbers of 8 bytes: n_events, time_ns, last_loss by domain, number of rows,
 *              number and bytes of live start blocks, which have no rows
 *     groups   of 1024 rows, by space and ascending address; a row:
 *              1 byte   domain, and which of size, stack, type and thread equal the row before
 *              1 byte   flags
 *              varints  address less the address of the row before; events and ns since the birth;
 *                       those of size, stack, type and thread that differ; events between birth
 *                       and recycling, if the block was recycled
 *
 * An index has the space and first address of each group, and the group's offset. */
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

/* A row with its sort key. */
struct sg_place {
    uint64_t address;
    uint32_t row;
};

/* Sort by address. Returns 0, or -1 if memory is short. */
int sg_sort_places(struct sg_place *places, size_t n);

/* Append to `rows` (u32) the rows of all live blocks of `space` that overlap the addresses from
 * `low` to `high` (exclusive; UINT64_MAX = all above `low`), by ascending address. Returns 0, or -1
 * if memory is short. */
int sg_sort_rows(const struct sg_blocks *blocks, unsigned space, uint64_t low, uint64_t high,
                 struct sg_vector *rows);

/* Append a checkpoint to `content` (bytes) and `index` (u64). Returns 0, or -1 if memory is short.
 */
int sg_checkpoint_pack(const struct sg_replay *replay, struct sg_vector *content,
                       struct sg_vector *index);
/* The two parts of sg_checkpoint_pack, with the same results: append the head; append the blocks of
 * `space` in `rows` (u32), which are sorted by address. */
int sg_checkpoint_pack_head(const struct sg_replay *replay, struct sg_vector *content);
int sg_checkpoint_pack_rows(const struct sg_replay *replay, unsigned space,
                            const struct sg_vector *rows, struct sg_vector *content,
                            struct sg_vector *index);
/* Add the blocks of all groups to the replay, and set its counts and times from the head. Returns
 * the same as sg_checkpoint_load. */
int sg_checkpoint_add_groups(const struct sg_checkpoint *checkpoint, struct sg_replay *replay);
/* Replace the replay's blocks. Returns 0, -1 if memory is short, or -2 if the content is damaged.
 */
int sg_checkpoint_load(const struct sg_checkpoint *checkpoint, struct sg_replay *replay);
/* Return the number of the event that allocated the block at `address`; -1 = no such block; -2 =
 * the content is damaged. */
int64_t sg_checkpoint_find(const struct sg_checkpoint *checkpoint, unsigned space,
                           uint64_t address);

#endif
