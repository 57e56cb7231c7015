/* What readers of the heap profile see: sg_heap_read and sg_heap_drain_… of heap.h.
 *
 * A reader holds the claim for some buckets at a time, a few microseconds; hooks that come
 * meanwhile leave notes. It hands out what it has copied without the claim. */
#include "heap.h"

#include <stdatomic.h>

#include "heap_blocks.h"
#include "heap_buckets.h"
#include "heap_events.h"
#include "heap_ledger.h"
#include "heap_stacks.h"

enum { BUCKETS_AT_ONCE = 32, CHANGES_AT_ONCE = 1024, PLACES_AT_ONCE = 256 };

/* Copy the buckets from `id` on that are wanted; moves `id` behind the last that was looked at. */
static uint32_t copy(uint32_t *id, uint32_t end, bool is_all, uint32_t seen, uint32_t published,
                     struct sg_heap_bucket *buckets, uint32_t *stacks) {
    uint32_t n = 0, stop = end - *id < CHANGES_AT_ONCE ? end : *id + CHANGES_AT_ONCE;
    sg_heap_ledger_claim();
    for (; *id < stop && n < BUCKETS_AT_ONCE; ++*id) {
        if (sg_heap_buckets_take_change(*id, seen, published) || is_all) {
            stacks[n] = sg_heap_buckets_get(*id, published, &buckets[n]);
            n++;
        }
    }
    sg_heap_ledger_release();
    return n;
}

size_t sg_heap_read(bool only_changed, sg_heap_bucket_fn *deliver, void *context) {
    static uint32_t last_published; /* the one reader's */
    struct sg_heap_bucket buckets[BUCKETS_AT_ONCE];
    uint32_t stacks[BUCKETS_AT_ONCE];
    struct sg_frame frames[SG_HEAP_DEPTH];
    uint32_t seen = last_published, published = sg_heap_ledger_published();
    /* The first collection parts the two views, the first session read is of none. */
    bool is_all = !only_changed || !seen != !published || seen > published;
    size_t n_read = 0;
    last_published = published;
    for (uint32_t id = 0, end = sg_heap_buckets_count(); id < end;) {
        uint32_t n = copy(&id, end, is_all, seen, published, buckets, stacks);
        for (uint32_t i = 0; i < n; i++) {
            if (!published)
                buckets[i].as_of_full = buckets[i].live;
            buckets[i].depth = sg_heap_stacks_get(stacks[i], frames, SG_HEAP_DEPTH);
            buckets[i].frames = frames;
            deliver(context, &buckets[i]);
        }
        n_read += n;
    }
    return n_read;
}

size_t sg_heap_read_blocks(sg_heap_block_fn *deliver, void *context) {
    struct sg_heap_block blocks[PLACES_AT_ONCE];
    size_t n_read = 0;
    bool is_end = false;
    for (uint32_t first = 0; !is_end; first += PLACES_AT_ONCE) {
        sg_heap_ledger_claim();
        uint32_t n = sg_heap_blocks_copy(first, PLACES_AT_ONCE, blocks, &is_end);
        sg_heap_ledger_release();
        for (uint32_t i = 0; i < n; i++)
            deliver(context, &blocks[i]);
        n_read += n;
    }
    return n_read;
}

size_t sg_heap_drain_events(sg_heap_event_fn *deliver, void *context) {
    sg_heap_ledger_claim();
    sg_heap_events_close();
    sg_heap_ledger_release();
    return sg_heap_events_drain(deliver, context);
}

size_t sg_heap_drain_collections(sg_heap_collection_fn *deliver, void *context) {
    return sg_heap_collections_drain(deliver, context);
}
