/* The bucket table: see heap_buckets.h. */
#include "heap_buckets.h"

#include <stdatomic.h>
#include <string.h>

#include "heap_index.h"
#include "heap_sampling.h"
#include "heap_stacks.h"
#include "memory.h"

enum {
    FIRST_BITS = 10, /* the first segment has 1024 buckets, each further one twice as many */
    N_SEGMENTS = 12,
    N_FUTURE = 3,
};

struct future {
    uint32_t cycle; /* that `sums` belong to */
    struct sg_heap_sums sums;
};

struct bucket {
    struct future future[N_FUTURE]; /* of cycle c: future[c % 3] */
    struct sg_heap_sums active;
    uint64_t hash;
    uint64_t rate;
    const struct sg_heap_stack *stack;
    uint32_t size_class;
    enum sg_heap_kind kind;
};

/* Guarded by the claim; the counters are read by anyone. `changed` has a byte a bucket, apart, so
 * that a reader who looks for the few that have changed passes over little memory. */
static struct bucket *segments[N_SEGMENTS];
static bool *changed[N_SEGMENTS];
static struct sg_heap_index bucket_index;
static _Atomic uint32_t n_buckets;
static _Atomic uint64_t n_bytes;

static uint32_t segment_of(uint32_t id, uint32_t *offset) {
    uint32_t shifted = id + (1u << FIRST_BITS);
    uint32_t bits = 31 - (uint32_t)__builtin_clz(shifted);
    *offset = shifted - (1u << bits);
    return bits - FIRST_BITS;
}

static struct bucket *bucket_at(uint32_t id) {
    uint32_t offset, segment = segment_of(id, &offset);
    return &segments[segment][offset];
}

static bool *change_at(uint32_t id) {
    uint32_t offset, segment = segment_of(id, &offset);
    return &changed[segment][offset];
}

static uint64_t hash_of_key(const struct sg_heap_key *key, uint64_t stack_hash) {
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t hash = stack_hash ^ ((uint64_t)key->size_class << 1 | key->kind) * odd;
    hash = (hash ^ key->rate) * odd;
    return hash ^ (hash >> 32);
}

struct wanted {
    uint64_t hash;
    const struct sg_heap_key *key;
};

static bool is_equal(uint32_t id, const void *context) {
    const struct wanted *wanted = context;
    const struct sg_heap_key *key = wanted->key;
    const struct bucket *bucket = bucket_at(id);
    return bucket->hash == wanted->hash && bucket->size_class == key->size_class &&
           bucket->rate == key->rate && bucket->kind == key->kind &&
           bucket->stack->depth == key->depth &&
           memcmp(bucket->stack->frames, key->frames, key->depth * sizeof *key->frames) == 0;
}

static uint64_t hash_of(uint32_t id) { return bucket_at(id)->hash; }

static bool make_room(uint32_t id) {
    uint32_t offset, segment = segment_of(id, &offset);
    if (segment >= N_SEGMENTS)
        return false;
    uint64_t n = UINT64_C(1) << (segment + FIRST_BITS);
    if (!segments[segment] && (segments[segment] = sg_memory_map(n * sizeof **segments)))
        atomic_fetch_add(&n_bytes, n * sizeof **segments);
    if (!changed[segment] && (changed[segment] = sg_memory_map(n)))
        atomic_fetch_add(&n_bytes, n);
    return segments[segment] && changed[segment];
}

static uint32_t add(const struct sg_heap_key *key, uint64_t hash, uint64_t stack_hash) {
    uint32_t id = atomic_load_explicit(&n_buckets, memory_order_relaxed);
    if (!make_room(id) || !sg_heap_index_reserve(&bucket_index, hash_of))
        return SG_HEAP_NO_BUCKET;
    const struct sg_heap_stack *stack = sg_heap_stacks_intern(stack_hash, key->frames, key->depth);
    if (!stack)
        return SG_HEAP_NO_BUCKET;
    struct bucket *bucket = bucket_at(id);
    bucket->hash = hash;
    bucket->rate = key->rate;
    bucket->stack = stack;
    bucket->size_class = key->size_class;
    bucket->kind = key->kind;
    sg_heap_index_put(&bucket_index, hash, id);
    atomic_store_explicit(&n_buckets, id + 1, memory_order_release);
    return id;
}

uint32_t sg_heap_buckets_find(const struct sg_heap_key *key) {
    uint64_t stack_hash = sg_heap_stack_hash(key->frames, key->depth);
    uint64_t hash = hash_of_key(key, stack_hash);
    struct wanted wanted = {hash, key};
    uint32_t id = sg_heap_index_find(&bucket_index, hash, is_equal, &wanted);
    return id != UINT32_MAX ? id : add(key, hash, stack_hash);
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

void sg_heap_buckets_add_alloc(uint32_t id, uint64_t bytes, uint32_t cycle) {
    struct sg_heap_sums *sums = future_of(bucket_at(id), cycle);
    sums->allocs++;
    sums->alloc_bytes += bytes;
    *change_at(id) = true;
}

void sg_heap_buckets_add_free(uint32_t id, uint64_t bytes, uint32_t cycle) {
    struct sg_heap_sums *sums = future_of(bucket_at(id), cycle);
    sums->frees++;
    sums->free_bytes += bytes;
    *change_at(id) = true;
}

void sg_heap_buckets_get(uint32_t id, uint32_t published, struct sg_heap_bucket *bucket) {
    const struct bucket *from = bucket_at(id);
    *bucket = (struct sg_heap_bucket){
        .id = id,
        .kind = from->kind,
        .rate = from->rate,
        .least_size = sg_heap_least_size(from->size_class),
        .depth = from->stack->depth,
        .frames = from->stack->frames,
        .live = from->active,
        .as_of_full = from->active,
    };
    for (int i = 0; i < N_FUTURE; i++) {
        add_sums(&bucket->live, &from->future[i].sums);
        if (from->future[i].cycle <= published)
            add_sums(&bucket->as_of_full, &from->future[i].sums);
    }
}

bool sg_heap_buckets_take_change(uint32_t id, uint32_t seen, uint32_t published) {
    bool *change = change_at(id);
    bool was_changed = *change;
    const struct bucket *bucket = bucket_at(id);
    *change = false;
    for (int i = 0; i < N_FUTURE && !was_changed && seen != published; i++) {
        const struct future *future = &bucket->future[i];
        was_changed = future->cycle > seen && future->cycle <= published &&
                      (future->sums.allocs || future->sums.frees);
    }
    return was_changed;
}

uint32_t sg_heap_buckets_count(void) { return atomic_load(&n_buckets); }
uint32_t sg_heap_buckets_stacks(void) { return sg_heap_stacks_count(); }

uint64_t sg_heap_buckets_bytes(void) {
    return atomic_load(&n_bytes) + sg_heap_stacks_bytes() +
           bucket_index.capacity * sizeof *bucket_index.entries;
}

int sg_heap_buckets_prepare(void) { return sg_heap_index_reserve(&bucket_index, hash_of) ? 0 : -1; }

void sg_heap_buckets_discard(void) {
    for (uint32_t i = 0; i < N_SEGMENTS; i++) {
        uint64_t n = UINT64_C(1) << (i + FIRST_BITS);
        sg_memory_unmap(segments[i], n * sizeof **segments);
        sg_memory_unmap(changed[i], n);
        segments[i] = NULL;
        changed[i] = NULL;
    }
    sg_heap_index_discard(&bucket_index);
    sg_heap_stacks_discard();
    atomic_store(&n_buckets, 0);
    atomic_store(&n_bytes, 0);
}
