/* Wrappers that know which function they wrap. A C function has no closure, so there are twelve
 * copies of each shape, made by macros, and copy n calls originals[shape][n]. A copy is bound once
 * and for good, because the program may have kept a pointer to it.
 *
 * The second half recognises the functions by their names in a symbol table: jemalloc's with one of
 * four prefixes, mimalloc's, and the methods of Arrow's pools as a C++ compiler spells them. */
#include "native_memory/allocator_entries.h"

#include <stdatomic.h>
#include <string.h>

#include "native_memory/recording.h"

enum { COPIES = 12 }; /* of each shape */

typedef uintptr_t word;
typedef void *alloc_fn(word, word, word);
typedef int memalign_fn(void **, word, word);
typedef void *realloc_fn(void *, word, word, word);
typedef void free_fn(void *, word, word);
/* A Status is returned by its address; its first word is NULL for success. */
typedef void **pool_alloc_fn(void **status, void *pool, int64_t size, int64_t alignment,
                             void **block);
typedef void **pool_realloc_fn(void **status, void *pool, int64_t old_size, int64_t size,
                               int64_t alignment, void **block);
typedef void pool_free_fn(void *pool, void *block, int64_t size, int64_t alignment);

/* Lock-free: each entry is written once, before its wrapper is given out. */
static _Atomic(void *) originals[SG_ENTRY_SHAPES][COPIES];

static inline void *original_of(enum sg_entry_shape shape, int copy) {
    return atomic_load_explicit(&originals[shape][copy], memory_order_relaxed);
}

/* Record `block` as allocated by `function`, and return it. */
static inline void *allocated_by(const void *function, void *block, size_t size) {
    return sg_recording_alloc(SG_TRACE_NATIVE, block, size, function);
}

static inline void freed(const void *block) { sg_recording_free(SG_TRACE_NATIVE, block); }

static inline void *pass_realloc(realloc_fn *function, void *block, size_t size, word a, word b) {
    if (!sg_recording_is_on())
        return function(block, size, a, b);
    struct sg_recording_move move = sg_recording_begin_move(SG_TRACE_NATIVE, block);
    void *moved = function(block, size, a, b);
    sg_recording_end_move(SG_TRACE_NATIVE, &move, moved, size, (const void *)function);
    return moved;
}

/* A pool returns the same block for all allocations of 0 bytes, which are never recorded. */
static inline void **pass_pool_alloc(pool_alloc_fn *function, void **status, void *pool,
                                     int64_t size, int64_t alignment, void **block) {
    void **result = function(status, pool, size, alignment, block);
    if (!*result && size > 0)
        allocated_by((const void *)function, *block, (size_t)size);
    return result;
}

static inline void **pass_pool_realloc(pool_realloc_fn *function, void **status, void *pool,
                                       int64_t old_size, int64_t size, int64_t alignment,
                                       void **block) {
    if (!sg_recording_is_on())
        return function(status, pool, old_size, size, alignment, block);
    struct sg_recording_move move = sg_recording_begin_move(SG_TRACE_NATIVE, *block);
    void **result = function(status, pool, old_size, size, alignment, block);
    if (*result) /* it failed: the block is as it was */
        sg_recording_end_move(SG_TRACE_NATIVE, &move, NULL, 1, NULL);
    else
        sg_recording_end_move(SG_TRACE_NATIVE, &move, size > 0 ? *block : NULL,
                              size > 0 ? (size_t)size : 0, (const void *)function);
    return result;
}

