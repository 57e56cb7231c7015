/* Blocks, sums and events change together, in these functions only. */
#include "heap/entries.h"

#include <stdatomic.h>

#include "heap/blocks.h"
#include "heap/buckets.h"
#include "heap/cycles.h"
#include "heap/events.h"
#include "heap/sampling.h"
#include "heap/stacks.h"

/* Written with the claim held, read by any thread. */
static _Atomic uint64_t n_samples, n_lost;

static void count(_Atomic uint64_t *counter) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static void add_event(const struct sg_heap_moment *moment, uint32_t bucket, uint64_t bytes,
                      bool is_free) {
    struct sg_heap_event event = {
        .time = moment->time,
        .tid = moment->tid,
        .bucket = bucket,
        .bytes = bytes,
        .is_free = is_free,
    };
    sg_heap_events_add(&event);
}

/* Enter the free of a block that was taken out of the table. */
static void settle(const struct sg_heap_moment *moment, const struct sg_heap_taken *taken) {
    uint32_t in_cycle = sg_heap_cycles_now() + (moment->is_collector ? 1 : 2);
    /* A finaliser may allocate a block during a collection, and the same collection may free it. */
    if (in_cycle < taken->cycle)
        in_cycle = taken->cycle;
    sg_heap_buckets_add_free(taken->bucket, taken->size, in_cycle);
    add_event(moment, taken->bucket, taken->size, true);
}

void sg_heap_entries_free(const struct sg_heap_moment *moment, uintptr_t address) {
    struct sg_heap_taken taken = sg_heap_blocks_take(address);
    if (taken.address)
        settle(moment, &taken);
}

void sg_heap_entries_alloc(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc,
                           uint32_t stack) {
    struct sg_heap_key key = {
        .kind = alloc->kind,
        .size_class = sg_heap_sampling_size_class(alloc->size),
        .rate = alloc->rate,
        .stack = stack,
        .labels = alloc->labels,
    };
    struct sg_heap_taken block = {
        .address = alloc->address,
        .size = alloc->size,
        .cycle = sg_heap_cycles_now() + 2,
        .bucket = sg_heap_buckets_find(&key),
    };
    /* If a block is live at this address, its free was missed: no address is live twice. */
    sg_heap_entries_free(moment, alloc->address);
    if (block.bucket == SG_HEAP_NO_BUCKET || !sg_heap_blocks_put(&block)) {
        count(&n_lost);
        return;
    }
    sg_heap_buckets_add_alloc(block.bucket, block.size, block.cycle);
    add_event(moment, block.bucket, block.size, false);
    count(&n_samples);
}

/* Put a block that was taken out back into the table. */
static void put_back(const struct sg_heap_moment *moment, const struct sg_heap_taken *taken) {
    sg_heap_entries_free(moment, taken->address);
    if (!sg_heap_blocks_put(taken))
        settle(moment, taken); /* there is no room to track the block: count it as freed */
}

void sg_heap_entries_apply(const struct sg_heap_record *record) {
    switch (record->kind) {
    case SG_HEAP_RECORD_ALLOC:
        sg_heap_entries_alloc(&record->moment, &record->alloc,
                              sg_stack_tree_intern(&sg_heap_stacks, record->frames, record->depth));
        break;
    case SG_HEAP_RECORD_FREE:
        sg_heap_entries_free(&record->moment, record->taken.address);
        break;
    case SG_HEAP_RECORD_PUT_BACK:
        put_back(&record->moment, &record->taken);
        break;
    case SG_HEAP_RECORD_SETTLE:
        settle(&record->moment, &record->taken);
        break;
    }
}

void sg_heap_entries_forget_blocks(void) {
    enum { STEP = 64 };
    struct sg_heap_moment moment = {0};
    struct sg_heap_block blocks[STEP];
    bool is_end = false;
    for (uint32_t first = 0; !is_end; first += STEP) {
        uint32_t n = sg_heap_blocks_copy(first, STEP, blocks, &is_end);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t in_cycle = sg_heap_cycles_now() + 2; /* no block was added to a later one */
            sg_heap_buckets_add_free(blocks[i].bucket, blocks[i].size, in_cycle);
            add_event(&moment, blocks[i].bucket, blocks[i].size, true);
        }
    }
    sg_heap_blocks_clear();
}

uint64_t sg_heap_entries_samples(void) { return atomic_load(&n_samples); }

uint64_t sg_heap_entries_lost(void) { return atomic_load(&n_lost); }

void sg_heap_entries_discard(void) {
    atomic_store(&n_samples, 0);
    atomic_store(&n_lost, 0);
}
