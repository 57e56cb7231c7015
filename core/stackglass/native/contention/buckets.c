/* The bucket table: an array that never moves, with two open-addressing indices.
 *
 *     key_index     kind, primitive, stacks, labels, lock ──▶ bucket
 *     group_index   the same without the lock ──▶ the group's first bucket, which counts its locks
 *
 * sg_contention_buckets_find applies the limits of buckets.h to a copy of the key: first to the
 * labels (bound_labels), then to the lock (may_have_lock). It looks up the changed key before it
 * adds a bucket. */
#include "contention/buckets.h"

#include <stdatomic.h>

#include "frames/stack_tree.h"
#include "labels/labels.h"
#include "platform/hash_index.h"
#include "platform/segmented_array.h"
#include "platform/seqlock.h"

struct bucket {
    _Atomic uint32_t version; /* of `sums` */
    uint32_t n_locks; /* in a group's first bucket: how many locks are distinguished in the group */
    struct sg_contention_key key;
    struct sg_contention_sums sums;
};

/* Written with the ledger's claim held, except that the reader clears flags in `changed`. Any
 * thread reads n_buckets. */
static struct sg_segmented_array buckets = {.item_bytes = sizeof(struct bucket)};
static struct sg_segmented_array changed = {.item_bytes = sizeof(_Atomic bool)};
static struct sg_hash_index key_index;
static struct sg_hash_index group_index; /* to each group's first bucket */
static _Atomic uint32_t n_buckets;

static struct bucket *bucket_at(uint32_t id) { return sg_segmented_array_at(&buckets, id); }
static _Atomic bool *change_at(uint32_t id) { return sg_segmented_array_at(&changed, id); }

static uint32_t hash_of_group(const struct sg_contention_key *key) {
    uint64_t stacks = sg_hash_index_mix(
        (uint64_t)key->stack << 32 | (uint32_t)key->kind << 16 | key->primitive, key->other);
    return (uint32_t)sg_hash_index_mix(stacks, (uint64_t)key->labels << 32 | key->other_labels);
}

static uint32_t hash_of_key(const struct sg_contention_key *key) {
    return (uint32_t)sg_hash_index_mix(hash_of_group(key), key->lock);
}

static bool is_group(uint32_t id, const void *context) {
    const struct sg_contention_key *wanted = context, *key = &bucket_at(id)->key;
    return key->stack == wanted->stack && key->other == wanted->other &&
           key->kind == wanted->kind && key->primitive == wanted->primitive &&
           key->labels == wanted->labels && key->other_labels == wanted->other_labels;
}

static bool is_key(uint32_t id, const void *context) {
    const struct sg_contention_key *wanted = context;
    return bucket_at(id)->key.lock == wanted->lock && is_group(id, wanted);
}

static uint32_t find_group(const struct sg_contention_key *key) {
    return sg_hash_index_find(&group_index, hash_of_group(key), is_group, key);
}

static bool is_half_full(void) {
    return atomic_load_explicit(&n_buckets, memory_order_relaxed) >= SG_CONTENTION_BUCKETS / 2;
}

bool sg_contention_buckets_may_distinguish(const struct sg_contention_key *key) {
    if (is_half_full())
        return false;
    uint32_t group = find_group(key);
    return group == UINT32_MAX || bucket_at(group)->n_locks < SG_CONTENTION_GROUP_LOCKS;
}

static uint32_t add(const struct sg_contention_key *key) {
    uint32_t id = atomic_load_explicit(&n_buckets, memory_order_relaxed), group = find_group(key);
    if (id == SG_CONTENTION_BUCKETS || !sg_segmented_array_make_room(&buckets, id) ||
        !sg_segmented_array_make_room(&changed, id) || !sg_hash_index_reserve(&key_index) ||
        !sg_hash_index_reserve(&group_index))
        return SG_NO_CONTENTION_BUCKET;
    bucket_at(id)->key = *key;
    sg_hash_index_put(&key_index, hash_of_key(key), id);
    if (group == UINT32_MAX) {
        group = id;
        sg_hash_index_put(&group_index, hash_of_group(key), id);
    }
    bucket_at(group)->n_locks += key->lock != 0 && !key->is_many;
    atomic_store_explicit(&n_buckets, id + 1, memory_order_release);
    return id;
}

