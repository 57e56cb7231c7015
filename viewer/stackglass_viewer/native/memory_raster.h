/* Raster of a heap map. A row is a range of addresses, a column a moment; a cell has the live bytes
 * and the key (type, site or size class) with most of them, or the class of their mean age.
 *
 * The rows are updated when blocks come and go, and copied to a column at its moment. So the cost
 * depends on the events and the cells, not on blocks that live through all columns. */
#ifndef SG_MEMORY_RASTER_H
#define SG_MEMORY_RASTER_H

#include "memory_blocks.h"

enum sg_map_key { SG_KEY_TYPE, SG_KEY_SITE, SG_KEY_SIZE_CLASS, SG_KEY_AGE, SG_KEYS };

/* Axis without gaps: runs of used addresses, ascending, and the position of each on the axis; the
 * last item of `position` (n + 1) is the axis's length. */
struct sg_axis {
    const uint64_t *start;
    const uint64_t *size;
    const uint64_t *position;
    size_t n;
};

struct sg_raster_row {
    int64_t bytes;
    double birth;        /* sum of bytes times birth_ns */
    int64_t best;        /* most bytes of an entry of this row */
    uint32_t best_entry; /* the entry with most bytes; 0 = none */
    uint32_t first;      /* the newest entry of the row; 0 = none */
    uint8_t is_stale;    /* `best` must be found again: its entry has lost bytes */
};

/* Bytes of one key in one row. The columns before `counted` are in `sum`; later columns, up to the
 * next change, have `bytes` each. */
struct sg_raster_entry {
    uint32_t row, key;
    int64_t bytes;
    double sum;       /* bytes, added up over the columns */
    uint32_t counted; /* columns */
    uint32_t next;    /* next entry of the same row; 0 = none */
};

struct sg_raster {
    struct sg_axis axis;
    uint64_t low, high; /* positions that the rows cover; low < high */
    enum sg_map_key key_is;
    size_t n_rows, n_columns;
    const int64_t *moment_ns; /* (n_columns), ascending */
    size_t column;            /* the next column to be written */
    int64_t *out_bytes;       /* (n_rows, n_columns) */
    uint32_t *out_key;
    struct sg_raster_row *rows;
    struct sg_vector entries; /* struct sg_raster_entry; entry 0 is never used */
    uint32_t *slots;          /* hash table of entries by (row, key); 0 = free */
    size_t n_slots;           /* a power of two */
    uint64_t seed;            /* seed of the hash */
    size_t region;            /* cache: the run of the axis that was found last */
    int is_out_of_memory;
};

/* Initialize; the caller has set the fields from `axis` to `out_key`, except `column`, and owns
 * their arrays. Returns 0, or -1 if memory is short. */
int sg_raster_init(struct sg_raster *raster);
void sg_raster_free(struct sg_raster *raster);

/* Add `bytes`, which may be negative, evenly to the rows of the `size` addresses from `address`. */
void sg_raster_spread(struct sg_raster *raster, uint64_t address, uint64_t size, int64_t bytes,
                      uint32_t key, double birth_ns);
void sg_raster_block(struct sg_raster *raster, const struct sg_block *block, int sign);
/* Write the columns whose moments are before `time_ns`. */
void sg_raster_advance(struct sg_raster *raster, int64_t time_ns);

/* Add up the bytes of each entry over all columns, once these are written: (key, sum), a key in as
 * many places as it has rows. No entries are kept for SG_KEY_AGE. Returns 0, or -1 if memory is
 * short. */
int sg_raster_sum(struct sg_raster *raster, struct sg_vector *keys, struct sg_vector *sums);

/* Return the size class: `size` rounded up to a multiple of 16 up to 512 bytes, and above to a
 * multiple of 1/8 of the largest power of two below it; at most 2^32 - 1. */
uint32_t sg_size_class(uint64_t size);
uint32_t sg_block_key(const struct sg_block *block, enum sg_map_key key_is);

#endif
