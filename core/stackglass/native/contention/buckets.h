/* Bucket table: sums of contention by kind, primitive, lock, both stacks and both label sets.
 *
 * The keys that differ only in the lock are one group:
 *
 *     (block, Lock.acquire, stack 7) ── lock 3 │ lock 9 │ … │ creation site 12 │ … │ 0: the others
 *
 * A program may create a lock or a label for each of a million requests, so two limits hold:
 *
 *     a group has SG_CONTENTION_GROUP_LOCKS locks   a further lock is counted under its creation
 *                                                   site, or under lock 0 if that has no number
 *     the table is half full                        further locks are counted under lock 0; in a
 *                                                   new group SG_OTHER_LABELS replaces labels
 *
 * A bucket never moves, and is freed only with the table. The ledger's claim is described in
 * ledger.h. */
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
    bool is_many; /* `lock` is the number of a creation site. Not part of the comparison */
};

struct sg_contention_sums {
    double count;
    double total_ns;
    uint64_t max_ns;
    double delays[SG_CONTENTION_DELAYS];
};

/* ---- With the claim ---- */

/* Whether one more lock may be distinguished in the key's group. */
bool sg_contention_buckets_may_distinguish(const struct sg_contention_key *key);
/* Whether there is a bucket with that key. */
bool sg_contention_buckets_has(const struct sg_contention_key *key);
/* Apply the limits to the key, and return the id of its bucket, which is made if there is none. So
 * the bucket may have lock 0 and SG_OTHER_LABELS in place of the key's. Returns
 * SG_NO_CONTENTION_BUCKET if there is no room, or if a stack of the key is SG_STACK_LOST. */
uint32_t sg_contention_buckets_find(const struct sg_contention_key *key);
/* Add a record to bucket `id`: the scaled `count` and `total_ns`, and the unscaled delay `each_ns`,
 * which decides where `count` is added to `delays`, and may raise `max_ns`. */
void sg_contention_buckets_add(uint32_t id, double count, double total_ns, uint64_t each_ns);

/* ---- Without the claim ---- */

/* Return whether the bucket has changed since the last call. The one reader calls it. */
bool sg_contention_buckets_take_change(uint32_t id);
/* Copy the sums of the bucket, under its seqlock, and return its key. Any thread. */
struct sg_contention_key sg_contention_buckets_get(uint32_t id, struct sg_contention_sums *sums);
/* Return how many buckets there are, and their memory in bytes. Any thread. */
uint32_t sg_contention_buckets_count(void);
uint64_t sg_contention_buckets_bytes(void);

/* ---- While no other thread uses the table ---- */

int sg_contention_buckets_prepare(void); /* 0 or -1 */
void sg_contention_buckets_discard(void);

#endif
