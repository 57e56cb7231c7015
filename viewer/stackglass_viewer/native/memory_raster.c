/* Each row has a list of entries, one for each key that it has ever held. The key with most bytes
 * is kept while bytes are added; if its entry loses bytes, it is searched again at the next column.
 */
#include <stdlib.h>
#include <string.h>

#include "memory_raster.h"
#include "seeded_hash.h"
#include "text_pieces.h"

enum { FIRST_SLOTS = 4096 };

uint32_t sg_size_class(uint64_t size) {
    if (size <= 512)
        return (uint32_t)((size + 15) & ~(uint64_t)15);
    unsigned shift = 63 - (unsigned)__builtin_clzll(size - 1) - 3;
    uint64_t step = (uint64_t)1 << shift, rounded = (size + step - 1) & ~(step - 1);
    return rounded > UINT32_MAX ? UINT32_MAX : (uint32_t)rounded;
}

uint32_t sg_block_key(const struct sg_block *block, enum sg_map_key key_is) {
    switch (key_is) {
    case SG_KEY_TYPE:
        return block->type;
    case SG_KEY_SITE:
        return block->stack;
    case SG_KEY_SIZE_CLASS:
        return sg_size_class(block->size);
    default:
        return 0;
    }
}

int sg_raster_init(struct sg_raster *raster) {
    uint64_t keys[3];
    raster->column = raster->region = 0;
    raster->is_out_of_memory = 0;
    raster->entries = (struct sg_vector){0};
    raster->rows = calloc(raster->n_rows, sizeof *raster->rows);
    raster->n_slots = FIRST_SLOTS;
    sg_text_choose_keys(keys);
    raster->seed = keys[0];
    raster->slots = calloc(FIRST_SLOTS, sizeof *raster->slots);
    if (!raster->rows || !raster->slots ||
        sg_reserve(&raster->entries, 1, sizeof(struct sg_raster_entry)) < 0) {
        sg_raster_free(raster);
        return -1;
    }
    raster->entries.n = 1;
    return 0;
}

void sg_raster_free(struct sg_raster *raster) {
    free(raster->rows);
    free(raster->slots);
    raster->rows = NULL;
    raster->slots = NULL;
    sg_release(&raster->entries);
}

static struct sg_raster_entry *entry_at(const struct sg_raster *raster, uint32_t index) {
    return (struct sg_raster_entry *)(void *)raster->entries.data + index;
}

static size_t slot_of(const struct sg_raster *raster, uint32_t row, uint32_t key) {
    return sg_seeded_hash(raster->seed, (uint64_t)row << 32 | key) & (raster->n_slots - 1);
}

static int grow(struct sg_raster *raster) {
    if (raster->entries.n * 2 < raster->n_slots)
        return 0;
    uint32_t *wider = calloc(raster->n_slots * 4, sizeof *wider);
    if (!wider)
        return -1;
    free(raster->slots);
    raster->slots = wider;
    raster->n_slots *= 4;
    for (size_t i = 1; i < raster->entries.n; i++) {
        const struct sg_raster_entry *entry = entry_at(raster, (uint32_t)i);
        size_t slot = slot_of(raster, entry->row, entry->key);
        while (wider[slot])
            slot = (slot + 1) & (raster->n_slots - 1);
        wider[slot] = (uint32_t)i;
    }
    return 0;
}

/* Count an entry's bytes in the columns that were written since its last change. */
static void count_columns(const struct sg_raster *raster, struct sg_raster_entry *entry) {
    uint32_t column = (uint32_t)raster->column;
    entry->sum += (double)entry->bytes * (column - entry->counted);
    entry->counted = column;
}

static uint32_t find_entry(struct sg_raster *raster, uint32_t row, uint32_t key) {
    size_t slot = slot_of(raster, row, key);
    for (; raster->slots[slot]; slot = (slot + 1) & (raster->n_slots - 1)) {
        const struct sg_raster_entry *entry = entry_at(raster, raster->slots[slot]);
        if (entry->row == row && entry->key == key)
            return raster->slots[slot];
    }
    if (grow(raster) < 0 || raster->entries.n >= UINT32_MAX ||
        sg_reserve(&raster->entries, 1, sizeof(struct sg_raster_entry)) < 0) {
        raster->is_out_of_memory = 1;
        return 0;
    }
    slot = slot_of(raster, row, key);
    while (raster->slots[slot])
        slot = (slot + 1) & (raster->n_slots - 1);
    uint32_t index = (uint32_t)raster->entries.n++;
    *entry_at(raster, index) = (struct sg_raster_entry){
        .row = row,
        .key = key,
        .counted = (uint32_t)raster->column,
        .next = raster->rows[row].first,
    };
    raster->rows[row].first = index;
    raster->slots[slot] = index;
    return index;
}

static void change_row(struct sg_raster *raster, uint32_t number, int64_t bytes, uint32_t key,
                       double birth_ns) {
    struct sg_raster_row *row = &raster->rows[number];
    row->bytes += bytes;
    row->birth += (double)bytes * birth_ns;
    if (raster->key_is == SG_KEY_AGE)
        return;
    uint32_t index = find_entry(raster, number, key);
    if (!index)
        return;
    struct sg_raster_entry *entry = entry_at(raster, index);
    count_columns(raster, entry);
    entry->bytes += bytes;
    if (index == row->best_entry) {
        row->best = entry->bytes;
        if (bytes < 0)
            row->is_stale = 1;
    } else if (entry->bytes > row->best) {
        row->best = entry->bytes;
        row->best_entry = index;
    }
}

