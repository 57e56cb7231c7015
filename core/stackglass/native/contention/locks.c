/* The table of numbered locks: lock n is locks[n - 1].
 *
 *     address ──lock_index──▶ its live entry: a dead one stays, and no longer compares equal
 *     creation site and type ──places──▶ an entry without address, for all locks of that site
 *
 * Both are open addressing. An entry is complete before n_locks counts it; afterwards only its
 * atomic fields change, so readers need no claim. */
#include "contention/locks.h"

#include <stdatomic.h>
#include <string.h>

#include "contention/sites.h"
#include "platform/hash_index.h"
#include "platform/memory.h"

struct lock {
    uintptr_t address;
    enum sg_primitive primitive;
    _Atomic bool is_dead;
    _Atomic uint64_t made, waited; /* frames, see pack; 0 = not known. Written with the claim */
};

/* Set by prepare. Lock n is locks[n - 1]. */
static struct lock *locks;
static struct sg_hash_index lock_index; /* guarded by the claim */
static _Atomic uint32_t n_locks;        /* written with the claim, read by any thread */
static uint32_t n_struck_out;           /* of locks[0, n) none lives; guarded by the claim */

/* Creation sites with a number for all their locks, by hash; 0 = empty. Guarded by the claim. */
enum { N_PLACES = 1 << 9 };
static uint32_t places[N_PLACES];
static uint32_t n_places;

static uint64_t pack(struct sg_frame frame) {
    return (uint64_t)frame.code << 32 | (uint32_t)frame.lasti;
}

static struct sg_frame unpack(uint64_t packed) {
    return (struct sg_frame){(sg_code_id)(packed >> 32), (int32_t)(uint32_t)packed};
}

static uint32_t hash_of(uint64_t address) { return (uint32_t)sg_hash_index_mix(address, 0); }

static bool is_equal(uint32_t at, const void *key) {
    return locks[at].address == *(const uintptr_t *)key && !atomic_load(&locks[at].is_dead);
}

uint32_t sg_contention_locks_find(const void *address) {
    uintptr_t key = (uintptr_t)address;
    if (!key || !locks)
        return 0;
    uint32_t at = sg_hash_index_find(&lock_index, hash_of(key), is_equal, &key);
    return at == UINT32_MAX ? 0 : at + 1;
}

uint32_t sg_contention_locks_add(const void *address, enum sg_primitive primitive) {
    uint32_t at = atomic_load_explicit(&n_locks, memory_order_relaxed);
    struct sg_frame made;
    if (!address || !locks || at == SG_CONTENTION_LOCKS || !sg_hash_index_reserve(&lock_index))
        return 0;
    locks[at].address = (uintptr_t)address;
    locks[at].primitive = primitive;
    if (sg_contention_sites_find(address, &made))
        atomic_store(&locks[at].made, pack(made));
    sg_hash_index_put(&lock_index, hash_of((uintptr_t)address), at);
    atomic_store_explicit(&n_locks, at + 1, memory_order_release);
    return at + 1;
}

/* Whether `lock` was created at `made`, and has the type that `primitive` is a method of: a waiter
 * and a holder call different methods of one type. */
static bool is_of(const struct lock *lock, uint64_t made, enum sg_primitive primitive) {
    return atomic_load(&lock->made) == made &&
           !strcmp(sg_primitive_owner(lock->primitive), sg_primitive_owner(primitive));
}

static uint32_t *place_of(uint64_t made, enum sg_primitive primitive) {
    uint32_t at = hash_of(made) % N_PLACES;
    while (places[at] && !is_of(&locks[places[at] - 1], made, primitive))
        at = (at + 1) % N_PLACES;
    return &places[at];
}

uint32_t sg_contention_locks_of_place(const void *address, enum sg_primitive primitive) {
    uint32_t at = atomic_load_explicit(&n_locks, memory_order_relaxed);
    struct sg_frame made;
    if (!locks || !sg_contention_sites_find(address, &made))
        return 0;
    uint32_t *place = place_of(pack(made), primitive);
    if (*place || n_places == N_PLACES / 2 || at == SG_CONTENTION_LOCKS)
        return *place;
    locks[at].primitive = primitive;
    atomic_store(&locks[at].made, pack(made));
    atomic_store_explicit(&n_locks, at + 1, memory_order_release);
    *place = at + 1;
    n_places++;
    return *place;
}

bool sg_contention_locks_strike(const void *address) {
    uint32_t number = sg_contention_locks_find(address);
    if (number)
        atomic_store(&locks[number - 1].is_dead, true);
    return number != 0;
}

void sg_contention_locks_strike_all(void) {
    uint32_t n = atomic_load(&n_locks);
    for (; n_struck_out < n; n_struck_out++)
        if (locks[n_struck_out].address) /* the locks of a creation site do not die together */
            atomic_store(&locks[n_struck_out].is_dead, true);
}

bool sg_contention_locks_has_wait(uint32_t number) {
    return atomic_load_explicit(&locks[number - 1].waited, memory_order_relaxed) != 0;
}

void sg_contention_locks_wait(uint32_t number, struct sg_frame at) {
    atomic_store(&locks[number - 1].waited, pack(at));
}

uint32_t sg_contention_locks_count(void) {
    return atomic_load_explicit(&n_locks, memory_order_acquire);
}

uint64_t sg_contention_locks_bytes(void) {
    return (locks ? SG_CONTENTION_LOCKS * sizeof *locks : 0) + sg_hash_index_bytes(&lock_index);
}

struct sg_contention_lock sg_contention_locks_get(uint32_t number) {
    const struct lock *lock = &locks[number - 1];
    return (struct sg_contention_lock){
        .number = number,
        .primitive = lock->primitive,
        .address = lock->address,
        .is_dead = atomic_load(&lock->is_dead),
        .made = unpack(atomic_load(&lock->made)),
        .waited = unpack(atomic_load(&lock->waited)),
    };
}

int sg_contention_locks_prepare(void) {
    locks = sg_memory_map(SG_CONTENTION_LOCKS * sizeof *locks);
    return locks && sg_hash_index_reserve(&lock_index) ? 0 : -1;
}

void sg_contention_locks_discard(void) {
    SG_MEMORY_DROP(locks, SG_CONTENTION_LOCKS * sizeof *locks);
    sg_hash_index_discard(&lock_index);
    memset(places, 0, sizeof places);
    n_places = 0;
    atomic_store(&n_locks, 0);
    n_struck_out = 0;
}
