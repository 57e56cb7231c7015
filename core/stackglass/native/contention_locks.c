/* Numbers of locks: see contention_locks.h. */
#include "contention_locks.h"

#include "hash_index.h"
#include "memory.h"

struct lock {
    uintptr_t address;
    enum sg_primitive primitive;
    _Atomic bool is_dead;
};

/* Set by prepare. Lock n is locks[n - 1]; constant once counted, but for its death. */
static struct lock *locks;
static struct sg_hash_index lock_index; /* guarded by the claim */
static _Atomic uint32_t n_locks;        /* written with the claim, read by anyone */
static uint32_t n_struck_out;           /* locks[0, n): dead to the last one; by the claim */

static uint64_t hash_of_address(uintptr_t address) {
    uint64_t hash = (uint64_t)(address >> 3) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 32);
}

static uint64_t hash_of(uint32_t at, const void *context) {
    return hash_of_address(locks[at].address);
}

static bool is_equal(uint32_t at, const void *key) {
    return locks[at].address == *(const uintptr_t *)key && !atomic_load(&locks[at].is_dead);
}

uint32_t sg_contention_locks_find(const void *address) {
    uintptr_t key = (uintptr_t)address;
    if (!key || !locks)
        return 0;
    uint32_t at = sg_hash_index_find(&lock_index, hash_of_address(key), is_equal, &key);
    return at == UINT32_MAX ? 0 : at + 1;
}

uint32_t sg_contention_locks_add(const void *address, enum sg_primitive primitive) {
    uint32_t at = atomic_load_explicit(&n_locks, memory_order_relaxed);
    if (!address || !locks || at == SG_CONTENTION_LOCKS ||
        !sg_hash_index_reserve(&lock_index, hash_of, NULL))
        return 0;
    locks[at].address = (uintptr_t)address;
    locks[at].primitive = primitive;
    sg_hash_index_put(&lock_index, hash_of_address((uintptr_t)address), at);
    atomic_store_explicit(&n_locks, at + 1, memory_order_release);
    return at + 1;
}

bool sg_contention_locks_strike(const void *address) {
    uint32_t number = sg_contention_locks_find(address);
    if (number)
        atomic_store(&locks[number - 1].is_dead, true);
    return number != 0;
}

void sg_contention_locks_strike_all(void) {
    uint32_t n = atomic_load(&n_locks);
    while (n_struck_out < n)
        atomic_store(&locks[n_struck_out++].is_dead, true);
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
    };
}

int sg_contention_locks_prepare(void) {
    locks = sg_memory_map(SG_CONTENTION_LOCKS * sizeof *locks);
    return locks && sg_hash_index_reserve(&lock_index, hash_of, NULL) ? 0 : -1;
}

void sg_contention_locks_discard(void) {
    sg_memory_unmap(locks, SG_CONTENTION_LOCKS * sizeof *locks);
    locks = NULL;
    sg_hash_index_discard(&lock_index);
    atomic_store(&n_locks, 0);
    n_struck_out = 0;
}
