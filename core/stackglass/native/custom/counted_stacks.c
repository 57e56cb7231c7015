/* A chained hash table of stacks, a slot number for each, and the list of slots that have changed.
 *
 *     add ─▶ found, or made ─▶ count + 1 ─▶ changed ──writer takes it──▶ not changed
 *     remove ─▶ count - 1 ─▶ 0: idle, kept for the next add
 *     many are idle ─▶ those whose changes the writer has taken are removed; slots are used again
 *
 * The lock is never held while the GIL is requested or code of the program may run: code objects of
 * removed stacks are released after the lock (free_list). */
#include "custom/counted_stacks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "frames/code_ids.h"
#include "platform/hash_index.h"
#include "platform/vector.h"

enum {
    N_CHAINS = 1 << 12,
    LEAST_IDLE = 1 << 10,   /* removable stacks; fewer than this are all kept */
    TAKEN_FRAMES = 1 << 12, /* most frames that the writer takes with one hold of the lock */
};

struct stack {
    struct stack *next; /* in the chain, or in a list of stacks to be freed */
    uint64_t hash, serial, count;
    uint32_t slot, profile, depth;
    bool is_changed; /* the slot is in `changed` */
    int32_t *lasti;  /* (depth,), stored behind the codes */
    PyObject *codes[];
};

/* `lock` guards all of these; atomics are also read without it. The writer holds it without the
 * GIL, so nothing under it takes the GIL. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stacks SG_ROWS_OF(struct stack *) stacks; /* by slot; NULL = free */
static struct stack *chains[N_CHAINS];
static struct sg_vector free_slots;
static struct sg_vector changed; /* slots; has room for all of them */
static size_t n_idle;            /* stacks without values */
static size_t n_removable;       /* stacks without values whose changes the writer has taken */
static uint64_t last_serial;
static bool is_watched;
static _Atomic bool has_changes; /* changed.n > 0 */
/* Names are written before n_profiles counts them, and never change. */
static char *names[SG_MOST_CUSTOM_PROFILES];
static _Atomic uint32_t n_profiles;
static _Atomic uint64_t n_lost;

/* ---- Profiles ---- */

int32_t sg_counted_stacks_profile(const char *name) {
    pthread_mutex_lock(&lock);
    uint32_t n = n_profiles, found = 0;
    while (found < n && strcmp(names[found], name) != 0)
        found++;
    if (found == n) {
        char *copy = n < SG_MOST_CUSTOM_PROFILES ? strdup(name) : NULL;
        if (copy) {
            names[n] = copy;
            atomic_store(&n_profiles, n + 1);
        } else {
            found = (uint32_t)SG_NO_COUNTED_STACK;
        }
    }
    pthread_mutex_unlock(&lock);
    return (int32_t)found;
}

uint32_t sg_counted_stacks_n_profiles(void) { return atomic_load(&n_profiles); }

const char *sg_counted_stacks_profile_name(uint32_t profile) { return names[profile]; }

uint64_t sg_counted_stacks_lost(void) { return atomic_load(&n_lost); }

/* ---- Stacks. Callers of these hold the lock. ---- */

static uint64_t hash_stack(uint32_t profile, PyObject *const *codes, const int32_t *lasti,
                           uint32_t depth) {
    uint64_t hash = sg_hash_index_mix(profile, depth);
    for (uint32_t i = 0; i < depth; i++)
        hash = sg_hash_index_mix(hash ^ (uint32_t)lasti[i], (uintptr_t)codes[i]);
    return hash;
}

static struct stack *find(uint64_t hash, uint32_t profile, PyObject *const *codes,
                          const int32_t *lasti, uint32_t depth) {
    struct stack *stack = chains[hash % N_CHAINS];
    while (stack && !(stack->hash == hash && stack->profile == profile && stack->depth == depth &&
                      !memcmp(stack->codes, codes, depth * sizeof *codes) &&
                      !memcmp(stack->lasti, lasti, depth * sizeof *lasti)))
        stack = stack->next;
    return stack;
}

static bool is_removable(const struct stack *stack) { return !stack->count && !stack->is_changed; }

static void mark(struct stack *stack) {
    if (!is_watched || stack->is_changed)
        return;
    n_removable -= is_removable(stack);
    stack->is_changed = true;
    changed.values[changed.n++] = stack->slot;
    atomic_store(&has_changes, true);
}

/* Give `stack` a slot. Returns false if there are too many stacks, or no memory. */
static bool take_slot(struct stack *stack) {
    if (free_slots.n) {
        stack->slot = free_slots.values[--free_slots.n];
        stacks.at[stack->slot] = stack;
        return true;
    }
    stack->slot = (uint32_t)stacks.n;
    return stacks.n < SG_MOST_COUNTED_STACKS &&
           sg_vector_make_room((void **)&changed.values, 0, &changed.capacity, stacks.n + 1,
                               sizeof *changed.values) &&
           sg_vector_make_room((void **)&free_slots.values, 0, &free_slots.capacity, stacks.n + 1,
                               sizeof *free_slots.values) &&
           SG_ROWS_ADD(&stacks, stack);
}

