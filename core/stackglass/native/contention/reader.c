/* Copies are made while recording goes on. Buckets and locks are copied without the claim (buckets
 * under their seqlock); events as well, once the open ones have been closed with the claim. The
 * claim is taken once before the buckets are read, only because that applies deferred records. */
#include "contention/reader.h"

#include "contention/buckets.h"
#include "contention/events.h"
#include "contention/ledger.h"
#include "contention/locks.h"
#include "contention/stacks.h"

void sg_contention_reader_read(bool only_changed, sg_contention_bucket_fn *deliver, void *context) {
    uint32_t capacity = sg_contention_stacks_depth;
    struct sg_frame frames[capacity], others[capacity];
    sg_contention_ledger_claim(); /* applies deferred records */
    sg_contention_ledger_release();
    for (uint32_t id = 0, end = sg_contention_buckets_count(); id < end; id++) {
        struct sg_contention_sums sums;
        if (!sg_contention_buckets_take_change(id) && only_changed)
            continue;
        struct sg_contention_key key = sg_contention_buckets_get(id, &sums);
        if (sums.total_ns <= 0)
            continue; /* a bucket for losses, still empty */
        struct sg_contention_bucket bucket = {
            .id = id,
            .kind = key.kind,
            .primitive = key.primitive,
            .lock = key.lock,
            .depth = sg_stack_tree_get(&sg_contention_stacks, key.stack, frames, capacity),
            .frames = frames,
            .other_depth = sg_stack_tree_get(&sg_contention_stacks, key.other, others, capacity),
            .other_frames = others,
            .labels = key.labels,
            .other_labels = key.other_labels,
            .count = sums.count,
            .total_ns = sums.total_ns,
            .max_ns = sums.max_ns,
        };
        for (int i = 0; i < SG_CONTENTION_DELAYS; i++)
            bucket.delays[i] = sums.delays[i];
        deliver(context, &bucket);
    }
}

uint64_t sg_contention_reader_whole(double sum) {
    return sum < 1 ? 1 : sum < 0x1p64 ? (uint64_t)sum : UINT64_MAX;
}

void sg_contention_reader_drain_events(sg_contention_event_fn *deliver, void *context) {
    sg_contention_ledger_claim();
    sg_contention_events_close();
    sg_contention_ledger_release();
    sg_contention_events_drain(deliver, context);
}

void sg_contention_reader_read_locks(uint32_t first, sg_contention_lock_fn *deliver,
                                     void *context) {
    uint32_t n = sg_contention_locks_count();
    for (uint32_t number = first; number <= n; number++) {
        struct sg_contention_lock lock = sg_contention_locks_get(number);
        deliver(context, &lock);
    }
}

struct sg_contention_lock sg_contention_reader_lock_facts(uint32_t number) {
    return number <= sg_contention_locks_count() ? sg_contention_locks_get(number)
                                                 : (struct sg_contention_lock){.number = number};
}