#define PASS(shape, type, copy) ((type *)original_of(shape, copy))
#define WRAPPERS(n)                                                                                \
    static void *alloc_##n(word size, word a, word b) {                                            \
        return allocated_by(original_of(SG_ENTRY_ALLOC, n),                                        \
                            PASS(SG_ENTRY_ALLOC, alloc_fn, n)(size, a, b), size);                  \
    }                                                                                              \
    static void *calloc_##n(word count, word size, word a) {                                       \
        return allocated_by(original_of(SG_ENTRY_CALLOC, n),                                       \
                            PASS(SG_ENTRY_CALLOC, alloc_fn, n)(count, size, a), count * size);     \
    }                                                                                              \
    static void *aligned_##n(word alignment, word size, word a) {                                  \
        return allocated_by(original_of(SG_ENTRY_ALIGNED, n),                                      \
                            PASS(SG_ENTRY_ALIGNED, alloc_fn, n)(alignment, size, a), size);        \
    }                                                                                              \
    static int memalign_##n(void **block, word alignment, word size) {                             \
        int error = PASS(SG_ENTRY_MEMALIGN, memalign_fn, n)(block, alignment, size);               \
        if (!error)                                                                                \
            allocated_by(original_of(SG_ENTRY_MEMALIGN, n), *block, size);                         \
        return error;                                                                              \
    }                                                                                              \
    static void *realloc_##n(void *block, word size, word a, word b) {                             \
        return pass_realloc(PASS(SG_ENTRY_REALLOC, realloc_fn, n), block, size, a, b);             \
    }                                                                                              \
    static void free_##n(void *block, word a, word b) {                                            \
        freed(block);                                                                              \
        PASS(SG_ENTRY_FREE, free_fn, n)(block, a, b);                                              \
    }                                                                                              \
    static void **pool_alloc_##n(void **status, void *pool, int64_t size, int64_t alignment,       \
                                 void **block) {                                                   \
        return pass_pool_alloc(PASS(SG_ENTRY_POOL_ALLOC, pool_alloc_fn, n), status, pool, size,    \
                               alignment, block);                                                  \
    }                                                                                              \
    static void **pool_realloc_##n(void **status, void *pool, int64_t old_size, int64_t size,      \
                                   int64_t alignment, void **block) {                              \
        return pass_pool_realloc(PASS(SG_ENTRY_POOL_REALLOC, pool_realloc_fn, n), status, pool,    \
                                 old_size, size, alignment, block);                                \
    }                                                                                              \
    static void pool_free_##n(void *pool, void *block, int64_t size, int64_t alignment) {          \
        freed(block);                                                                              \
        PASS(SG_ENTRY_POOL_FREE, pool_free_fn, n)(pool, block, size, alignment);                   \
    }

#define EACH_COPY(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
EACH_COPY(WRAPPERS)

