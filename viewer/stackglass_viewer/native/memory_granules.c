/* A survey writes the log while it replays a trace; the heap map is drawn from it. */
#include <stdlib.h>
#include <string.h>

#include "memory_granules.h"
#include "memory_start.h"

/* The keys with most bytes are found again once 1/STALE_SHARE of a granule's objects has changed.
 */
enum { STALE_SHARE = 4 };
enum { TALLY_BITS = 9, TALLY_SLOTS = 1 << TALLY_BITS };

/* Hash table that sums bytes by key. Adding 1 to `now` clears it: a slot of another round is free.
 */
struct tally {
    uint32_t key[TALLY_SLOTS];
    uint32_t round[TALLY_SLOTS];
    uint64_t bytes[TALLY_SLOTS];
    uint32_t now, n;
    uint32_t best_key;
    uint64_t best;
};

static void begin_tally(struct tally *tally) {
    tally->now++;
    tally->n = tally->best_key = 0;
    tally->best = 0;
}

static void count(struct tally *tally, uint32_t key, uint64_t bytes) {
    size_t slot = (key * 0x9e3779b9u) >> (32 - TALLY_BITS);
    while (tally->round[slot] == tally->now && tally->key[slot] != key)
        slot = (slot + 1) & (TALLY_SLOTS - 1);
    if (tally->round[slot] != tally->now) {
        if (tally->n >= TALLY_SLOTS / 2)
            return; /* full: the key with most bytes is assumed to be among the first 256 */
        tally->n++;
        tally->round[slot] = tally->now;
        tally->key[slot] = key;
        tally->bytes[slot] = 0;
    }
    tally->bytes[slot] += bytes;
    if (tally->bytes[slot] > tally->best) {
        tally->best = tally->bytes[slot];
        tally->best_key = key;
    }
}

size_t sg_granules_count_dirty(const struct sg_blocks *blocks) { return blocks->dirty.n; }

static int push_u32(struct sg_vector *column, uint32_t value) {
    return sg_push_i32(column, (int32_t)value);
}

static double rate_block(const struct sg_block *block, struct tally *tallies) {
    if (block->size > SG_GRANULE_BYTES)
        return 0;
    for (unsigned i = 0; i < SG_KEY_AGE; i++)
        count(&tallies[i], sg_block_key(block, i), block->size);
    return (double)block->size * (double)block->birth_ns;
}

/* Find the keys with most bytes again, and the mean birth. */
static void rate_granule(const struct sg_blocks *blocks, uint64_t n_events,
                         struct sg_granule *granule, struct tally *tallies) {
    const struct sg_start *start = blocks->start;
    double birth = 0;
    for (unsigned i = 0; i < SG_KEY_AGE; i++)
        begin_tally(&tallies[i]);
    for (uint32_t row = granule->first; row;) {
        const struct sg_block *block = sg_block_at(blocks, row);
        row = block->next;
        __builtin_prefetch(sg_block_at(blocks, row));
        birth += rate_block(block, tallies);
    }
    size_t n = start ? start->blocks.n : 0;
    for (size_t at = n ? sg_start_lower(start, granule->number << SG_GRANULE_BITS) : 0;
         at < n && sg_start_row(start, at)->address >> SG_GRANULE_BITS == granule->number; at++) {
        if (!sg_start_is_live(sg_start_row(start, at), n_events))
            continue;
        const struct sg_block block = sg_start_block_at(start, (uint32_t)at);
        birth += rate_block(&block, tallies);
    }
    for (unsigned i = 0; i < SG_KEY_AGE; i++)
        granule->best[i] = tallies[i].best_key;
    granule->birth_ns = granule->bytes ? (int64_t)(birth / (double)granule->bytes) : 0;
    granule->n_changes = 0;
}

