/* Start blocks of a memory trace: the objects of its start snapshot, 24 bytes each, sorted by
 * address.
 *
 * A start block lives once, from the snapshot to its death. Both event numbers are stored with it,
 * so two comparisons say whether it is live after n events, for any n and every replay. Checkpoints
 * and replays do not copy start blocks.
 *
 *     address ──hash of its KiB──▶ first row of that KiB ──▶ row: birth < n ≤ death?
 *
 * One thread fills the table: sg_start_add, sg_start_finish, sg_start_end and sg_start_set_type for
 * each death and type that a survey finds, and sg_start_freeze. The table is then immutable, and
 * any thread may read it. Objects larger than a granule are not in it. A block that is recycled, or
 * changes a known type, ends here and goes on as a row of struct sg_blocks. */
#ifndef SG_MEMORY_START_H
#define SG_MEMORY_START_H

#include "memory_blocks.h"
#include "memory_table.h"

#define SG_NO_DEATH UINT32_MAX

struct sg_start_block {
    uint64_t address;
    uint32_t size;
    uint32_t kind;  /* index in `kinds` */
    uint32_t birth; /* number of its event in the snapshot */
    uint32_t death; /* number of the event that ended it; SG_NO_DEATH = it lives on */
};

/* Stack and type of start blocks. */
struct sg_start_site {
    uint32_t stack, type;
};

/* What blocks of one site, domain and thread share. */
struct sg_start_kind {
    uint32_t place; /* index in `sites` in the low 28 bits, the domain above them */
    uint32_t tid;
};

struct sg_start_sum {
    int64_t n, bytes;
};

struct sg_start {
    struct sg_vector blocks; /* struct sg_start_block; by address once it is finished */
    struct sg_table sites;   /* struct sg_start_site */
    struct sg_table kinds;   /* struct sg_start_kind */
    uint32_t *pages;         /* hash table by KiB of addresses: its first row plus 1; 0 = free */
    size_t n_pages;          /* slots of `pages`; a power of two */
    struct sg_vector deaths; /* u32 rows, in the order of their deaths */
    struct sg_vector sums;   /* (steps, sites) struct sg_start_sum after each `sum_step` deaths */
    size_t sum_step;
    int64_t time_ns;   /* time of the snapshot */
    uint64_t n_events; /* events of the snapshot that were added so far */
    int is_frozen;
};

/* Columns of events of the snapshot, `n` rows each. */
struct sg_start_events {
    const uint8_t *kind;
    const int64_t *time_ns;
    const uint32_t *tid;
    const uint64_t *address, *size;
    const uint32_t *stack, *type;
    const uint8_t *domain;
    size_t n;
};

void sg_start_init(struct sg_start *start, uint64_t seed);
void sg_start_release(struct sg_start *start);
/* Add the objects among the next events. Returns 0, -1 if memory is short, or -2 if there are too
 * many events or sites. */
int sg_start_add(struct sg_start *start, const struct sg_start_events *events);
/* Sort the blocks by address and keep the last block of each address. Returns 0, or -1 if memory is
 * short. */
int sg_start_finish(struct sg_start *start);
/* Record the death of a row at an event; do nothing if the table is frozen. Returns 0, -1 if memory
 * is short, or -2 if the event's number is too large. */
int sg_start_end(struct sg_start *start, uint32_t row, uint64_t event);
/* Set the type of a block that had none. Returns 0, or -1 if memory is short or there are too many
 * sites. */
int sg_start_set_type(struct sg_start *start, uint32_t row, uint32_t type);
/* Compute `sums`, and record no more deaths. Returns 0, or -1 if memory is short. */
int sg_start_freeze(struct sg_start *start);

/* Return the row, plus 1, of the block at `address`, live or not; 0 = none. */
uint32_t sg_start_find(const struct sg_start *start, uint64_t address);
void sg_start_prefetch(const struct sg_start *start, uint64_t address);
/* Return the first row at or after an address. */
size_t sg_start_lower(const struct sg_start *start, uint64_t address);
/* Return a row in the form of struct sg_block. */
struct sg_block sg_start_block_at(const struct sg_start *start, uint32_t row);
/* Sum the blocks that are live after `n_events` events by site. `sums` has an item for each site.
 */
void sg_start_sum(const struct sg_start *start, uint64_t n_events, struct sg_start_sum *sums);

static inline struct sg_start_block *sg_start_row(const struct sg_start *start, size_t row) {
    return (struct sg_start_block *)(void *)start->blocks.data + row;
}

static inline int sg_start_is_live(const struct sg_start_block *block, uint64_t n_events) {
    return block->birth < n_events && block->death >= n_events;
}

#endif
