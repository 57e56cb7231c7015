/* Bucket table: sums of contention by kind, primitive, lock, both stacks and both label sets.
 *
 * A program that creates a lock or a label for each of a million requests must not get a million
 * buckets. Keys that differ in the lock alone are one group. A group distinguishes
 * SG_CONTENTION_GROUP_LOCKS locks and puts the others together, under the number of their creation
 * site, or under lock 0. Once the table is half full, no further lock is distinguished, and in a
 * new group SG_OTHER_LABELS replaces each label set that is not empty:
 *
 *     (block, Lock.acquire, stack 7) ── lock 3 │ lock 9 │ … │ 0: all the others
 *
 * A bucket never moves, and is freed only with the table. The ledger's claim guards the table,
 * except for reading. */
#ifndef STACKGLASS_CONTENTION_BUCKETS_H
#define STACKGLASS_CONTENTION_BUCKETS_H

#include "contention/samples.h"

enum {
    SG_CONTENTION_BUCKETS = 1 << 16, /* some 600 bytes each */
    SG_CONTENTION_GROUP_LOCKS = 64,
    SG_NO_CONTENTION_BUCKET = UINT32_MAX,
};

struct sg_contention_key {
    enum sg_contention_kind kind;
    enum sg_primitive primitive;
    uint32_t lock;                 /* its number, or 0 */
    uint32_t stack;                /* node of a stack (stacks.h) */
    uint32_t other;                /* node of the other stack; SG_NO_STACK = none */
    uint32_t labels, other_labels; /* label sets of the two stacks */
    bool is_many; /* `lock` is the number of a creation site; is_many itself is not compared */
};

struct sg_contention_sums {
    double count;
    double total_ns;
    uint64_t max_ns;
    double delays[SG_CONTENTION_DELAYS];
};

/* Whether one more lock may be distinguished in the key's group. */
bool sg_contention_buckets_may_distinguish(const struct sg_contention_key *key);
/* Whether there is a bucket with that key. */
bool sg_contention_buckets_has(const struct sg_contention_key *key);
/* Return the id of the key's bucket, which is made if there is none, or SG_NO_CONTENTION_BUCKET if
 * there is no room. */
uint32_t sg_contention_buckets_find(const struct sg_contention_key *key);
/* Add `count` waits of `each_ns` each, and `total_ns` in all, to bucket `id`. */
void sg_contention_buckets_add(uint32_t id, double count, double total_ns, uint64_t each_ns);

/* For the one reader, without the claim: whether the bucket has changed since the last call. */
bool sg_contention_buckets_take_change(uint32_t id);
/* For the one reader, without the claim (seqlock): copy the sums, and return the key. */
struct sg_contention_key sg_contention_buckets_get(uint32_t id, struct sg_contention_sums *sums);

uint32_t sg_contention_buckets_count(void); /* any thread, no claim */
uint64_t sg_contention_buckets_bytes(void);

int sg_contention_buckets_prepare(void); /* 0 or -1 */
void sg_contention_buckets_discard(void);

#endif
