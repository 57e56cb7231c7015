/* The hooks, and each thread's countdown to its next sample.
 *
 * The common case is a subtraction, a comparison and a jump to the allocator below, that is, the
 * allocator that was in place before the hooks:
 *
 *     malloc(size):  left - size ≥ floor?  ──yes──▶ left -= size, allocate
 *                         └──no──▶ (cold) allocate, sample, draw the next distance
 *     free(block):   sieve's bit 0?        ──yes──▶ free          (the sieve: heap/blocks.h)
 *                         └──no──▶ (cold) record the free, free
 *
 * Interpreters share the hooks and may have a GIL each, so several threads may run in the hooks at
 * the same time; the countdowns are per thread.
 *
 * A hook runs no Python code, allocates nothing from the process's heaps, and keeps errno. */
#include "heap/allocator_hooks.h"

#include <errno.h>
#include <stdatomic.h>

#include "heap/blocks.h"
#include "heap/capture.h"
#include "heap/ledger.h"
#include "heap/native_sites.h"
#include "heap/sampling.h"
#include "interpreter/allocator_patch.h"
#include "interpreter/calling_thread.h"
#include "labels/labels.h"
#include "platform/engine_threads.h"
#include "platform/thread_ids.h"

#define SG_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define SG_COLD __attribute__((noinline, cold))

static void set_trial(bool is_on);
static const struct sg_allocator HOOKS_OF[SG_N_ALLOCATORS][SG_N_HOOK_SETS];
static struct sg_allocator_patch patch = {.hooks = HOOKS_OF, .set_trial = set_trial};

/* A thread's countdown: the bytes left before its next sample, and whether it is inside a hook. It
 * lies in the stripe that bits of the thread's pthread_t choose, which costs three instructions and
 * no thread-local storage:
 *
 *     pthread_t  │ … │ 19 … 12: stripe │ 11 … 0: the same in most threads │
 *
 * (A pthread_t points to the upper end of the thread's stack; the stacks of two threads are at
 * least some pages apart. From Linux 6.7 on large stacks are aligned to 2 MiB: then most threads
 * share a few stripes.) Threads that share a stripe and a GIL take turns. If they have different
 * GILs, one may overwrite a step of the other.
 *
 * `left` counts down on one axis, which has an epoch for each rate. A change of the rate raises the
 * floor to the bottom of a new epoch. All values of earlier epochs lie below the floor, so every
 * thread takes the cold path at its next allocation and draws a distance for the new rate. At rate
 * 0 the distance is the whole epoch: without a floor, a refused request of nearly 2^63 bytes would
 * make `left` overflow.
 *
 *     │ epoch 1: 2^44 bytes │ epoch 2 │ epoch 3 ▲floor ……▲left │                                 */
enum { N_STRIPES = 256, STRIPE_BITS = 6, THREAD_BITS = 12, EPOCH_BITS = 44 };
enum { N_RATES = 256 };                              /* the last 256 epochs' rates are kept */
enum { MOST_EPOCHS = (1 << (63 - EPOCH_BITS)) - 1 }; /* half a million fit into an int64_t */
static struct stripe {
    _Alignas(1 << STRIPE_BITS) _Atomic int64_t left;
    /* The thread that is inside a call of an allocator below, or 0. If that allocator calls another
     * hooked allocator, the inner call is part of the same allocation. */
    _Atomic uintptr_t inside;
} stripes[N_STRIPES];

/* Lock-free. */
static _Atomic int64_t floor_left;      /* the least `left` on the common path */
static _Atomic uint32_t epoch;          /* 0 = no rate was set yet */
static _Atomic uint64_t rates[N_RATES]; /* index: epoch % N_RATES; 0 = off */
static _Atomic bool is_trial;           /* the patch checks its hooks: every allocation is cold */

#define GET(variable) atomic_load_explicit(&(variable), memory_order_relaxed)
#define SET(variable, value) atomic_store_explicit(&(variable), value, memory_order_relaxed)

static inline struct stripe *own_stripe(void) {
    uintptr_t offset = sg_thread_ids_self() >> (THREAD_BITS - STRIPE_BITS) & (N_STRIPES - 1)
                                                                                 << STRIPE_BITS;
    return (struct stripe *)((char *)stripes + offset);
}

/* Subtract an allocation from the countdown. Returns false, and subtracts nothing, if the
 * allocation needs the cold path. */
