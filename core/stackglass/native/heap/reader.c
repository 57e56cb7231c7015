/* How each table is copied while hooks go on, so that no reader holds the claim much longer than a
 * microsecond:
 *
 *     buckets       without the claim: each with its seqlock, again if it changed meanwhile
 *     blocks        with the claim, 256 places of the table at a time
 *     events        with the claim while open events are closed; the ring needs no claim
 *
 * The claim is taken once before the buckets are read, only because that applies deferred records.
 */
#include "heap/reader.h"

#include <stdatomic.h>

#include "heap/blocks.h"
#include "heap/buckets.h"
#include "heap/cycles.h"
#include "heap/events.h"
#include "heap/ledger.h"
#include "heap/stacks.h"

enum { PLACES_AT_ONCE = 256 };

void sg_heap_reader_read(bool only_changed, sg_heap_bucket_fn *deliver, void *context) {
    static uint32_t last_published; /* used by the one reader only */
    struct sg_frame frames[sg_heap_capture_depth];
    uint32_t seen = last_published, published = sg_heap_cycles_published();
    /* At the first collection `as_of_full` changes in all buckets. `seen` may come from an earlier
     * session; then all buckets are new as well. */
    bool is_all = !only_changed || !seen != !published || seen > published;
    last_published = published;
    if (!sg_heap_ledger_claim()) /* applies deferred records */
        return;
    sg_heap_ledger_release();
    for (uint32_t id = 0, end = sg_heap_buckets_count(); id < end; id++) {
        struct sg_heap_bucket bucket;
        if (!sg_heap_buckets_take_change(id, seen, published) && !is_all)
            continue;
        uint32_t stack = sg_heap_buckets_get(id, published, &bucket);
        if (!published)
            bucket.as_of_full = bucket.live;
        bucket.depth = sg_stack_tree_get(&sg_heap_stacks, stack, frames, sg_heap_capture_depth);
        bucket.frames = frames;
        deliver(context, &bucket);
    }
}

/* Takes the claim for 256 places at a time, about a microsecond; hooks defer meanwhile. */
void sg_heap_reader_read_blocks(sg_heap_block_fn *deliver, void *context) {
    struct sg_heap_block blocks[PLACES_AT_ONCE];
    bool is_end = false;
    for (uint32_t first = 0; !is_end; first += PLACES_AT_ONCE) {
        if (!sg_heap_ledger_claim())
            break;
        uint32_t n = sg_heap_blocks_copy(first, PLACES_AT_ONCE, blocks, &is_end);
        sg_heap_ledger_release();
        for (uint32_t i = 0; i < n; i++)
            deliver(context, &blocks[i]);
    }
}

bool sg_heap_reader_is_sampled(const void *address) {
    if (!sg_heap_blocks_count() || !sg_heap_blocks_may_have(address))
        return false;
    if (!sg_heap_ledger_claim())
        return false;
    bool is_there = sg_heap_blocks_has((uintptr_t)address);
    sg_heap_ledger_release();
    return is_there;
}

void sg_heap_reader_drain_events(sg_heap_event_fn *deliver, void *context) {
    if (!sg_heap_ledger_claim())
        return;
    sg_heap_events_close();
    sg_heap_ledger_release();
    sg_heap_events_drain(deliver, context);
}

void sg_heap_reader_drain_collections(sg_heap_collection_fn *deliver, void *context) {
    sg_heap_events_collections_drain(deliver, context);
}