#define ROW(n)                                                                                     \
    {[SG_ENTRY_ALLOC] = alloc_##n,           [SG_ENTRY_CALLOC] = calloc_##n,                       \
     [SG_ENTRY_ALIGNED] = aligned_##n,       [SG_ENTRY_MEMALIGN] = memalign_##n,                   \
     [SG_ENTRY_REALLOC] = realloc_##n,       [SG_ENTRY_FREE] = free_##n,                           \
     [SG_ENTRY_POOL_ALLOC] = pool_alloc_##n, [SG_ENTRY_POOL_REALLOC] = pool_realloc_##n,           \
     [SG_ENTRY_POOL_FREE] = pool_free_##n},
static void *const WRAPPERS_OF[COPIES][SG_ENTRY_SHAPES] = {EACH_COPY(ROW)};

void *sg_allocator_entry(enum sg_entry_shape shape, void *function) {
    for (int copy = 0; copy < COPIES; copy++) {
        if (!original_of(shape, copy))
            atomic_store(&originals[shape][copy], function);
        if (original_of(shape, copy) == function)
            return WRAPPERS_OF[copy][shape];
    }
    return NULL;
}

bool sg_allocator_entry_allocates(enum sg_entry_shape shape) {
    return shape == SG_ENTRY_ALLOC || shape == SG_ENTRY_POOL_ALLOC;
}

bool sg_allocator_entry_frees(enum sg_entry_shape shape) {
    return shape == SG_ENTRY_FREE || shape == SG_ENTRY_POOL_FREE;
}

/* ---- Names ---- */

/* Names without their prefix: libraries give their copy of jemalloc one of JEMALLOC_PREFIXES, that
 * of mimalloc is always mi_. */
static const struct {
    const char *name;
    enum sg_entry_shape shape;
} JEMALLOC[] =
    {
        {"malloc", SG_ENTRY_ALLOC},     {"mallocx", SG_ENTRY_ALLOC},
        {"calloc", SG_ENTRY_CALLOC},    {"aligned_alloc", SG_ENTRY_ALIGNED},
        {"memalign", SG_ENTRY_ALIGNED}, {"posix_memalign", SG_ENTRY_MEMALIGN},
        {"realloc", SG_ENTRY_REALLOC},  {"rallocx", SG_ENTRY_REALLOC},
        {"free", SG_ENTRY_FREE},        {"dallocx", SG_ENTRY_FREE},
        {"sdallocx", SG_ENTRY_FREE},
},
  MIMALLOC[] = {
      {"malloc", SG_ENTRY_ALLOC},
      {"malloc_aligned", SG_ENTRY_ALLOC},
      {"zalloc", SG_ENTRY_ALLOC},
      {"zalloc_aligned", SG_ENTRY_ALLOC},
      {"calloc", SG_ENTRY_CALLOC},
      {"realloc", SG_ENTRY_REALLOC},
      {"realloc_aligned", SG_ENTRY_REALLOC},
      {"free", SG_ENTRY_FREE},
      {"free_size", SG_ENTRY_FREE},
      {"free_aligned", SG_ENTRY_FREE},
      {"free_size_aligned", SG_ENTRY_FREE},
};
static const char *const JEMALLOC_PREFIXES[] = {"_rjem_", "je_arrow_", "duckdb_je_", "je_"};

/* A method's mangled name (Itanium C++ ABI) is POOL, the pool's allocator, and a name of
 * POOL_METHODS. The pool on top of the C library's allocator is left out: its blocks are recorded
 * as the C library's. */
static const char POOL[] = "_ZN5arrow18BaseMemoryPoolImplI";
static const char POOL_OF_SYSTEM[] = "15SystemAllocatorE";
static const struct {
    const char *name;
    enum sg_entry_shape shape;
} POOL_METHODS[] = {
    {"EE8AllocateEllPPh", SG_ENTRY_POOL_ALLOC},
    {"EE10ReallocateElllPPh", SG_ENTRY_POOL_REALLOC},
    {"EE4FreeEPhll", SG_ENTRY_POOL_FREE},
};

static const void *find_in(const char *text, size_t length, const char *part) {
    return memmem(text, length, part, strlen(part));
}

static bool is_pool_method(const char *text, size_t length, uint32_t *shape) {
    if (length < sizeof POOL || memcmp(text, POOL, sizeof POOL - 1) != 0 ||
        find_in(text, length, POOL_OF_SYSTEM) || find_in(text, length, ".cold"))
        return false;
    for (size_t i = 0; i < sizeof POOL_METHODS / sizeof *POOL_METHODS; i++) {
        if (find_in(text, length, POOL_METHODS[i].name)) {
            *shape = POOL_METHODS[i].shape;
            return true;
        }
    }
    return false;
}

static bool ends_with(const char *text, size_t length, const char *end) {
    size_t n = strlen(end);
    return length >= n && memcmp(text + length - n, end, n) == 0;
}

/* If `text` ends with `end`, set `length` to where `end` begins. Returns false otherwise. */
static bool cut(const char *text, size_t *length, const char *end) {
    if (!ends_with(text, *length, end))
        return false;
    *length -= strlen(end);
    return true;
}

bool sg_allocator_entry_named(const char *text, size_t length, size_t *start, uint32_t *shape) {
    *start = 0;
    if (length && text[0] == '_' && is_pool_method(text, length, shape))
        return true;
    /* The linker lets a name be the end of a longer one. */
    for (size_t i = 0; i < sizeof JEMALLOC / sizeof *JEMALLOC; i++) {
        size_t at = length;
        if (!cut(text, &at, JEMALLOC[i].name))
            continue;
        *shape = JEMALLOC[i].shape;
        for (size_t p = 0; p < sizeof JEMALLOC_PREFIXES / sizeof *JEMALLOC_PREFIXES; p++) {
            *start = at;
            if (cut(text, start, JEMALLOC_PREFIXES[p]))
                return true;
        }
    }
    for (size_t i = 0; i < sizeof MIMALLOC / sizeof *MIMALLOC; i++) {
        *start = length;
        *shape = MIMALLOC[i].shape;
        if (cut(text, start, MIMALLOC[i].name) && cut(text, start, "mi_"))
            return true;
    }
    return false;
}