static struct stack *make(uint64_t hash, uint32_t profile, PyObject *const *codes,
                          const int32_t *lasti, uint32_t depth) {
    size_t codes_size = depth * sizeof *codes, lasti_size = depth * sizeof *lasti;
    struct stack *stack = malloc(sizeof *stack + codes_size + lasti_size);
    if (!stack)
        return NULL;
    *stack = (struct stack){.hash = hash, .profile = profile, .depth = depth};
    stack->lasti = (int32_t *)(void *)&stack->codes[depth];
    memcpy(stack->codes, codes, codes_size);
    memcpy(stack->lasti, lasti, lasti_size);
    if (!take_slot(stack)) {
        free(stack);
        return NULL;
    }
    for (uint32_t i = 0; i < depth; i++)
        Py_INCREF(codes[i]);
    stack->serial = ++last_serial;
    stack->next = chains[hash % N_CHAINS];
    chains[hash % N_CHAINS] = stack;
    n_idle++;
    n_removable++;
    return stack;
}

static void unlink_stack(struct stack *stack) {
    struct stack **link = &chains[stack->hash % N_CHAINS];
    while (*link != stack)
        link = &(*link)->next;
    *link = stack->next;
    stacks.at[stack->slot] = NULL;
    free_slots.values[free_slots.n++] = stack->slot;
    n_idle--;
    n_removable--;
}

/* Remove stacks without values if there are many of them, except those whose changes the writer has
 * not taken. A search looks at all slots, but removes at least LEAST_IDLE stacks and as many as are
 * in use, so few slots are looked at for each stack that is made. Returns the removed stacks as a
 * list. */
static struct stack *remove_idle(void) {
    struct stack *removed = NULL;
    size_t n_used = stacks.n - free_slots.n - n_idle;
    if (n_removable < LEAST_IDLE || n_removable < n_used)
        return NULL;
    for (size_t slot = 0; slot < stacks.n; slot++) {
        struct stack *stack = stacks.at[slot];
        if (!stack || !is_removable(stack))
            continue;
        unlink_stack(stack);
        stack->next = removed;
        removed = stack;
    }
    return removed;
}

/* ---- The program ---- */

/* Called without the lock, because the end of a code object may run Python code. */
static void free_list(struct stack *stack) {
    while (stack) {
        struct stack *next = stack->next;
        for (uint32_t i = 0; i < stack->depth; i++)
            Py_DECREF(stack->codes[i]);
        free(stack);
        stack = next;
    }
}

int32_t sg_counted_stacks_add(int32_t profile, PyObject *const *codes, const int32_t *lasti,
                              uint32_t depth) {
    struct stack *removed = NULL, *stack = NULL;
    int32_t slot = SG_NO_COUNTED_STACK;
    if (depth > SG_MOST_COUNTED_FRAMES)
        depth = SG_MOST_COUNTED_FRAMES;
    pthread_mutex_lock(&lock);
    if (profile >= 0 && (uint32_t)profile < n_profiles) {
        uint64_t hash = hash_stack((uint32_t)profile, codes, lasti, depth);
        stack = find(hash, (uint32_t)profile, codes, lasti, depth);
        if (!stack) {
            removed = remove_idle();
            stack = make(hash, (uint32_t)profile, codes, lasti, depth);
        }
    }
    if (stack) {
        n_idle -= !stack->count;
        n_removable -= is_removable(stack);
        stack->count++;
        mark(stack);
        slot = (int32_t)stack->slot;
    } else {
        atomic_fetch_add(&n_lost, 1);
    }
    pthread_mutex_unlock(&lock);
    free_list(removed);
    return slot;
}

void sg_counted_stacks_remove(int32_t slot) {
    pthread_mutex_lock(&lock);
    struct stack *stack = slot >= 0 && (size_t)slot < stacks.n ? stacks.at[slot] : NULL;
    if (stack && stack->count) {
        stack->count--;
        n_idle += !stack->count;
        n_removable += is_removable(stack);
        mark(stack);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- The writer ---- */

void sg_counted_stacks_watch(void) {
    pthread_mutex_lock(&lock);
    is_watched = true;
    for (size_t slot = 0; slot < stacks.n; slot++)
        if (stacks.at[slot] && stacks.at[slot]->count)
            mark(stacks.at[slot]);
    pthread_mutex_unlock(&lock);
}

static void forget_changes(void) {
    is_watched = false;
    for (size_t slot = 0; slot < stacks.n; slot++)
        if (stacks.at[slot])
            stacks.at[slot]->is_changed = false;
    n_removable = n_idle;
    changed.n = 0;
    atomic_store(&has_changes, false);
}

void sg_counted_stacks_unwatch(void) {
    pthread_mutex_lock(&lock);
    forget_changes();
    pthread_mutex_unlock(&lock);
}

bool sg_counted_stacks_take(sg_counted_stack_fn *take, void *context) {
    struct sg_frame frames[SG_MOST_COUNTED_FRAMES];
    uint32_t n_frames = 0;
    if (!atomic_load(&has_changes))
        return false;
    pthread_mutex_lock(&lock);
    while (changed.n && n_frames < TAKEN_FRAMES) {
        struct stack *stack = stacks.at[changed.values[--changed.n]];
        stack->is_changed = false;
        n_removable += is_removable(stack);
        for (uint32_t i = 0; i < stack->depth; i++)
            frames[i] = (struct sg_frame){sg_code_ids_intern(stack->codes[i]), stack->lasti[i]};
        const struct sg_counted_stack taken = {stack->slot,  stack->serial, stack->profile,
                                               stack->count, frames,        stack->depth};
        take(context, &taken);
        n_frames += stack->depth + 1;
    }
    bool has_more = changed.n;
    atomic_store(&has_changes, has_more);
    pthread_mutex_unlock(&lock);
    return has_more;
}

/* The stacks are whole in the child if the fork was made with the GIL: the parent's writer does not
 * change the table, and the program's other threads did not have the GIL. What the writer changes
 * is reset. */
void sg_counted_stacks_after_fork_in_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    forget_changes();
}
