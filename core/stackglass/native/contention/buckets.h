/* Sums by (kind, primitive, lock, stack, other stack), outside every heap of the process.
 *
 * A program that makes a lock for each of a million requests shall not have a million buckets. What
 * has the same key but for the lock is a site; it tells SG_CONTENTION_SITE_LOCKS locks apart and
 * puts the others together under lock 0, or that of the line that made them; and once the table is
 * half full, so do all, under lock 0:
 *
 *     (block, Lock.acquire, stack 7) ── lock 3 │ lock 9 │ … │ 0: all the others
 *
 * A bucket never moves and never goes before the table does. Guarded by the ledger's claim, but for
 * reading. */
#ifndef STACKGLASS_CONTENTION_BUCKETS_H
#define STACKGLASS_CONTENTION_BUCKETS_H

#include "contention/contention.h"

enum {
    SG_CONTENTION_BUCKETS = 1 << 16, /* some 600 bytes each */
    SG_CONTENTION_SITE_LOCKS = 64,
    SG_NO_CONTENTION_BUCKET = UINT32_MAX,
};

struct sg_contention_key {
    enum sg_contention_kind kind;
    enum sg_primitive primitive;
    uint32_t lock;  /* its number, or 0 */
    uint32_t stack; /* stacks.h: a node */
    uint32_t other; /* likewise; SG_NO_STACK = none */
    bool is_many;   /* no part of it: the lock's number is a place's, and needs no telling apart */
};

struct sg_contention_sums {
    double count;
    double total_ns;
    uint64_t max_ns;
    double delays[SG_CONTENTION_DELAYS];
};

/* May one more lock be told apart at the key's site? */
bool sg_contention_buckets_tell_apart(const struct sg_contention_key *key);
/* Is there one with that key? */
bool sg_contention_buckets_has(const struct sg_contention_key *key);
/* The id of a key's bucket, a new one if there is none; SG_NO_CONTENTION_BUCKET if there is no
 * room. */
uint32_t sg_contention_buckets_find(const struct sg_contention_key *key);
/* `count` waits of `each_ns` each, and `total_ns` in all. */
void sg_contention_buckets_add(uint32_t id, double count, double total_ns, uint64_t each_ns);

/* For the one reader, who needs no claim: what is changed while it copies it copies again.
 *
 * Has it changed since this was asked last? */
bool sg_contention_buckets_take_change(uint32_t id);
struct sg_contention_key sg_contention_buckets_get(uint32_t id, struct sg_contention_sums *sums);

uint32_t sg_contention_buckets_count(void); /* any thread, no claim */
uint64_t sg_contention_buckets_bytes(void);

int sg_contention_buckets_prepare(void);
void sg_contention_buckets_discard(void);

#endif
