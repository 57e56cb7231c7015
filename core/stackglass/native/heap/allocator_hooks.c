/* The hooks, and each thread's countdown to its next sample.
 *
 * The common case is a subtraction, a comparison and a jump to the allocator below, that is, the
 * allocator that was in place before the hooks:
 *
 *     malloc(size):  left - size ≥ floor?  ──yes──▶ left -= size, allocate
 *                         └──no──▶ (cold) allocate, sample, draw the next distance
 *     free(block):   filter's bit 0?       ──yes──▶ free          (the filter: heap/blocks.h)
 *                         └──no──▶ (cold) record the free, free
 *
 * Interpreters share the hooks and may have a GIL each, so several threads may run in the hooks at
 * the same time. Threads are spread over 256 countdowns (struct stripe).
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
#include "platform/hints.h"
#include "platform/thread_ids.h"

static void set_trial(bool is_on);
static const struct sg_allocator HOOKS_OF[SG_N_ALLOCATORS][SG_N_HOOK_SETS];
static struct sg_allocator_patch patch = {.hooks = HOOKS_OF, .set_trial = set_trial};

/* Countdowns. All lie on one axis, in ranges of 2^44 values, the epochs; each change of the rate
 * begins the next one. A countdown moves down from the place that was drawn for it:
 *
 *     0           2^44        2·2^44      3·2^44
 *     │  epoch 0  │  epoch 1  │  epoch 2  │ …
 *                     ▲       ▲       ▲
 *                 left of B floor left of A
 *
 * The floor is the bottom of the epoch in force. An allocation that would take a countdown below
 * the floor takes the cold path. A countdown drawn in this epoch (A) has reached its sample there:
 * the allocation is sampled. An older one (B) is first drawn again. So a new epoch makes all
 * threads draw for its rate. While the patch checks its hooks, the floor is raised by 2^62 (TRIAL),
 * above all countdowns.
 *
 * Rate 0 has an epoch and a floor, too: without these, a request of nearly 2^63 bytes, which
 * fails, would make `left` overflow. */
enum { EPOCH_BITS = 44, TRIAL_BIT = 62, N_EPOCHS = 1 << (TRIAL_BIT - EPOCH_BITS) };
enum { N_RATES = 256 }; /* the rates of the last 256 epochs are kept */
static const int64_t TRIAL = INT64_C(1) << TRIAL_BIT;

/* A stripe has a countdown. Bits of the thread's pthread_t choose the stripe, which costs
 * three instructions and no thread-local storage:
 *
 *     pthread_t  │ … │ 19 … 12: stripe │ 11 … 0: the same in most threads │
 *
 * A pthread_t points to the upper end of the thread's stack; the stacks of two threads are at least
 * some pages apart. (Linux 6.7 to 6.11 align large stacks to 2 MiB, later ones only stacks of a
 * multiple of 2 MiB: there most threads share a few stripes.) Threads that share a stripe and a GIL
 * take turns, and count down together: each byte still has the same chance to be sampled. If they
 * have different GILs, one may overwrite a step of the other. */
enum { N_STRIPES = 256, STRIPE_SIZE_BITS = 6, IGNORED_THREAD_BITS = 12 };
static struct stripe {
    _Alignas(1 << STRIPE_SIZE_BITS) _Atomic int64_t left;
    /* The thread that is inside a call of an allocator below, made on the cold path, or 0. If that
     * allocator calls another hooked allocator, the inner call is part of the same allocation and
     * is not sampled. The common path does not set `inside`, which would slow every allocation
     * down: there both calls count down, and the inner one may be sampled. */
    _Atomic uintptr_t inside;
} stripes[N_STRIPES];

/* Lock-free. */
static _Atomic int64_t floor_left;      /* the least `left` on the common path */
static _Atomic uint32_t last_epoch;     /* number that the last change of the rate has taken */
static _Atomic uint64_t rates[N_RATES]; /* index: epoch % N_RATES; 0 = off */

#define GET(variable) atomic_load_explicit(&(variable), memory_order_relaxed)
#define SET(variable, value) atomic_store_explicit(&(variable), value, memory_order_relaxed)

