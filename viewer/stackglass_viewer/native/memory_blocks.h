/* Table of the live blocks of a memory trace. A hash table finds a block by its address. For a
 * survey or map, objects are also listed by granule, a piece of 16 KiB of the address space. */
#ifndef SG_MEMORY_BLOCKS_H
#define SG_MEMORY_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

/* The spaces keep blocks apart that may have the same address. DROPPED has objects that ended with
 * their span; an event of their free may still follow. */
enum { SG_SPACE_OBJECT, SG_SPACE_SPAN, SG_SPACE_STACK, SG_SPACE_DROPPED, SG_SPACES };
/* RETYPED: a survey keeps the type of its birth (memory_survey.h). */
enum { SG_BORN_BEFORE = 1, SG_RECYCLED = 2, SG_UNCERTAIN = 4, SG_TYPED_LATER = 8, SG_RETYPED = 16 };
enum { SG_GRANULE_BITS = 14 };

/* A block: 64 bytes, one cache line. Row 0 is never used. */
struct sg_block {
    uint64_t address;
    uint64_t size;
    int64_t birth_ns;
    uint64_t birth_event;
    uint32_t stack;
    uint32_t type;
    uint32_t tid;
    uint32_t granule;        /* index of an object's granule, if these are kept; else 0 */
    uint32_t next, previous; /* rows in the list of the granule or of free rows; 0 = none */
    uint32_t recycled_after; /* events between the birth and the last recycling, at most 2^32 - 1 */
    uint8_t domain;
    uint8_t flags;
    uint8_t space;
    uint8_t is_used;
};

/* 16 KiB of addresses in which an object has ever begun. Granule 0 is never used. */
struct sg_granule {
    uint64_t number;    /* address >> SG_GRANULE_BITS */
    uint64_t bytes;     /* bytes of objects that begin here and are no larger than a granule */
    uint32_t first;     /* row of the first object in the list; 0 = none */
    uint32_t n;         /* objects that begin here */
    uint32_t n_changes; /* objects that came, went or got a type since `best` was set */
    uint32_t best[3];   /* type, stack, size class with most bytes (memory_granules.c) */
    int64_t birth_ns;   /* mean weighted by bytes; set together with `best` */
    uint8_t is_dirty;
};

/* Removal in a delta: a block from before the step that was freed in it. memory_delta.c adds blocks
 * that were changed, with bit 128 of `space` set. */
struct sg_removed {
    uint64_t address;
    uint32_t space;
};

/* Changes in a step between two checkpoints (memory_delta.h). */
struct sg_changes {
    uint64_t first_event;     /* first event of the step */
    struct sg_vector removed; /* struct sg_removed: blocks from before the step */
    struct sg_vector born;    /* u32 rows added in the step; their blocks may have ended since */
    struct sg_vector changed; /* u32 rows of older blocks with another type or flag */
    int is_out_of_memory;
};

struct sg_start;

struct sg_blocks {
    struct sg_vector rows;                        /* struct sg_block */
    struct sg_vector granules;                    /* struct sg_granule */
    uint32_t free_row;                            /* head of the list of free rows */
    uint64_t *slots;                              /* row << 32 | hash, 32 bits each; 0 = free */
    uint32_t *granule_slots;                      /* hash table of granules by number; 0 = free */
    size_t n_slots, n_granule_slots;              /* powers of two */
    size_t n_used;                                /* used rows */
    uint64_t n_live[SG_SPACES], bytes[SG_SPACES]; /* live blocks in rows, and their bytes */
    /* Start blocks (memory_start.h), which have no rows; NULL = none; borrowed. */
    struct sg_start *start;
    uint64_t n_start_live, start_bytes; /* live start blocks, and their bytes */
    uint64_t seed;              /* seed of both hashes, so that a file cannot cause collisions */
    struct sg_vector dirty;     /* u32 granules that have changed */
    struct sg_changes *changes; /* NULL = changes are not recorded; borrowed */
    int is_listing;             /* granules are kept, with lists of their objects */
};

/* Make an empty table. Returns 0, or -1 if memory is short; nothing is to be freed then. */
int sg_blocks_init(struct sg_blocks *blocks, uint64_t seed);
void sg_blocks_free(struct sg_blocks *blocks);
/* Remove all blocks; granules keep their indices. */
void sg_blocks_clear(struct sg_blocks *blocks);

/* Return the row of a block; 0 = no such block. */
uint32_t sg_blocks_find(const struct sg_blocks *blocks, unsigned space, uint64_t address);
/* Add a copy of `block`, which is not in the table. Returns its row, or 0 if memory is short. */
uint32_t sg_blocks_add(struct sg_blocks *blocks, const struct sg_block *block);
/* Reserve `n` rows at the end. Returns the first, or 0 if memory is short. The caller fills them
 * and then adds them to the table with sg_blocks_enter. The table must not list granules. */
uint32_t sg_blocks_reserve(struct sg_blocks *blocks, size_t n);
void sg_blocks_enter(struct sg_blocks *blocks, uint32_t first, size_t n);
void sg_blocks_remove(struct sg_blocks *blocks, uint32_t row);
/* Record that a block has another type or flag. */
void sg_blocks_change(struct sg_blocks *blocks, uint32_t row);
void sg_changes_free(struct sg_changes *changes);
/* Return the index of the granule with this number (address >> SG_GRANULE_BITS); 0 = none. */
uint32_t sg_blocks_granule(const struct sg_blocks *blocks, uint64_t number);
/* Count a start block as live (`sign` 1) or as ended (-1). Returns 0, or -1 if memory is short. */
int sg_blocks_count_start(struct sg_blocks *blocks, uint64_t address, uint64_t size, int sign);
void sg_blocks_touch(struct sg_blocks *blocks, uint32_t granule);
/* Prefetch what a later sg_blocks_find reads: sg_blocks_prefetch its slot, and, when that is in the
 * cache, sg_blocks_prefetch_row its row. */
void sg_blocks_prefetch(const struct sg_blocks *blocks, unsigned space, uint64_t address);
void sg_blocks_prefetch_row(const struct sg_blocks *blocks, unsigned space, uint64_t address);

static inline struct sg_block *sg_block_at(const struct sg_blocks *blocks, uint32_t row) {
    return (struct sg_block *)(void *)blocks->rows.data + row;
}

static inline struct sg_granule *sg_granule_at(const struct sg_blocks *blocks, uint32_t index) {
    return (struct sg_granule *)(void *)blocks->granules.data + index;
}

#endif
