/* A hash index finds buckets by their keys. Buckets lie in segmented arrays that never move, so an
 * id, which is a bucket's position, stays valid.
 *
 *     key ──hash──▶ bucket_index ──▶ id ─┬▶ buckets[id] │ version │ future[3] │ active │ key │
 *                                        └▶ changed[id] │ a byte │
 *
 * A slot of `future` serves every third cycle: the first write for a new cycle adds the old sums to
 * `active` (future_of). To the reader, a bucket has changed if it was written (`changed`), or if a
 * collection has since published one of its slots: that does not write to the bucket, but changes
 * its `as_of_full`. */
#include "heap/buckets.h"

#include <stdatomic.h>
#include <string.h>

#include "frames/stack_tree.h"
#include "heap/sampling.h"
#include "labels/labels.h"
#include "platform/hash_index.h"
#include "platform/segmented_array.h"
#include "platform/seqlock.h"

enum { N_FUTURE = 3 };

struct future {
    uint32_t cycle; /* the cycle that `sums` belong to */
    struct sg_heap_sums sums;
};

struct bucket {
    _Atomic uint32_t version;       /* of the seqlock for the fields below */
    struct future future[N_FUTURE]; /* future[c % 3] has the sums of cycle c */
    struct sg_heap_sums active;
    struct sg_heap_key key;
};

/* Changed with the claim held, read by the one reader; any thread may read the counters. `changed`
 * has a byte for each bucket, in an array of its own, so that the reader scans little memory to
 * find the few buckets that changed. */
static struct sg_segmented_array buckets = {.item_bytes = sizeof(struct bucket)};
static struct sg_segmented_array changed = {.item_bytes = sizeof(_Atomic bool)};
static struct sg_hash_index bucket_index;
static _Atomic uint32_t n_buckets;
static uint32_t n_labelled; /* guarded by the claim */

static struct bucket *bucket_at(uint32_t id) { return sg_segmented_array_at(&buckets, id); }
static _Atomic bool *change_at(uint32_t id) { return sg_segmented_array_at(&changed, id); }

static uint32_t hash_of(const struct sg_heap_key *key) {
    uint64_t place =
        sg_hash_index_mix((uint64_t)key->stack << 32 | key->size_class << 1 | key->kind, key->rate);
    return (uint32_t)(key->labels ? sg_hash_index_mix(place, key->labels) : place);
}

static bool is_equal(uint32_t id, const void *context) {
    const struct sg_heap_key *wanted = context, *key = &bucket_at(id)->key;
    return key->stack == wanted->stack && key->size_class == wanted->size_class &&
           key->rate == wanted->rate && key->kind == wanted->kind && key->labels == wanted->labels;
}

static uint32_t add(const struct sg_heap_key *key, uint32_t hash) {
    uint32_t id = atomic_load_explicit(&n_buckets, memory_order_relaxed);
    if (!sg_segmented_array_make_room(&buckets, id) ||
        !sg_segmented_array_make_room(&changed, id) || !sg_hash_index_reserve(&bucket_index))
        return SG_HEAP_NO_BUCKET;
    bucket_at(id)->key = *key;
    sg_hash_index_put(&bucket_index, hash, id);
    n_labelled += key->labels != SG_NO_LABELS;
    atomic_store_explicit(&n_buckets, id + 1, memory_order_release);
    return id;
}

uint32_t sg_heap_buckets_find(const struct sg_heap_key *key) {
    if (key->stack == SG_STACK_LOST)
        return SG_HEAP_NO_BUCKET;
    uint32_t hash = hash_of(key);
    uint32_t id = sg_hash_index_find(&bucket_index, hash, is_equal, key);
    if (id != UINT32_MAX)
        return id;
    if (n_labelled < SG_HEAP_LABELLED || !key->labels || key->labels == SG_OTHER_LABELS)
        return add(key, hash);
    struct sg_heap_key other = *key;
    other.labels = SG_OTHER_LABELS;
    return sg_heap_buckets_find(&other);
}