static inline struct stripe *own_stripe(void) {
    const int shift = IGNORED_THREAD_BITS - STRIPE_SIZE_BITS;
    uintptr_t offset = sg_thread_ids_self() >> shift & (N_STRIPES - 1) << STRIPE_SIZE_BITS;
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

static uint32_t epoch_of(int64_t place) { return (uint32_t)(place >> EPOCH_BITS) % N_EPOCHS; }

/* Return bottom + distance - 1, distance ≤ 2^44. Rate 1 has distance 0, so every allocation is
 * cold. */
static int64_t draw(uint32_t number, uint64_t rate) {
    const uint64_t most = UINT64_C(1) << EPOCH_BITS;
    uint64_t distance = sg_heap_sampling_draw(rate);
    return bottom_of(number) + (int64_t)(distance < most ? distance : most) - 1;
}

/* Count down for an allocation that took the cold path; one that failed (NULL) does not count, but
 * may be the trial. Returns whether the allocation is sampled; then `rate` is set, and the distance
 * to the next sample drawn. */
static bool take_sample_point(const void *block, size_t size, uint64_t *rate) {
    if (sg_allocator_patch_is_trial_call(&patch))
        return false;
    if (!block)
        return false;
    struct stripe *stripe = own_stripe();
    uint32_t number = epoch_of(atomic_load_explicit(&floor_left, memory_order_acquire));
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

static void sample_if_due(const void *block, size_t size) {
    int saved_errno = errno;
    uint64_t rate;
    if (take_sample_point(block, size, &rate)) {
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
        sample_if_due(block, size);
    return block;
}

SG_COLD static void *calloc_cold(const struct sg_allocator *allocator, void *context, size_t n,
                                 size_t size) {
    bool is_outermost = begin_inside();
    void *block = allocator->calloc(context, n, size);
    end_inside(is_outermost);
    if (is_outermost)
        sample_if_due(block, n * size);
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
    if (is_outermost && !(moved && count_down(size)) && take_sample_point(moved, size, &rate))
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

static void set_trial(bool is_on) {
    if (is_on)
        atomic_fetch_or(&floor_left, TRIAL);
    else
        atomic_fetch_and(&floor_left, ~TRIAL);
}

/* Numbers begin again with 0 after the last. */
static bool is_later(uint32_t number, uint32_t than) {
    uint32_t ahead = (number - than) % N_EPOCHS;
    return ahead && ahead < N_EPOCHS / 2;
}

/* Begin an epoch. Callers at the same time get different numbers, and the last number wins. */
static void begin_epoch(uint64_t rate) {
    uint32_t number = (atomic_fetch_add(&last_epoch, 1) + 1) % N_EPOCHS;
    atomic_store(&rates[number % N_RATES], rate);
    int64_t floor = atomic_load(&floor_left);
    while (is_later(number, epoch_of(floor)) &&
           !atomic_compare_exchange_weak(&floor_left, &floor, bottom_of(number) | (floor & TRIAL)))
        ;
}

void sg_allocator_hooks_install(void) { sg_allocator_patch_apply(&patch); }

void sg_allocator_hooks_remove(void) {
    begin_epoch(0);
    sg_allocator_patch_restore(&patch);
}

void sg_allocator_hooks_after_fork_in_child(void) {
    sg_allocator_patch_end_trial(&patch);
    for (int i = 0; i < N_STRIPES; i++)
        SET(stripes[i].inside, 0);
}

bool sg_allocator_hooks_are_called(void) { return sg_allocator_patch_is_called(&patch); }

void sg_allocator_hooks_set_rate(uint64_t rate) { begin_epoch(rate); }

/* Reset countdowns left above the epoch in force when numbers wrap; they would never sample. A
 * thread may overwrite that with its next step; then the next call does it. */
void sg_allocator_hooks_maintain(void) {
    int64_t top = bottom_of(epoch_of(atomic_load(&floor_left)) + 1);
    for (int i = 0; i < N_STRIPES; i++)
        if (GET(stripes[i].left) >= top)
            SET(stripes[i].left, -1);
}

uint64_t sg_allocator_hooks_rate(void) {
    return atomic_load(&rates[epoch_of(atomic_load(&floor_left)) % N_RATES]);
}

uint32_t sg_allocator_hooks_stripe(void) { return (uint32_t)(own_stripe() - stripes); }
