/* Allocator hooks: see heap_hooks.h.
 *
 * What is common is a subtraction, a comparison and a jump to the allocator below:
 *
 *     malloc(size):  size < left?  ──yes──▶ left -= size, allocate
 *                         └──no──▶ (cold) allocate, sample, draw a new `left`
 *     free(block):   filter bit 0? ──yes──▶ free
 *                         └──no──▶ (cold) strike it off, free
 *
 * No Python code runs in a hook, nothing is allocated from the process's heaps, errno is kept. */
#include "heap_hooks.h"

#include <Python.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>

#include "heap_blocks.h"
#include "heap_capture.h"
#include "heap_ledger.h"
#include "heap_sampling.h"

#define SG_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define SG_COLD __attribute__((noinline, cold))

/* As in the interpreter's headers, which hide them from the stable ABI. */
enum domain { DOMAIN_MEM = 1, DOMAIN_OBJ = 2, FIRST_DOMAIN = DOMAIN_MEM, LAST_DOMAIN = DOMAIN_OBJ };
struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t n, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

/* Written by prepare under the GIL, then constant. */
static void (*get_allocator)(int domain, struct allocator *allocator);
static void (*set_allocator)(int domain, struct allocator *allocator);
static void *(*python_malloc[LAST_DOMAIN + 1])(size_t size);
static void (*python_free[LAST_DOMAIN + 1])(void *block);

/* The allocators below ours. A new one is written into the slot that is not in use, and then made
 * known by one store: a hook sees one or the other, whole. Written under the GIL. */
static struct allocator slots[LAST_DOMAIN + 1][2];
static _Atomic(const struct allocator *) below[LAST_DOMAIN + 1];

/* Hooks' own, under the GIL; atomic, since other threads ask for another rate by `left` = 0. */
static _Atomic uint64_t left = UINT64_MAX; /* bytes to the next sample */
static _Atomic uint64_t rate_in_force;
static _Atomic uint64_t rate_asked;
static _Atomic bool is_in_hook; /* an allocator below calls one above: not ours to count */
static _Atomic bool is_trying;  /* the next allocation is our own: is it seen? */
static _Atomic bool is_seen;

#define GET(variable) atomic_load_explicit(&(variable), memory_order_relaxed)
#define SET(variable, value) atomic_store_explicit(&(variable), value, memory_order_relaxed)

static inline bool is_passed_over(size_t size) {
    uint64_t now = GET(left);
    if (!SG_LIKELY(size < now))
        return false;
    SET(left, now - size);
    return true;
}

static inline const struct allocator *allocator_of(int domain) {
    return atomic_load_explicit(&below[domain], memory_order_acquire);
}

/* ---- What is uncommon ---- */

/* Is an allocation of `size` to be sampled? At which rate? `left` is too small for it. */
static bool is_chosen(size_t size, uint64_t *rate) {
    if (GET(is_trying)) {
        SET(is_seen, true);
        return false;
    }
    uint64_t asked = GET(rate_asked);
    *rate = GET(rate_in_force);
    if (*rate != asked) { /* from this allocation on: what was left says nothing of it */
        SET(rate_in_force, asked);
        *rate = asked;
        uint64_t distance = sg_heap_draw(asked);
        if (size < distance) {
            SET(left, distance - size);
            return false;
        }
    }
    SET(left, sg_heap_draw(*rate));
    return *rate != 0 && !sg_heap_capture_is_engine();
}

static void sample(const struct sg_heap_moment *moment, const void *block, size_t size,
                   uint64_t rate) {
    struct sg_heap_alloc alloc = {
        .address = (uintptr_t)block,
        .size = size,
        .rate = rate,
        .kind = SG_HEAP_PYTHON,
        .thread = sg_heap_capture_thread(true),
    };
    sg_heap_ledger_alloc(moment, &alloc);
}

static void note_allocation(const void *block, size_t size) {
    int saved_errno = errno;
    uint64_t rate;
    if (block && is_chosen(size, &rate)) {
        struct sg_heap_moment moment = sg_heap_capture_moment();
        sample(&moment, block, size, rate);
    }
    errno = saved_errno;
}

SG_COLD static void *malloc_cold(const struct allocator *allocator, size_t size) {
    bool is_nested = GET(is_in_hook);
    SET(is_in_hook, true);
    void *block = allocator->malloc(allocator->context, size);
    SET(is_in_hook, is_nested);
    if (!is_nested)
        note_allocation(block, size);
    return block;
}

SG_COLD static void *calloc_cold(const struct allocator *allocator, size_t n, size_t size) {
    bool is_nested = GET(is_in_hook);
    SET(is_in_hook, true);
    void *block = allocator->calloc(allocator->context, n, size);
    SET(is_in_hook, is_nested);
    if (!is_nested)
        note_allocation(block, n * size);
    return block;
}

SG_COLD static void note_free(const void *block) {
    int saved_errno = errno;
    struct sg_heap_moment moment = sg_heap_capture_moment();
    sg_heap_ledger_free(&moment, (uintptr_t)block);
    errno = saved_errno;
}