static void add_sums(struct sg_heap_sums *to, const struct sg_heap_sums *from) {
    to->allocs += from->allocs;
    to->alloc_bytes += from->alloc_bytes;
    to->frees += from->frees;
    to->free_bytes += from->free_bytes;
}

static struct sg_heap_sums *future_of(struct bucket *bucket, uint32_t cycle) {
    struct future *future = &bucket->future[cycle % N_FUTURE];
    if (future->cycle != cycle) {
        add_sums(&bucket->active, &future->sums);
        memset(&future->sums, 0, sizeof future->sums);
        future->cycle = cycle;
    }
    return &future->sums;
}

static void end_change(struct bucket *bucket, uint32_t id) {
    sg_seqlock_end(&bucket->version);
    atomic_store_explicit(change_at(id), true, memory_order_release);
}

void sg_heap_buckets_add_alloc(uint32_t id, uint64_t bytes, uint32_t cycle) {
    struct bucket *bucket = bucket_at(id);
    sg_seqlock_begin(&bucket->version);
    struct sg_heap_sums *sums = future_of(bucket, cycle);
    sums->allocs++;
    sums->alloc_bytes += bytes;
    end_change(bucket, id);
}

void sg_heap_buckets_add_free(uint32_t id, uint64_t bytes, uint32_t cycle) {
    struct bucket *bucket = bucket_at(id);
    sg_seqlock_begin(&bucket->version);
    struct sg_heap_sums *sums = future_of(bucket, cycle);
    sums->frees++;
    sums->free_bytes += bytes;
    end_change(bucket, id);
}

/* Return a consistent copy of the bucket. */
static struct bucket copy_whole(const struct bucket *bucket) {
    struct bucket copy;
    sg_seqlock_copy(&bucket->version, (void *)&copy, (const void *)bucket, sizeof copy);
    return copy;
}

uint32_t sg_heap_buckets_get(uint32_t id, uint32_t published, struct sg_heap_bucket *bucket) {
    struct bucket from = copy_whole(bucket_at(id));
    *bucket = (struct sg_heap_bucket){
        .id = id,
        .kind = from.key.kind,
        .rate = from.key.rate,
        .size = sg_heap_sampling_class_size(from.key.size_class),
        .labels = from.key.labels,
        .live = from.active,
        .as_of_full = from.active,
    };
    for (int i = 0; i < N_FUTURE; i++) {
        add_sums(&bucket->live, &from.future[i].sums);
        if (from.future[i].cycle <= published)
            add_sums(&bucket->as_of_full, &from.future[i].sums);
    }
    return from.key.stack;
}

bool sg_heap_buckets_take_change(uint32_t id, uint32_t seen, uint32_t published) {
    if (atomic_load_explicit(change_at(id), memory_order_relaxed) &&
        atomic_exchange(change_at(id), false))
        return true;
    if (seen == published)
        return false;
    struct bucket bucket = copy_whole(bucket_at(id));
    bool is_changed = false;
    for (int i = 0; i < N_FUTURE; i++) {
        const struct future *future = &bucket.future[i];
        is_changed |= future->cycle > seen && future->cycle <= published &&
                      (future->sums.allocs || future->sums.frees);
    }
    return is_changed;
}

uint32_t sg_heap_buckets_count(void) { return atomic_load(&n_buckets); }

uint64_t sg_heap_buckets_bytes(void) {
    return atomic_load(&buckets.n_bytes) + atomic_load(&changed.n_bytes) +
           sg_hash_index_bytes(&bucket_index);
}

int sg_heap_buckets_prepare(void) { return sg_hash_index_reserve(&bucket_index) ? 0 : -1; }

void sg_heap_buckets_discard(void) {
    sg_segmented_array_discard(&buckets);
    sg_segmented_array_discard(&changed);
    sg_hash_index_discard(&bucket_index);
    atomic_store(&n_buckets, 0);
    n_labelled = 0;
}