/* Return the index of the axis's run that has the address, or else of the next run; n = no such
 * run.
 */
static size_t find_region(struct sg_raster *raster, uint64_t address) {
    const struct sg_axis *axis = &raster->axis;
    size_t last = raster->region;
    if (last < axis->n && address >= axis->start[last] &&
        address - axis->start[last] < axis->size[last])
        return last;
    size_t low = 0, high = axis->n; /* find the first run that ends after `address` */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (axis->start[middle] + axis->size[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return raster->region = low;
}

static uint32_t row_of(const struct sg_raster *raster, uint64_t position) {
    uint64_t height = raster->high - raster->low;
    uint64_t row =
        (uint64_t)(((unsigned __int128)(position - raster->low) * raster->n_rows) / height);
    return (uint32_t)(row < raster->n_rows ? row : raster->n_rows - 1);
}

static uint64_t edge_of(const struct sg_raster *raster, uint32_t row) {
    uint64_t height = raster->high - raster->low;
    return raster->low +
           (uint64_t)(((unsigned __int128)row * height + raster->n_rows - 1) / raster->n_rows);
}

/* Add the part of `bytes` that falls on the positions from..to of the axis; `bytes` are spread over
 * `size` addresses in all. */
static void spread_positions(struct sg_raster *raster, uint64_t from, uint64_t to, uint64_t size,
                             int64_t bytes, uint32_t key, double birth_ns) {
    uint64_t begin = from > raster->low ? from : raster->low;
    uint64_t end = to < raster->high ? to : raster->high;
    if (begin >= end)
        return;
    uint32_t first = row_of(raster, begin), last = row_of(raster, end - 1);
    for (uint32_t row = first; row <= last; row++) {
        uint64_t top = row == first ? begin : edge_of(raster, row);
        uint64_t bottom = row == last ? end : edge_of(raster, row + 1);
        if (bottom <= top)
            continue;
        int64_t part = bottom - top == size
                           ? bytes
                           : (int64_t)((__int128)bytes * (int64_t)(bottom - top) / (int64_t)size);
        change_row(raster, row, part, key, birth_ns);
    }
}

void sg_raster_spread(struct sg_raster *raster, uint64_t address, uint64_t size, int64_t bytes,
                      uint32_t key, double birth_ns) {
    const struct sg_axis *axis = &raster->axis;
    uint64_t end = address + size;
    if (!size)
        return;
    for (size_t region = find_region(raster, address); region < axis->n; region++) {
        uint64_t start = axis->start[region], stop = start + axis->size[region];
        if (start >= end || axis->position[region] >= raster->high)
            return;
        uint64_t from = address > start ? address : start, to = end < stop ? end : stop;
        spread_positions(raster, axis->position[region] + (from - start),
                         axis->position[region] + (to - start), size, bytes, key, birth_ns);
    }
}

void sg_raster_block(struct sg_raster *raster, const struct sg_block *block, int sign) {
    int64_t bytes = (int64_t)block->size;
    sg_raster_spread(raster, block->address, block->size, sign < 0 ? -bytes : bytes,
                     sg_block_key(block, raster->key_is), (double)block->birth_ns);
}

static void find_best(struct sg_raster *raster, struct sg_raster_row *row) {
    row->best = 0;
    row->best_entry = 0;
    row->is_stale = 0;
    for (uint32_t index = row->first; index; index = entry_at(raster, index)->next)
        if (entry_at(raster, index)->bytes > row->best) {
            row->best = entry_at(raster, index)->bytes;
            row->best_entry = index;
        }
}

static uint32_t age_class(const struct sg_raster_row *row, int64_t moment_ns) {
    double age_us = ((double)moment_ns - row->birth / (double)row->bytes) / 1000;
    uint64_t whole = age_us > 0 ? (uint64_t)age_us : 0;
    return whole ? 64 - (uint32_t)__builtin_clzll(whole) : 0;
}

static void copy_out(struct sg_raster *raster, size_t column) {
    for (size_t i = 0; i < raster->n_rows; i++) {
        struct sg_raster_row *row = &raster->rows[i];
        size_t cell = i * raster->n_columns + column;
        raster->out_bytes[cell] = row->bytes > 0 ? row->bytes : 0;
        if (row->bytes <= 0) {
            raster->out_key[cell] = 0;
        } else if (raster->key_is == SG_KEY_AGE) {
            raster->out_key[cell] = age_class(row, raster->moment_ns[column]);
        } else {
            if (row->is_stale)
                find_best(raster, row);
            raster->out_key[cell] = row->best_entry ? entry_at(raster, row->best_entry)->key : 0;
        }
    }
}

void sg_raster_advance(struct sg_raster *raster, int64_t time_ns) {
    while (raster->column < raster->n_columns && raster->moment_ns[raster->column] < time_ns)
        copy_out(raster, raster->column++);
}

int sg_raster_sum(struct sg_raster *raster, struct sg_vector *keys, struct sg_vector *sums) {
    size_t n = raster->entries.n - 1;
    if (sg_reserve(keys, n, sizeof(uint32_t)) < 0 || sg_reserve(sums, n, sizeof(double)) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct sg_raster_entry *entry = entry_at(raster, (uint32_t)(i + 1));
        count_columns(raster, entry);
        ((uint32_t *)(void *)keys->data)[keys->n++] = entry->key;
        ((double *)(void *)sums->data)[sums->n++] = entry->sum;
    }
    return 0;
}