SG_COLD static void *reallocate_cold(const struct allocator *allocator, void *block, size_t size) {
    bool is_nested = GET(is_in_hook);
    int saved_errno = errno;
    struct sg_heap_moment moment = sg_heap_capture_moment();
    struct sg_heap_taken taken = {0};
    /* Before the block can be anybody else's. */
    if (block && sg_heap_blocks_may_be_live(block))
        taken = sg_heap_ledger_take(&moment, (uintptr_t)block);
    SET(is_in_hook, true);
    errno = saved_errno;
    void *moved = allocator->realloc(allocator->context, block, size);
    SET(is_in_hook, is_nested);
    saved_errno = errno;
    bool has_failed = !moved && size; /* of no bytes: it has been freed */
    if (taken.address && has_failed)
        sg_heap_ledger_put_back(&moment, &taken);
    else if (taken.address)
        sg_heap_ledger_settle(&moment, &taken);
    uint64_t rate;
    if (moved && !is_nested && size < GET(left))
        SET(left, GET(left) - size);
    else if (moved && !is_nested && is_chosen(size, &rate))
        sample(&moment, moved, size, rate);
    errno = saved_errno;
    return moved;
}

/* ---- What is common ---- */

#define HOOKS(name, domain)                                                                        \
    static void *name##_malloc(void *context, size_t size) {                                       \
        const struct allocator *allocator = allocator_of(domain);                                  \
        if (is_passed_over(size))                                                                  \
            return allocator->malloc(allocator->context, size);                                    \
        return malloc_cold(allocator, size);                                                       \
    }                                                                                              \
    static void *name##_calloc(void *context, size_t n, size_t size) {                             \
        const struct allocator *allocator = allocator_of(domain);                                  \
        if (is_passed_over(n * size)) /* the interpreter has refused what overflows */             \
            return allocator->calloc(allocator->context, n, size);                                 \
        return calloc_cold(allocator, n, size);                                                    \
    }                                                                                              \
    static void *name##_realloc(void *context, void *block, size_t size) {                         \
        const struct allocator *allocator = allocator_of(domain);                                  \
        if (SG_LIKELY(!sg_heap_blocks_may_be_live(block)) && is_passed_over(size))                 \
            return allocator->realloc(allocator->context, block, size);                            \
        return reallocate_cold(allocator, block, size);                                            \
    }                                                                                              \
    static void name##_free(void *context, void *block) {                                          \
        const struct allocator *allocator = allocator_of(domain);                                  \
        if (!SG_LIKELY(!sg_heap_blocks_may_be_live(block)))                                        \
            note_free(block);                                                                      \
        allocator->free(allocator->context, block);                                                \
    }

HOOKS(mem, DOMAIN_MEM)
HOOKS(obj, DOMAIN_OBJ)

static const struct allocator HOOKS_OF[LAST_DOMAIN + 1] = {
    [DOMAIN_MEM] = {NULL, mem_malloc, mem_calloc, mem_realloc, mem_free},
    [DOMAIN_OBJ] = {NULL, obj_malloc, obj_calloc, obj_realloc, obj_free},
};

/* ---- Putting them on and off ---- */

const char *sg_heap_hooks_prepare(void) {
    const struct {
        const char *name;
        void *target;
    } wanted[] = {
        {"PyMem_GetAllocator", &get_allocator},
        {"PyMem_SetAllocator", &set_allocator},
        {"PyMem_Malloc", &python_malloc[DOMAIN_MEM]},
        {"PyMem_Free", &python_free[DOMAIN_MEM]},
        {"PyObject_Malloc", &python_malloc[DOMAIN_OBJ]},
        {"PyObject_Free", &python_free[DOMAIN_OBJ]},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = dlsym(RTLD_DEFAULT, wanted[i].name);
        if (!symbol)
            return "this interpreter does not export its allocators";
        memcpy(wanted[i].target, &symbol, sizeof symbol);
    }
    return NULL;
}

static bool is_ours(const struct allocator *allocator, int domain) {
    return allocator->malloc == HOOKS_OF[domain].malloc;
}

static bool is_called(int domain) {
    uint64_t saved = GET(left);
    SET(is_seen, false);
    SET(is_trying, true);
    SET(left, 0);
    python_free[domain](python_malloc[domain](1));
    SET(is_trying, false);
    SET(left, saved);
    return GET(is_seen);
}

void sg_heap_hooks_install(void) {
    for (int domain = FIRST_DOMAIN; domain <= LAST_DOMAIN; domain++) {
        struct allocator top;
        get_allocator(domain, &top);
        /* On top, or below somebody who came later: a new one below would call us in a circle. */
        if (is_ours(&top, domain) || (allocator_of(domain) && is_called(domain)))
            continue;
        struct allocator *slot = &slots[domain][allocator_of(domain) == &slots[domain][0]];
        *slot = top;
        atomic_store_explicit(&below[domain], slot, memory_order_release);
        struct allocator hooks = HOOKS_OF[domain];
        hooks.context = top.context;
        set_allocator(domain, &hooks);
    }
}

void sg_heap_hooks_remove(void) {
    SET(rate_asked, 0);
    SET(rate_in_force, 0);
    SET(left, UINT64_MAX);
    for (int domain = FIRST_DOMAIN; get_allocator && domain <= LAST_DOMAIN; domain++) {
        struct allocator top;
        get_allocator(domain, &top);
        if (is_ours(&top, domain)) {
            struct allocator original = *allocator_of(domain);
            set_allocator(domain, &original);
        }
    }
}

bool sg_heap_hooks_are_called(void) { return is_called(DOMAIN_MEM) && is_called(DOMAIN_OBJ); }

void sg_heap_hooks_set_rate(uint64_t rate) {
    atomic_store(&rate_asked, rate);
    sg_heap_hooks_tend();
}

void sg_heap_hooks_tend(void) {
    if (atomic_load(&rate_in_force) != atomic_load(&rate_asked))
        atomic_store(&left, 0);
}

uint64_t sg_heap_hooks_rate(void) { return atomic_load(&rate_asked); }
