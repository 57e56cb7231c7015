/* Allocator hooks: see heap_hooks.h.
 *
 * What is common is a subtraction, a comparison and a jump to the allocator below:
 *
 *     malloc(size):  spare - size ≥ 0?  ──yes──▶ that is spare, allocate
 *                         └──no──▶ (cold) allocate, sample, draw a new spare
 *     free(block):   sieve's bit 0?     ──yes──▶ free
 *                         └──no──▶ (cold) strike it off, free
 *
 * No Python code runs in a hook, nothing is allocated from the process's heaps, errno is kept. */
#include "heap_hooks.h"

#include <Python.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>

#include "calling_thread.h"
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

/* The allocators below ours. There are two sets of hooks, each with its own: a new allocator below
 * is written into the set that is not in use before that set is made known, and whoever still calls
 * the other one finds there what was below it. Written under the GIL. */
enum { N_SETS = 2 };
static struct allocator below[LAST_DOMAIN + 1][N_SETS];
static int set_in_use[LAST_DOMAIN + 1]; /* guarded by the GIL */

/* Hooks' own, under the GIL; atomic, since other threads ask for another rate by `spare` = -1. */
static _Atomic int64_t spare = INT64_MAX; /* bytes that can be passed over before the next sample */
static _Atomic uint64_t rate_in_force;
static _Atomic uint64_t rate_asked;
static _Atomic bool is_in_hook; /* an allocator below calls one above: not ours to count */
static _Atomic bool is_trying;  /* the next allocation is our own: is it seen? */
static _Atomic bool is_seen;

#define GET(variable) atomic_load_explicit(&(variable), memory_order_relaxed)
#define SET(variable, value) atomic_store_explicit(&(variable), value, memory_order_relaxed)

static inline bool is_passed_over(size_t size) {
    int64_t now = GET(spare) - (int64_t)size;
    if (!SG_LIKELY(now >= 0))
        return false;
    SET(spare, now);
    return true;
}

/* ---- What is uncommon ---- */

static int64_t draw(uint64_t rate) {
    uint64_t distance = sg_heap_draw(rate);
    return distance > INT64_MAX ? INT64_MAX : (int64_t)distance - 1;
}

/* Is an allocation of `size` to be sampled, which cannot be passed over? At which rate? */
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
        int64_t now = draw(asked) - (int64_t)size;
        if (now >= 0) {
            SET(spare, now);
            return false;
        }
    }
    SET(spare, draw(*rate));
    return *rate != 0 && !sg_heap_capture_is_engine();
}

static void sample(const struct sg_heap_moment *moment, const void *block, size_t size,
                   uint64_t rate) {
    struct sg_heap_alloc alloc = {
        .address = (uintptr_t)block,
        .size = size,
        .rate = rate,
        .kind = SG_HEAP_PYTHON,
        .thread = sg_calling_thread_state(true),
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

SG_COLD static void *malloc_cold(const struct allocator *allocator, void *context, size_t size) {
    bool is_nested = GET(is_in_hook);
    SET(is_in_hook, true);
    void *block = allocator->malloc(context, size);
    SET(is_in_hook, is_nested);
    if (!is_nested)
        note_allocation(block, size);
    return block;
}

SG_COLD static void *calloc_cold(const struct allocator *allocator, void *context, size_t n,
                                 size_t size) {
    bool is_nested = GET(is_in_hook);
    SET(is_in_hook, true);
    void *block = allocator->calloc(context, n, size);
    SET(is_in_hook, is_nested);
    if (!is_nested)
        note_allocation(block, n * size);
    return block;
}

SG_COLD static void free_cold(const struct allocator *allocator, void *context, void *block) {
    int saved_errno = errno;
    struct sg_heap_moment moment = sg_heap_capture_moment();
    sg_heap_ledger_free(&moment, (uintptr_t)block); /* before it can be anybody else's */
    errno = saved_errno;
    allocator->free(context, block);
}

SG_COLD static void *realloc_cold(const struct allocator *allocator, void *context, void *block,
                                  size_t size) {
    bool is_nested = GET(is_in_hook);
    int saved_errno = errno;
    struct sg_heap_moment moment = sg_heap_capture_moment();
    struct sg_heap_taken taken = {0};
    /* Before the block can be anybody else's. */
    if (block && sg_heap_blocks_may_have(block))
        taken = sg_heap_ledger_take(&moment, (uintptr_t)block);
    SET(is_in_hook, true);
    errno = saved_errno;
    void *moved = allocator->realloc(context, block, size);
    SET(is_in_hook, is_nested);
    saved_errno = errno;
    bool has_failed = !moved && size; /* of no bytes: it has been freed */
    if (taken.address && has_failed)
        sg_heap_ledger_put_back(&moment, &taken);
    else if (taken.address)
        sg_heap_ledger_settle(&moment, &taken);
    uint64_t rate;
    if (moved && !is_nested && !is_passed_over(size) && is_chosen(size, &rate))
        sample(&moment, moved, size, rate);
    errno = saved_errno;
    return moved;
}

/* ---- What is common ---- */

/* The context is that of the allocator below: see install. */
#define HOOKS(name, domain, set)                                                                   \
    static void *name##_malloc(void *context, size_t size) {                                       \
        if (is_passed_over(size))                                                                  \
            return below[domain][set].malloc(context, size);                                       \
        return malloc_cold(&below[domain][set], context, size);                                    \
    }                                                                                              \
    static void *name##_calloc(void *context, size_t n, size_t size) {                             \
        if (is_passed_over(n * size)) /* the interpreter has refused what overflows */             \
            return below[domain][set].calloc(context, n, size);                                    \
        return calloc_cold(&below[domain][set], context, n, size);                                 \
    }                                                                                              \
    static void *name##_realloc(void *context, void *block, size_t size) {                         \
        if (SG_LIKELY(!sg_heap_blocks_may_have(block)) && is_passed_over(size))                    \
            return below[domain][set].realloc(context, block, size);                               \
        return realloc_cold(&below[domain][set], context, block, size);                            \
    }                                                                                              \
    static void name##_free(void *context, void *block) {                                          \
        if (SG_LIKELY(!sg_heap_blocks_may_have(block)))                                            \
            below[domain][set].free(context, block);                                               \
        else                                                                                       \
            free_cold(&below[domain][set], context, block);                                        \
    }