static inline bool count_down(size_t size) {
    struct stripe *stripe = own_stripe();
    int64_t left = GET(stripe->left) - (int64_t)size;
    if (!SG_LIKELY(left >= GET(floor_left)))
        return false;
    SET(stripe->left, left);
    return true;
}

/* ---- The cold path ---- */

static int64_t bottom_of(uint32_t number) { return (int64_t)number << EPOCH_BITS; }

/* Return a new value of `left`: a random distance above the bottom of the epoch, at most 2^44. */
static int64_t draw(uint32_t number, uint64_t rate) {
    const uint64_t most = UINT64_C(1) << EPOCH_BITS;
    uint64_t distance = sg_heap_sampling_draw(rate);
    return bottom_of(number) + (int64_t)(distance < most ? distance : most) - 1;
}

/* Is an allocation that took the cold path sampled? If so, set `rate`; if not, subtract it from the
 * countdown. */
static bool is_chosen(size_t size, uint64_t *rate) {
    if (sg_allocator_patch_see(&patch))
        return false;
    struct stripe *stripe = own_stripe();
    uint32_t number = atomic_load_explicit(&epoch, memory_order_acquire);
    int64_t bottom = bottom_of(number), left = GET(stripe->left);
    *rate = GET(rates[number % N_RATES]);
    if (left < bottom) /* it was drawn for an earlier rate */
        left = draw(number, *rate);
    if (left - (int64_t)size >= bottom) {
        SET(stripe->left, left - (int64_t)size);
        return false;
    }
    SET(stripe->left, draw(number, *rate));
    return *rate && !sg_engine_threads_is_exempt();
}

/* Called before a call of the allocator below, as end_inside after it. Returns false if this thread
 * is inside such a call already: only the outermost call is an allocation of the program. */
static bool begin_inside(void) {
    struct stripe *stripe = own_stripe();
    if (GET(stripe->inside) == sg_thread_ids_self())
        return false;
    SET(stripe->inside, sg_thread_ids_self());
    return true;
}

static void end_inside(bool is_outermost) {
    if (is_outermost)
        SET(own_stripe()->inside, 0);
}

static void sample(const struct sg_heap_moment *moment, const void *block, size_t size,
                   uint64_t rate) {
    const void *thread = sg_calling_thread_state(true);
    struct sg_heap_alloc alloc = {
        .address = (uintptr_t)block,
        .size = size,
        .rate = rate,
        .kind = SG_HEAP_PYTHON,
        .thread = thread,
        .labels = sg_labels_of_caller(thread),
    };
    sg_heap_native_sites_alloc(moment, &alloc);
}

static void sample_if_chosen(const void *block, size_t size) {
    int saved_errno = errno;
    uint64_t rate;
    if (block && is_chosen(size, &rate)) {
        struct sg_heap_moment moment = sg_heap_capture_moment();
        sample(&moment, block, size, rate);
    }
    errno = saved_errno;
}

SG_COLD static void *malloc_cold(const struct sg_allocator *allocator, void *context, size_t size) {
    bool is_outermost = begin_inside();
    void *block = allocator->malloc(context, size);
    end_inside(is_outermost);
    if (is_outermost)
        sample_if_chosen(block, size);
    return block;
}

SG_COLD static void *calloc_cold(const struct sg_allocator *allocator, void *context, size_t n,
                                 size_t size) {
    bool is_outermost = begin_inside();
    void *block = allocator->calloc(context, n, size);
    end_inside(is_outermost);
    if (is_outermost)
        sample_if_chosen(block, n * size);
    return block;
}

SG_COLD static void free_cold(const struct sg_allocator *allocator, void *context, void *block) {
    int saved_errno = errno;
    struct sg_heap_moment moment = sg_heap_capture_moment();
    sg_heap_ledger_free(&moment, (uintptr_t)block); /* before the address can be reused */
    errno = saved_errno;
    allocator->free(context, block);
}

SG_COLD static void *realloc_cold(const struct sg_allocator *allocator, void *context, void *block,
                                  size_t size) {
    int saved_errno = errno;
    struct sg_heap_moment moment = sg_heap_capture_moment();
    struct sg_heap_taken taken = {0};
    /* Before the block's address can be reused. */
    if (block && sg_heap_blocks_may_have(block))
        taken = sg_heap_ledger_take(&moment, (uintptr_t)block);
    bool is_outermost = begin_inside();
    errno = saved_errno;
    void *moved = allocator->realloc(context, block, size);
    end_inside(is_outermost);
    saved_errno = errno;
    if (taken.address && !moved) /* it failed, also for size 0: Python's realloc never frees */
        sg_heap_ledger_put_back(&moment, &taken);
    else if (taken.address)
        sg_heap_ledger_settle(&moment, &taken);
    uint64_t rate;
    if (moved && is_outermost && !count_down(size) && is_chosen(size, &rate))
        sample(&moment, moved, size, rate);
    errno = saved_errno;
    return moved;
}