static bool may_have_lock(const struct sg_contention_key *key) {
    return key->is_many ? !is_half_full() : sg_contention_buckets_may_distinguish(key);
}

/* Replace the labels of a new group by SG_OTHER_LABELS once the table is half full. */
static void bound_labels(struct sg_contention_key *key) {
    if (!is_half_full() || find_group(key) != UINT32_MAX)
        return;
    key->labels = key->labels ? SG_OTHER_LABELS : SG_NO_LABELS;
    key->other_labels = key->other_labels ? SG_OTHER_LABELS : SG_NO_LABELS;
}

bool sg_contention_buckets_has(const struct sg_contention_key *key) {
    return sg_hash_index_find(&key_index, hash_of_key(key), is_key, key) != UINT32_MAX;
}

uint32_t sg_contention_buckets_find(const struct sg_contention_key *key) {
    struct sg_contention_key wanted = *key;
    if (wanted.stack == SG_STACK_LOST || wanted.other == SG_STACK_LOST)
        return SG_NO_CONTENTION_BUCKET;
    bound_labels(&wanted);
    uint32_t id = sg_hash_index_find(&key_index, hash_of_key(&wanted), is_key, &wanted);
    if (id == UINT32_MAX && wanted.lock && !may_have_lock(&wanted)) {
        wanted.lock = 0;
        id = sg_hash_index_find(&key_index, hash_of_key(&wanted), is_key, &wanted);
    }
    return id != UINT32_MAX ? id : add(&wanted);
}

static uint32_t log2_of(uint64_t ns) { return ns ? 63 - (uint32_t)__builtin_clzll(ns) : 0; }

void sg_contention_buckets_add(uint32_t id, double count, double total_ns, uint64_t each_ns) {
    struct bucket *bucket = bucket_at(id);
    sg_seqlock_begin(&bucket->version);
    bucket->sums.count += count;
    bucket->sums.total_ns += total_ns;
    if (bucket->sums.max_ns < each_ns)
        bucket->sums.max_ns = each_ns;
    bucket->sums.delays[log2_of(each_ns)] += count;
    sg_seqlock_end(&bucket->version);
    atomic_store_explicit(change_at(id), true, memory_order_release);
}

bool sg_contention_buckets_take_change(uint32_t id) {
    return atomic_load_explicit(change_at(id), memory_order_relaxed) &&
           atomic_exchange(change_at(id), false);
}

struct sg_contention_key sg_contention_buckets_get(uint32_t id, struct sg_contention_sums *sums) {
    const struct bucket *bucket = bucket_at(id);
    sg_seqlock_copy(&bucket->version, sums, &bucket->sums, sizeof *sums);
    return bucket->key; /* constant */
}

uint32_t sg_contention_buckets_count(void) {
    return atomic_load_explicit(&n_buckets, memory_order_acquire);
}

uint64_t sg_contention_buckets_bytes(void) {
    return atomic_load(&buckets.n_bytes) + atomic_load(&changed.n_bytes) +
           sg_hash_index_bytes(&key_index) + sg_hash_index_bytes(&group_index);
}

int sg_contention_buckets_prepare(void) {
    return sg_hash_index_reserve(&key_index) && sg_hash_index_reserve(&group_index) ? 0 : -1;
}

void sg_contention_buckets_discard(void) {
    sg_segmented_array_discard(&buckets);
    sg_segmented_array_discard(&changed);
    sg_hash_index_discard(&key_index);
    sg_hash_index_discard(&group_index);
    atomic_store(&n_buckets, 0);
}
