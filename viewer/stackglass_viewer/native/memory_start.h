/* Start blocks of a memory trace: the objects of its start snapshot, 24 bytes each, sorted by
 * address.
 *
 * A start block has one life, from the snapshot to its death, so its life is stored with it:
 * whether it is live after n events is a comparison, at any moment and for every replay.
 * Checkpoints and replays do not copy them.
 *
 *     address ──hash of its KiB──▶ first row of that KiB ──▶ row: birth < n ≤ death?
 *
 * One thread fills it: add, finish, then deaths as a survey finds them, and freeze. Then it is
 * immutable, and any thread may read it. Objects of more than a granule are not in it. A block that
 * changes its type dies here and lives on as an ordinary block. */
#ifndef SG_MEMORY_START_H
#define SG_MEMORY_START_H

#include "memory_blocks.h"
#include "memory_table.h"

#define SG_NO_DEATH UINT32_MAX

struct sg_start_block {
    uint64_t address;
    uint32_t size;
    uint32_t kind;  /* index of a kind */
    uint32_t birth; /* number of the event of the snapshot */
    uint32_t death; /* number of the event that ended it; SG_NO_DEATH = it lives on */
};

/* Blocks of one stack and type, at the start. */
struct sg_start_site {
    uint32_t stack, type;
    int64_t n, bytes;
};

/* What blocks of one site, domain and thread share. */
struct sg_start_kind {
    uint32_t place; /* index of a site in the low 28 bits, above them the domain */
    uint32_t tid;
};

struct sg_start_sum {
    int64_t n, bytes;
};

struct sg_start {
    struct sg_vector blocks; /* struct sg_start_block; by address once it is finished */
    struct sg_table sites;   /* struct sg_start_site */
    struct sg_table kinds;   /* struct sg_start_kind */
    uint32_t *pages;         /* first row of each KiB that has any, plus 1, by hash; 0 = empty */
    size_t n_pages;          /* slots; a power of two */
    struct sg_vector deaths; /* u32 rows, in the order of their deaths */
    struct sg_vector sums;   /* struct sg_start_sum of each site, after every `sum_step` deaths */
    size_t sum_step;
    int64_t time_ns;   /* of the snapshot */
    uint64_t n_events; /* added so far */
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
/* Add the objects among the next events. 0; -1 if there is no memory; -2 if there are too many. */
int sg_start_add(struct sg_start *start, const struct sg_start_events *events);
/* Sort, and keep the last block of each address. 0, or -1 if there is no memory. */
int sg_start_finish(struct sg_start *start);
/* Record a row's death at an event; once frozen, do nothing. 0; -1 if there is no memory; -2 if the
 * event's number is too large. */
int sg_start_end(struct sg_start *start, uint32_t row, uint64_t event);
/* Set the type of a block that had none, from its birth on. 0, or -1 if there is no memory. */
int sg_start_set_type(struct sg_start *start, uint32_t row, uint32_t type);
/* Sum the sites after every `sum_step` deaths; no death is recorded any more. 0, or -1 if there is
 * no memory. */
int sg_start_freeze(struct sg_start *start);

/* The block at an address, whether it is live or not: its row plus 1; 0 = there is none. */
uint32_t sg_start_find(const struct sg_start *start, uint64_t address);
void sg_start_prefetch(const struct sg_start *start, uint64_t address);
/* The first row at or after an address. */
size_t sg_start_lower(const struct sg_start *start, uint64_t address);
/* A row as a block that any other function takes. */
struct sg_block sg_start_block_at(const struct sg_start *start, uint32_t row);
/* Live blocks after `n_events` events, by site. `sums` has an item for each site. */
void sg_start_sum(const struct sg_start *start, uint64_t n_events, struct sg_start_sum *sums);

static inline struct sg_start_block *sg_start_row(const struct sg_start *start, size_t row) {
    return (struct sg_start_block *)(void *)start->blocks.data + row;
}

static inline int sg_start_is_live(const struct sg_start_block *block, uint64_t n_events) {
    return block->birth < n_events && block->death >= n_events;
}

#endif