/* ---- The hooks, with the common path ---- */

/* Define the four hooks for one domain (MEM or OBJ) and one of the patch's two sets of hooks. A
 * hook gets the context of the allocator below, because the patch replaces functions only. */
#define HOOKS(name, domain, set)                                                                   \
    static void *name##_malloc(void *context, size_t size) {                                       \
        if (count_down(size))                                                                      \
            return patch.below[domain][set].malloc(context, size);                                 \
        return malloc_cold(&patch.below[domain][set], context, size);                              \
    }                                                                                              \
    static void *name##_calloc(void *context, size_t n, size_t size) {                             \
        if (count_down(n * size)) /* the interpreter refuses products that overflow */             \
            return patch.below[domain][set].calloc(context, n, size);                              \
        return calloc_cold(&patch.below[domain][set], context, n, size);                           \
    }                                                                                              \
    static void *name##_realloc(void *context, void *block, size_t size) {                         \
        if (SG_LIKELY(!sg_heap_blocks_may_have(block)) && count_down(size))                        \
            return patch.below[domain][set].realloc(context, block, size);                         \
        return realloc_cold(&patch.below[domain][set], context, block, size);                      \
    }                                                                                              \
    static void name##_free(void *context, void *block) {                                          \
        if (SG_LIKELY(!sg_heap_blocks_may_have(block)))                                            \
            patch.below[domain][set].free(context, block);                                         \
        else                                                                                       \
            free_cold(&patch.below[domain][set], context, block);                                  \
    }

HOOKS(mem_0, SG_ALLOCATOR_MEM, 0)
HOOKS(mem_1, SG_ALLOCATOR_MEM, 1)
HOOKS(obj_0, SG_ALLOCATOR_OBJ, 0)
HOOKS(obj_1, SG_ALLOCATOR_OBJ, 1)

#define ALLOCATOR(name)                                                                            \
    { NULL, name##_malloc, name##_calloc, name##_realloc, name##_free }
static const struct sg_allocator HOOKS_OF[SG_N_ALLOCATORS][SG_N_HOOK_SETS] = {
    [SG_ALLOCATOR_MEM] = {ALLOCATOR(mem_0), ALLOCATOR(mem_1)},
    [SG_ALLOCATOR_OBJ] = {ALLOCATOR(obj_0), ALLOCATOR(obj_1)},
};

/* ---- Rates; hooking and unhooking ---- */

const char *sg_allocator_hooks_prepare(void) { return sg_allocator_patch_prepare(); }

/* Compute the floor from the epoch and is_trial. Two concurrent calls may publish the older floor
 * last: `maintain` repairs that. */
static void publish_floor(void) {
    int64_t floor = bottom_of(atomic_load(&epoch));
    atomic_store(&floor_left, atomic_load(&is_trial) ? INT64_MAX : floor);
}

static void set_trial(bool is_on) {
    atomic_store(&is_trial, is_on);
    publish_floor();
}

static void begin_epoch(uint64_t rate) {
    uint32_t number = atomic_load(&epoch) + 1;
    if (number > MOST_EPOCHS) { /* begin with epoch 1 again; every thread draws a new distance */
        number = 1;
        for (int i = 0; i < N_STRIPES; i++)
            SET(stripes[i].left, 0);
    }
    atomic_store(&rates[number % N_RATES], rate);
    atomic_store(&epoch, number);
    publish_floor();
}

void sg_allocator_hooks_install(void) { sg_allocator_patch_apply(&patch); }

void sg_allocator_hooks_remove(void) {
    begin_epoch(0);
    sg_allocator_patch_restore(&patch);
}

bool sg_allocator_hooks_are_called(void) { return sg_allocator_patch_is_called(&patch); }

void sg_allocator_hooks_set_rate(uint64_t rate) { begin_epoch(rate); }

void sg_allocator_hooks_maintain(void) { publish_floor(); }

uint64_t sg_allocator_hooks_rate(void) {
    return atomic_load(&rates[atomic_load(&epoch) % N_RATES]);
}

uint32_t sg_allocator_hooks_stripe(void) { return (uint32_t)(own_stripe() - stripes); }
