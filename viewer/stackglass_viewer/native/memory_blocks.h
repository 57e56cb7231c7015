/* Live blocks of a memory trace: a table of rows, found by address, and listed by granule of memory
 * where they are surveyed. */
#ifndef SG_MEMORY_BLOCKS_H
#define SG_MEMORY_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

/* DROPPED: objects that ended with their span, and whose frees may follow. */
enum { SG_SPACE_OBJECT, SG_SPACE_SPAN, SG_SPACE_STACK, SG_SPACE_DROPPED, SG_SPACES };
enum { SG_BORN_BEFORE = 1, SG_RECYCLED = 2, SG_UNCERTAIN = 4, SG_TYPED_LATER = 8 };
enum { SG_GRANULE_BITS = 14, SG_NO_ROW = 0 };

/* A block: 64 bytes, one cache line. Row 0 is never used. */
struct sg_block {
    uint64_t address;
    uint64_t size;
    int64_t birth_ns;
    uint64_t birth_event;
    uint32_t stack;
    uint32_t type;
    uint32_t tid;
    uint32_t granule;        /* of objects, if they are listed: index; else 0 */
    uint32_t next, previous; /* rows in the granule's list, or of free rows; 0 = none */
    uint32_t recycled_after; /* events between the birth and the last recycling, at most 2^32 - 1 */
    uint8_t domain;
    uint8_t flags;
    uint8_t space;
    uint8_t is_used;
};

/* 16 KiB of addresses that ever held an object's beginning. Granule 0 is never used. */
struct sg_granule {
    uint64_t number;    /* address >> SG_GRANULE_BITS */
    uint64_t bytes;     /* of the objects that begin in it and are no larger than it */
    uint32_t first;     /* row; 0 = none */
    uint32_t n;         /* objects */
    uint32_t n_changes; /* objects that came, went or got a type since `best` was found */
    uint32_t best[3];   /* type, stack, size class with most bytes (memory_granules.c) */
    int64_t birth_ns;   /* mean, weighted by bytes, as `best` */
    uint8_t is_dirty;
};

/* A block that was there at the beginning of a step and is not, or not as it was, at its end. */
struct sg_removed {
    uint64_t address;
    uint32_t space;
};

/* What changes in a step between two checkpoints (memory_delta.h). */
struct sg_changes {
    uint64_t first_event;     /* the step's */
    struct sg_vector removed; /* struct sg_removed: blocks from before the step */
    struct sg_vector born;    /* u32 rows of blocks of the step, which may have ended since */
    struct sg_vector changed; /* u32 rows of older blocks with another type or flag */
    int is_out_of_memory;
};

struct sg_start;

struct sg_blocks {
    struct sg_vector rows;           /* struct sg_block */
    struct sg_vector granules;       /* struct sg_granule */
    uint32_t free_row;               /* head of the list of free rows */
    uint64_t *slots;                 /* row and, below it, its hash, 32 bits each; 0 = empty */
    uint32_t *granule_slots;         /* granule by number */
    size_t n_slots, n_granule_slots; /* powers of two */
    size_t n_used;                   /* rows */
    uint64_t n_live[SG_SPACES], bytes[SG_SPACES]; /* of rows */
    struct sg_start *start;             /* objects from before, beside the rows; NULL = none. The
                                         * owner's */
    uint64_t n_start_live, start_bytes; /* of these */
    uint64_t seed;              /* of the hashes: a file cannot choose where its addresses go */
    struct sg_vector dirty;     /* u32 granules that have changed */
    struct sg_changes *changes; /* NULL = they are not noted; the owner's */
    int is_listing;             /* granules are kept, with lists of their objects */
};

/* 0, or -1 if there is no memory. */
int sg_blocks_init(struct sg_blocks *blocks, uint64_t seed);
void sg_blocks_free(struct sg_blocks *blocks);
/* Remove all blocks; granules keep their indices. */
void sg_blocks_clear(struct sg_blocks *blocks);

/* The row of a block; 0 = there is none. */
uint32_t sg_blocks_find(const struct sg_blocks *blocks, unsigned space, uint64_t address);
/* Add a copy of `block`, which is not there. Its row, or 0 if there is no memory. */
uint32_t sg_blocks_add(struct sg_blocks *blocks, const struct sg_block *block);
/* Append `n` empty rows. Returns the first, or 0 if there is no memory. The caller fills them, then
 * makes them known with sg_blocks_enter. Only for a table that lists no granules. */
uint32_t sg_blocks_reserve(struct sg_blocks *blocks, size_t n);
void sg_blocks_enter(struct sg_blocks *blocks, uint32_t first, size_t n);
void sg_blocks_remove(struct sg_blocks *blocks, uint32_t row);
/* Note that a block has another type or flag. */
void sg_blocks_change(struct sg_blocks *blocks, uint32_t row);
void sg_changes_free(struct sg_changes *changes);
/* The granule of an address; 0 = none. */
uint32_t sg_blocks_granule(const struct sg_blocks *blocks, uint64_t number);
/* Count a start block as live (sign 1) or as ended (-1). 0, or -1 if there is no memory. */
int sg_blocks_count_start(struct sg_blocks *blocks, uint64_t address, uint64_t size, int sign);
void sg_blocks_touch(struct sg_blocks *blocks, uint32_t granule);
/* Bring what a later sg_blocks_find reads into the cache: first the slot, then the row. */
void sg_blocks_prefetch(const struct sg_blocks *blocks, unsigned space, uint64_t address);
void sg_blocks_prefetch_row(const struct sg_blocks *blocks, unsigned space, uint64_t address);

static inline struct sg_block *sg_block_at(const struct sg_blocks *blocks, uint32_t row) {
    return (struct sg_block *)(void *)blocks->rows.data + row;
}

static inline struct sg_granule *sg_granule_at(const struct sg_blocks *blocks, uint32_t index) {
    return (struct sg_granule *)(void *)blocks->granules.data + index;
}

#endif
