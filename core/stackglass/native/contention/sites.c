/* A 4-way set-associative table: 8192 sets; in a full set the entry with the oldest serial is
 * replaced.
 *
 *     │ object: the lock  │ lock: 0        │ made │ serial 7 │
 *     │ object: its queue │ lock: the lock │ made │ serial 7 │  valid while the lock's has serial 7
 *
 * A lock's death is reported and empties its entry. The death of an owner, such as the queue, is
 * not reported: the owner's entry is valid as long as its lock's entry has the same serial. */
#include "contention/sites.h"

#include <stdatomic.h>
#include <stdint.h>

#include "platform/futex.h"
#include "platform/memory.h"

enum { N_WAYS = 4, SET_BITS = 13 };
_Static_assert(N_WAYS << SET_BITS == SG_CONTENTION_SITES, "sets of some ways");

struct site {
    uintptr_t object; /* 0 = empty */
    uintptr_t lock;   /* if the object is an owner: its lock; if it is a lock: 0 */
    struct sg_frame made;
    uint32_t serial; /* the same for a lock and its owners */
};

static atomic_flag is_claimed = ATOMIC_FLAG_INIT;
/* Both guarded by the flag. */
static struct site *sites; /* (SG_CONTENTION_SITES,); NULL = not prepared */
static uint32_t last_serial;

static bool try_claim(void) {
    return !atomic_flag_test_and_set_explicit(&is_claimed, memory_order_acquire);
}

static void claim(void) {
    for (uint32_t n_tries = 0; !try_claim(); n_tries++)
        sg_futex_back_off(n_tries);
}

static void release(void) { atomic_flag_clear_explicit(&is_claimed, memory_order_release); }

static struct site *set_of(uintptr_t object) {
    return &sites[((object >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SET_BITS)) * N_WAYS];
}

static struct site *find(uintptr_t object) {
    struct site *set = set_of(object);
    for (int way = 0; way < N_WAYS; way++) {
        if (set[way].object == object)
            return &set[way];
    }
    return NULL;
}

/* Store `site` in the entry of its object, in an empty one, or in place of the oldest one of its
 * set. */
static void put(const struct site *site) {
    struct site *set = set_of(site->object), *place = find(site->object);
    for (int way = 0; way < N_WAYS && !place; way++) {
        if (!set[way].object)
            place = &set[way];
    }
    if (!place) {
        place = set;
        for (int way = 1; way < N_WAYS; way++) {
            if (last_serial - set[way].serial > last_serial - place->serial)
                place = &set[way];
        }
    }
    *place = *site;
}

void sg_contention_sites_record(const void *lock, struct sg_frame made, const void *const *owners,
                                int n) {
    claim();
    if (sites) {
        struct site site = {(uintptr_t)lock, 0, made, ++last_serial};
        put(&site);
        site.lock = site.object;
        for (int i = 0; i < n; i++) {
            site.object = (uintptr_t)owners[i];
            put(&site);
        }
    }
    release();
}

void sg_contention_sites_forget(const void *lock) {
    claim();
    struct site *site = sites ? find((uintptr_t)lock) : NULL;
    if (site)
        site->object = 0;
    release();
}

/* Whether an entry is valid: an owner's death is not seen, but its lock's is. NULL is not. */
static bool is_current(const struct site *site) {
    const struct site *lock = site && site->lock ? find(site->lock) : site;
    return lock && lock->serial == site->serial;
}

bool sg_contention_sites_find(const void *object, struct sg_frame *made) {
    if (!try_claim())
        return false;
    const struct site *site = sites ? find((uintptr_t)object) : NULL;
    bool is_known = is_current(site);
    if (is_known)
        *made = site->made;
    release();
    return is_known;
}

int sg_contention_sites_prepare(void) {
    claim();
    if (!sites)
        sites = sg_memory_map(SG_CONTENTION_SITES * sizeof *sites);
    bool is_prepared = sites != NULL;
    release();
    return is_prepared ? 0 : -1;
}

void sg_contention_sites_discard(void) {
    claim();
    SG_MEMORY_DROP(sites, SG_CONTENTION_SITES * sizeof *sites);
    release();
}

void sg_contention_sites_after_fork_in_child(void) {
    release();
    sg_contention_sites_discard();
}
