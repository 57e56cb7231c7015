/* A direct-mapped cache of 256 places. The hash takes two frames of each side, the comparison all,
 * so a collision costs a look-up and never gives another record's bucket. All places are emptied at
 * once by raising present_age. */
#include "contention/memo.h"

#include <stdbool.h>
#include <string.h>

#include "contention/buckets.h"

enum { BITS = 8 };

struct memo_side {
    sg_contention_stack stack;
    uint32_t depth, labels;
    struct sg_frame frames[SG_CONTENTION_MEMO_DEPTH];
};

struct sg_contention_memo {
    uint64_t age; /* not present_age: the place is empty */
    const void *lock;
    uint32_t kind, primitive, bucket;
    struct memo_side side, other;
};

/* Guarded by the claim. */
static struct sg_contention_memo memos[1 << BITS];
static uint64_t present_age = 1;

static uint64_t mix(uint64_t hash, uint64_t word) {
    return (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t word_of(const struct sg_contention_side *side) {
    uint64_t word = mix((uint64_t)side->stack << 32 | side->depth, side->labels);
    for (uint32_t i = 0; i < 2 && i < side->depth; i++)
        word = mix(word, (uint64_t)side->frames[i].code << 32 | (uint32_t)side->frames[i].lasti);
    return word;
}

struct sg_contention_memo *sg_contention_memo_of(const struct sg_contention_record *record) {
    if (record->side.depth > SG_CONTENTION_MEMO_DEPTH ||
        record->other.depth > SG_CONTENTION_MEMO_DEPTH)
        return NULL;
    uint64_t hash = mix((uintptr_t)record->lock, (uint64_t)record->kind << 32 | record->primitive);
    hash = mix(mix(hash ^ (hash >> 32), word_of(&record->side)), word_of(&record->other));
    return &memos[hash >> (64 - BITS)];
}

/* Whether the memo has this side. A stack that is a handle has depth 0, and no frames. */
static bool is_same(const struct memo_side *memo, const struct sg_contention_side *side) {
    return memo->stack == side->stack && memo->depth == side->depth &&
           memo->labels == side->labels &&
           (!side->depth ||
            !memcmp(memo->frames, side->frames, side->depth * sizeof *side->frames));
}

uint32_t sg_contention_memo_get(const struct sg_contention_memo *memo,
                                const struct sg_contention_record *record) {
    bool is_known = memo->age == present_age && memo->lock == record->lock &&
                    memo->kind == record->kind && memo->primitive == record->primitive &&
                    is_same(&memo->side, &record->side) && is_same(&memo->other, &record->other);
    return is_known ? memo->bucket : SG_NO_CONTENTION_BUCKET;
}

static void keep(struct memo_side *memo, const struct sg_contention_side *side) {
    memo->stack = side->stack;
    memo->depth = side->depth;
    memo->labels = side->labels;
    if (side->depth)
        memcpy(memo->frames, side->frames, side->depth * sizeof *side->frames);
}

void sg_contention_memo_put(struct sg_contention_memo *memo,
                            const struct sg_contention_record *record, uint32_t bucket) {
    memo->age = present_age;
    memo->lock = record->lock;
    memo->kind = record->kind;
    memo->primitive = record->primitive;
    memo->bucket = bucket;
    keep(&memo->side, &record->side);
    keep(&memo->other, &record->other);
}

void sg_contention_memo_forget(void) { present_age++; }