HOOKS(mem_0, DOMAIN_MEM, 0)
HOOKS(mem_1, DOMAIN_MEM, 1)
HOOKS(obj_0, DOMAIN_OBJ, 0)
HOOKS(obj_1, DOMAIN_OBJ, 1)

#define ALLOCATOR(name)                                                                            \
    { NULL, name##_malloc, name##_calloc, name##_realloc, name##_free }
static const struct allocator HOOKS_OF[LAST_DOMAIN + 1][N_SETS] = {
    [DOMAIN_MEM] = {ALLOCATOR(mem_0), ALLOCATOR(mem_1)},
    [DOMAIN_OBJ] = {ALLOCATOR(obj_0), ALLOCATOR(obj_1)},
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

/* Which of our sets an allocator is; -1 = it is somebody else's. */
static int find_set(const struct allocator *allocator, int domain) {
    for (int set = 0; set < N_SETS; set++) {
        if (allocator->malloc == HOOKS_OF[domain][set].malloc)
            return set;
    }
    return -1;
}

static bool is_called(int domain) {
    int64_t saved = GET(spare);
    SET(is_seen, false);
    SET(is_trying, true);
    SET(spare, -1);
    python_free[domain](python_malloc[domain](1));
    SET(is_trying, false);
    SET(spare, saved);
    return GET(is_seen);
}

void sg_heap_hooks_install(void) {
    for (int domain = FIRST_DOMAIN; domain <= LAST_DOMAIN; domain++) {
        struct allocator top;
        get_allocator(domain, &top);
        /* On top, or below somebody who came later: a new one below would call us in a circle. */
        if (find_set(&top, domain) >= 0 || is_called(domain))
            continue;
        int set = set_in_use[domain] = 1 - set_in_use[domain];
        below[domain][set] = top;
        struct allocator hooks = HOOKS_OF[domain][set];
        hooks.context = top.context;
        set_allocator(domain, &hooks);
    }
}

void sg_heap_hooks_remove(void) {
    atomic_store(&rate_asked, 0);
    SET(rate_in_force, 0);
    SET(spare, INT64_MAX);
    for (int domain = FIRST_DOMAIN; get_allocator && domain <= LAST_DOMAIN; domain++) {
        struct allocator top;
        get_allocator(domain, &top);
        int set = find_set(&top, domain);
        if (set >= 0)
            set_allocator(domain, &below[domain][set]);
    }
}

bool sg_heap_hooks_are_called(void) { return is_called(DOMAIN_MEM) && is_called(DOMAIN_OBJ); }

void sg_heap_hooks_set_rate(uint64_t rate) {
    atomic_store(&rate_asked, rate);
    sg_heap_hooks_tend();
}

void sg_heap_hooks_tend(void) {
    if (atomic_load(&rate_in_force) != atomic_load(&rate_asked))
        atomic_store(&spare, -1);
}

uint64_t sg_heap_hooks_rate(void) { return atomic_load(&rate_asked); }
