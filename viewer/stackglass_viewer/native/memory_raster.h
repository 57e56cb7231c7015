/* Raster of a heap map: bytes and the key with most of them, by row of addresses and moment.
 *
 * Rows are kept up as blocks come and go; at each column's moment they are copied out. So the cost
 * is that of the events and of the cells, not of the blocks that live through all columns. */
#ifndef SG_MEMORY_RASTER_H
#define SG_MEMORY_RASTER_H

#include "memory_blocks.h"

enum sg_map_key { SG_KEY_TYPE, SG_KEY_SITE, SG_KEY_SIZE_CLASS, SG_KEY_AGE, SG_KEYS };

/* Runs of used addresses, ascending, and where each begins on the axis (n + 1). */
struct sg_axis {
    const uint64_t *start;
    const uint64_t *size;
    const uint64_t *position;
    size_t n;
};

struct sg_raster_row {
    int64_t bytes;
    double birth;        /* sum of bytes times birth_ns */
    int64_t best;        /* bytes of the entry with most */
    uint32_t best_entry; /* 0 = none */
    uint32_t first;      /* the newest entry of the row; 0 = none */
    uint8_t is_stale;    /* `best` has to be found again */
};

/* Bytes of one key in one row. */
struct sg_raster_entry {
    uint32_t row, key;
    int64_t bytes;
    uint32_t next; /* entry of the same row; 0 = none */
};

struct sg_raster {
    struct sg_axis axis;
    uint64_t low, high; /* positions that the rows cover; low < high */
    enum sg_map_key key_is;
    size_t n_rows, n_columns;
    const int64_t *moment_ns; /* (n_columns), ascending */
    size_t column;            /* the next one to be copied out */
    int64_t *out_bytes;       /* (n_rows, n_columns) */
    uint32_t *out_key;
    struct sg_raster_row *rows;
    struct sg_vector entries; /* struct sg_raster_entry; 0 is never used */
    uint32_t *slots;          /* hash table of (row, key): entries; 0 = free */
    size_t n_slots;           /* a power of two */
    size_t region;            /* the run of the axis that was found last */
    int is_out_of_memory;
};

/* The fields from `axis` to `out_key` are the caller's. 0, or -1 if there is no memory. */
int sg_raster_init(struct sg_raster *raster);
void sg_raster_free(struct sg_raster *raster);

/* Add (sign 1) or take away (-1) `bytes` that are spread over addresses. */
void sg_raster_spread(struct sg_raster *raster, uint64_t address, uint64_t size, int64_t bytes,
                      uint32_t key, double birth_ns);
void sg_raster_block(struct sg_raster *raster, const struct sg_block *block, int sign);
/* Copy out the columns whose moments are before `time_ns`. */
void sg_raster_advance(struct sg_raster *raster, int64_t time_ns);

/* A size as it is rounded up for its class: by 16 bytes up to 512, then by an eighth of the power
 * of two. */
uint32_t sg_size_class(uint64_t size);
uint32_t sg_block_key(const struct sg_block *block, enum sg_map_key key_is);

#endif