static int write_granule(const struct sg_blocks *blocks, uint64_t n_events, uint32_t index,
                         struct tally *tallies, struct sg_granule_step *step) {
    struct sg_granule *granule = sg_granule_at(blocks, index);
    if ((uint64_t)granule->n_changes * STALE_SHARE >= granule->n)
        rate_granule(blocks, n_events, granule, tallies);
    if (push_u32(&step->granule, index) < 0 || sg_push_u64(&step->bytes, granule->bytes) < 0 ||
        push_u32(&step->type, granule->best[SG_KEY_TYPE]) < 0 ||
        push_u32(&step->stack, granule->best[SG_KEY_SITE]) < 0 ||
        push_u32(&step->size_class, granule->best[SG_KEY_SIZE_CLASS]) < 0 ||
        sg_push_i64(&step->birth_ns, granule->birth_ns) < 0)
        return -1;
    return 0;
}

int sg_granules_drain(struct sg_blocks *blocks, uint64_t n_events, int is_key,
                      struct sg_granule_step *step) {
    struct tally *tallies = calloc(SG_KEY_AGE, sizeof *tallies);
    if (!tallies)
        return -1;
    int result = 0;
    for (size_t i = 1; is_key && i < blocks->granules.n; i++) {
        struct sg_granule *granule = sg_granule_at(blocks, (uint32_t)i);
        uint32_t n_changes = granule->n_changes;
        if (granule->n)
            sg_blocks_touch(blocks, (uint32_t)i);
        granule->n_changes = n_changes;
    }
    const uint32_t *dirty = (const uint32_t *)(const void *)blocks->dirty.data;
    for (size_t i = 0; i < blocks->dirty.n; i++) {
        sg_granule_at(blocks, dirty[i])->is_dirty = 0;
        if (result == 0)
            result = write_granule(blocks, n_events, dirty[i], tallies, step);
    }
    blocks->dirty.n = 0;
    free(tallies);
    return result;
}

void sg_granules_free(struct sg_granule_step *step) {
    sg_release(&step->granule);
    sg_release(&step->bytes);
    sg_release(&step->type);
    sg_release(&step->stack);
    sg_release(&step->size_class);
    sg_release(&step->birth_ns);
}

/* Replace what the raster has of a granule by `row` of the log. `shown` (by granule) is the row
 * that the raster has, plus 1; 0 = none. */
static void change_granule(struct sg_raster *raster, const struct sg_granule_log *log,
                           int64_t *shown, int64_t row) {
    uint32_t granule = log->granule[row];
    uint64_t address = log->number[granule] << SG_GRANULE_BITS;
    int64_t before = shown[granule] - 1;
    if (before >= 0 && log->bytes[before])
        sg_raster_spread(raster, address, SG_GRANULE_BYTES, -log->bytes[before], log->key[before],
                         (double)log->birth_ns[before]);
    if (log->bytes[row])
        sg_raster_spread(raster, address, SG_GRANULE_BYTES, log->bytes[row], log->key[row],
                         (double)log->birth_ns[row]);
    shown[granule] = row + 1;
}

static void change_wide(struct sg_raster *raster, const struct sg_granule_log *log, size_t i) {
    int32_t of = log->change_of[i];
    size_t wide = (size_t)(of < 0 ? -of : of) - 1;
    int64_t bytes = (int64_t)log->wide_size[wide];
    sg_raster_advance(raster, log->change_ns[i]);
    sg_raster_spread(raster, log->wide_address[wide], log->wide_size[wide], of < 0 ? -bytes : bytes,
                     log->wide_key[wide], (double)log->wide_birth_ns[wide]);
}

int sg_granules_draw(struct sg_raster *raster, const struct sg_granule_log *log, size_t first) {
    int64_t *shown = calloc(log->n_granules + 1, sizeof *shown);
    if (!shown)
        return -1;
    size_t change = 0;
    for (size_t step = first; step < log->n_steps && raster->column < raster->n_columns; step++) {
        for (; change < log->n_changes && log->change_ns[change] <= log->step_ns[step]; change++)
            change_wide(raster, log, change);
        sg_raster_advance(raster, log->step_ns[step]);
        for (int64_t row = log->step_start[step]; row < log->step_start[step + 1]; row++)
            change_granule(raster, log, shown, row);
    }
    for (; change < log->n_changes; change++)
        change_wide(raster, log, change);
    sg_raster_advance(raster, INT64_MAX);
    free(shown);
    return raster->is_out_of_memory ? -1 : 0;
}
