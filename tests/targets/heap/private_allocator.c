/* A library with allocators of its own, called through pointers in closed pages, as Rust calls its
 * jemalloc and C++ its virtual methods. -DHALF: nothing that frees is called so. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))
#define KEPT __attribute__((noinline, used))

enum { PAGE = 4096 };

/* Each block is a mapping of its own behind a page that says how long it is. */
static char *map(size_t size) {
    char *pages = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    *(size_t *)pages = size;
    return pages + PAGE;
}

static void unmap(char *block) {
    if (!block)
        return;
    size_t size = *(size_t *)(block - PAGE);
    madvise(block, size, MADV_DONTNEED);
    munmap(block - PAGE, size + PAGE);
}

static char *remap(char *block, size_t size) {
    char *moved = map(size);
    if (moved && block) {
        size_t old = *(size_t *)(block - PAGE);
        memcpy(moved, block, old < size ? old : size);
        unmap(block);
    }
    return moved;
}

KEPT void *_rjem_malloc(size_t size) { return map(size); }
KEPT void *_rjem_mallocx(size_t size, int flags) { return map(size); }
KEPT void *_rjem_calloc(size_t n, size_t size) { return map(n * size); }
KEPT void *_rjem_aligned_alloc(size_t alignment, size_t size) { return map(size); }
KEPT int _rjem_posix_memalign(void **block, size_t alignment, size_t size) {
    *block = map(size);
    return *block ? 0 : 12;
}
KEPT void *_rjem_rallocx(void *block, size_t size, int flags) { return remap(block, size); }
KEPT void _rjem_sdallocx(void *block, size_t size, int flags) { unmap(block); }
KEPT void *mi_malloc_aligned(size_t size, size_t alignment) { return map(size); }
KEPT void mi_free(void *block) { unmap(block); }

/* As a C++ compiler calls arrow::BaseMemoryPoolImpl<Test>::Allocate and its sisters. */
#define POOL(method) __asm__("_ZN5arrow18BaseMemoryPoolImplINS_4TestEE" method)
static void **allocate(void **status, void *pool, int64_t size, int64_t alignment, char **block)
    POOL("8AllocateEllPPh");
static void **reallocate(void **status, void *pool, int64_t old, int64_t size, int64_t alignment,
                         char **block) POOL("10ReallocateElllPPh");
static void pool_free(void *pool, char *block, int64_t size, int64_t alignment) POOL("4FreeEPhll");

KEPT static void **allocate(void **status, void *pool, int64_t size, int64_t alignment,
                            char **block) {
    char *found = map((size_t)size);
    *status = found ? NULL : "out of memory";
    if (found)
        *block = found;
    return status;
}
KEPT static void **reallocate(void **status, void *pool, int64_t old, int64_t size,
                              int64_t alignment, char **block) {
    char *moved = remap(*block, (size_t)size);
    *status = moved ? NULL : "out of memory";
    if (moved)
        *block = moved;
    return status;
}
KEPT static void pool_free(void *pool, char *block, int64_t size, int64_t alignment) {
    unmap(block);
}

static struct entries {
    void *(*volatile malloc)(size_t);
    void *(*volatile mallocx)(size_t, int);
    void *(*volatile calloc)(size_t, size_t);
    void *(*volatile aligned_alloc)(size_t, size_t);
    int (*volatile posix_memalign)(void **, size_t, size_t);
    void *(*volatile rallocx)(void *, size_t, int);
    void (*volatile sdallocx)(void *, size_t, int);
    void *(*volatile malloc_aligned)(size_t, size_t);
    void (*volatile mi_free)(void *);
    void **(*volatile allocate)(void **, void *, int64_t, int64_t, char **);
    void **(*volatile reallocate)(void **, void *, int64_t, int64_t, int64_t, char **);
    void (*volatile pool_free)(void *, char *, int64_t, int64_t);
} const entries = {
    _rjem_malloc,
    _rjem_mallocx,
    _rjem_calloc,
    _rjem_aligned_alloc,
    _rjem_posix_memalign,
    _rjem_rallocx,
#ifdef HALF
    NULL,
    mi_malloc_aligned,
    NULL,
    allocate,
    reallocate,
    NULL,
#else
    _rjem_sdallocx,       mi_malloc_aligned, mi_free,      allocate,
    reallocate,           pool_free,
#endif
};

/* What the pointers hold, one after the other; how many. */
SHOWN int read_entries(void **values) {
    memcpy(values, (const void *)&entries, sizeof entries);
    return (int)(sizeof entries / sizeof *values);
}

enum { MALLOC, MALLOCX, CALLOC, ALIGNED, POSIX, REALLOC, MIMALLOC, ARROW };

SHOWN void *get(int way, size_t size) {
    void *block = NULL;
    switch (way) {
    case MALLOC:
        return entries.malloc(size);
    case MALLOCX:
        return entries.mallocx(size, 6);
    case CALLOC:
        return entries.calloc(1, size);
    case ALIGNED:
        return entries.aligned_alloc(64, size);
    case POSIX:
        return entries.posix_memalign(&block, 64, size) ? NULL : block;
    case REALLOC:
        return entries.rallocx(NULL, size, 0);
    case MIMALLOC:
        return entries.malloc_aligned(size, 64);
    default: {
        void *status;
        char *found = NULL;
        entries.allocate(&status, NULL, (int64_t)size, 64, &found);
        return found;
    }
    }
}

SHOWN void give_back(int way, void *block) {
    if (way == MIMALLOC)
        entries.mi_free(block);
    else if (way == ARROW)
        entries.pool_free(NULL, block, 0, 64);
    else
        entries.sdallocx(block, 0, 0);
}

/* Touches that many bytes of a block. */
SHOWN void touch(char *block, size_t size) { memset(block, 1, size); }

/* Takes the pages of that many bytes away, and leaves the address space. */
SHOWN int clear(char *block, size_t size) { return madvise(block, size, MADV_DONTNEED); }
/* Three calls that fail for their arguments. Returns how many have failed. */
SHOWN int unmap_in_vain(char *block, size_t size) {
    return -munmap(block + 1, size) - munmap(block, 0) - munmap(block, SIZE_MAX);
}

/* NULL if it was refused. */
SHOWN void *change(int way, void *block, size_t size) {
    void *status;
    char *found = block;
    if (way != ARROW)
        return entries.rallocx(block, size, 0);
    entries.reallocate(&status, NULL, 1, (int64_t)size, 64, &found);
    return status ? NULL : found;
}

static void *get_one(void *size) { return entries.mallocx((size_t)size, 0); }

/* The interpreter's: the caller has the GIL. */
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *);

static atomic_int n_holding;
SHOWN int count_holding(void) { return atomic_load(&n_holding); }

/* Keeps the GIL released until there is a byte to read. */
SHOWN void hold(int descriptor) {
    char byte;
    void *state = PyEval_SaveThread();
    atomic_fetch_add(&n_holding, 1);
    while (read(descriptor, &byte, 1) < 0)
        ;
    atomic_fetch_sub(&n_holding, 1);
    PyEval_RestoreThread(state);
}

/* A block that is allocated by a thread without Python. */
SHOWN void *get_elsewhere(size_t size) {
    pthread_t thread;
    void *block = NULL;
    pthread_create(&thread, NULL, get_one, (void *)size);
    pthread_join(thread, &block);
    return block;
}

/* The same while the caller has released the GIL. */
SHOWN void *get_released(size_t size) {
    void *state = PyEval_SaveThread();
    void *block = get_elsewhere(size);
    PyEval_RestoreThread(state);
    return block;
}
