/* Functions that pass on and take note: see native_alloc.h.
 *
 * They may be called on any thread at any time, by signal handlers and by destructors of a thread's
 * own data: they use neither such data nor locks, and allocate nothing. They cannot meet
 * themselves, because our own library, the C library and whoever provides malloc are not led
 * through here. (An allocator that is built on another one's, between the program and the C
 * library, is counted once at each level where it is led through here, at the same address: the
 * later note replaces the earlier.)  */
#include "native_memory/native_alloc.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/arena_events.h"
#include "heap/native_blocks.h"
#include "interpreter/python_symbols.h"
#include "native_memory/arenas.h"
#include "native_memory/private_allocators.h"

/* What not every C library has, and Python's, which are not of its stable ABI. Written before the
 * tables are, and then constant. */
static void *(*their_reallocarray)(void *block, size_t n, size_t size);
static void *(*raw_malloc)(size_t size);
static void *(*raw_calloc)(size_t n, size_t size);
static void *(*raw_realloc)(void *block, size_t size);
static void (*raw_free)(void *block);
static uintptr_t page_bytes;

/* ---- malloc and its family ---- */

static void *our_malloc(size_t size) { return sg_native_blocks_allocated(malloc(size), size); }

static void *our_calloc(size_t n, size_t size) {
    return sg_native_blocks_allocated(calloc(n, size), n * size); /* NULL if that overflows */
}

static void our_free(void *block) {
    sg_native_blocks_freed(block);
    free(block);
}

static void *our_realloc(void *block, size_t size) {
    if (!sg_native_blocks_is_recording())
        return realloc(block, size);
    struct sg_heap_taken taken = sg_native_blocks_realloc(block);
    void *moved = realloc(block, size);
    sg_native_blocks_realloced(&taken, moved, size);
    return moved;
}

static void *our_reallocarray(void *block, size_t n, size_t size) {
    size_t bytes;
    bool is_too_much = __builtin_mul_overflow(n, size, &bytes);
    if (!sg_native_blocks_is_recording() || is_too_much)
        return their_reallocarray(block, n, size);
    struct sg_heap_taken taken = sg_native_blocks_realloc(block);
    void *moved = their_reallocarray(block, n, size);
    sg_native_blocks_realloced(&taken, moved, bytes);
    return moved;
}

static int our_posix_memalign(void **block, size_t alignment, size_t size) {
    int error = posix_memalign(block, alignment, size);
    if (!error)
        sg_native_blocks_allocated(*block, size);
    return error;
}

static void *our_aligned_alloc(size_t alignment, size_t size) {
    return sg_native_blocks_allocated(aligned_alloc(alignment, size), size);
}

static void *our_memalign(size_t alignment, size_t size) {
    return sg_native_blocks_allocated(memalign(alignment, size), size);
}

/* ---- Python's raw domain ---- */

static void *our_raw_malloc(size_t size) {
    return sg_native_blocks_allocated(raw_malloc(size), size);
}

static void *our_raw_calloc(size_t n, size_t size) {
    return sg_native_blocks_allocated(raw_calloc(n, size), n * size);
}

static void our_raw_free(void *block) {
    sg_native_blocks_freed(block);
    raw_free(block);
}

static void *our_raw_realloc(void *block, size_t size) {
    if (!sg_native_blocks_is_recording())
        return raw_realloc(block, size);
    struct sg_heap_taken taken = sg_native_blocks_realloc(block);
    void *moved = raw_realloc(block, size);
    sg_native_blocks_realloced(&taken, moved, size ? size : 1); /* of no bytes: it is not freed */
    return moved;
}

/* ---- Pages ---- */

static void *our_mmap(void *wish, size_t size, int protection, int flags, int file, off_t offset) {
    void *pages = mmap(wish, size, protection, flags, file, offset);
    if (pages == MAP_FAILED || !(flags & MAP_ANONYMOUS))
        return pages;
    if (flags & MAP_FIXED && sg_arena_events_concern((uintptr_t)pages, size))
        return pages; /* part of an arena: what counts of it is which pages are in memory */
    if (flags & MAP_NORESERVE || !(protection & PROT_WRITE)) {
        if (sg_native_blocks_is_recording())
            sg_native_blocks_map(pages, size, __builtin_return_address(0));
        return pages;
    }
    return sg_native_blocks_allocated(pages, size);
}

/* What is left behind a part that goes is a block of its own; a tail that goes is not noticed. */
static int our_munmap(void *pages, size_t size) {
    if (!sg_native_blocks_is_recording())
        return munmap(pages, size);
    sg_native_blocks_unmap(pages, size);
    struct sg_heap_taken taken = sg_native_blocks_realloc(pages);
    int result = munmap(pages, size);
    size_t gone = (size + page_bytes - 1) & ~(page_bytes - 1);
    if (result)
        sg_native_blocks_realloced(&taken, NULL, 1); /* it is still there */
    else if (taken.address && gone < taken.size)
        sg_native_blocks_realloced(&taken, (char *)pages + gone, taken.size - gone);
    else
        sg_native_blocks_realloced(&taken, NULL, 0);
    return result;
}

/* ---- All of them ---- */

/* Their addresses are written by lead, before the tables are. */
static struct sg_got_import imports[] = {
    {"malloc", our_malloc, NULL, NULL},
    {"calloc", our_calloc, NULL, NULL},
    {"realloc", our_realloc, NULL, NULL},
    {"free", our_free, NULL, NULL},
    {"reallocarray", our_reallocarray, NULL, NULL},
    {"posix_memalign", our_posix_memalign, NULL, NULL},
    {"aligned_alloc", our_aligned_alloc, NULL, NULL},
    {"memalign", our_memalign, NULL, NULL},
    {"mmap", our_mmap, NULL, NULL},
    {"mmap64", our_mmap, NULL, NULL}, /* the same: off_t has 64 bits */
    {"munmap", our_munmap, NULL, NULL},
    {"PyMem_RawMalloc", our_raw_malloc, NULL, NULL},
    {"PyMem_RawCalloc", our_raw_calloc, NULL, NULL},
    {"PyMem_RawRealloc", our_raw_realloc, NULL, NULL},
    {"PyMem_RawFree", our_raw_free, NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

/* A program at a fixed place may give a function's address as that of its own stub, and then that
 * is everybody's. Calls still lead straight to the library. */
static bool is_stub(void *function) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    return dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
           symbol->st_shndx == SHN_UNDEF;
}

static void find_theirs(void) {
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    for (struct sg_got_import *import = imports; import->name; import++) {
        import->original = dlsym(RTLD_DEFAULT, import->name);
        if (import->original && library && is_stub(import->original))
            import->alias = dlsym(library, import->name);
    }
    if (library)
        dlclose(library);
}

static void *theirs(const char *name) {
    for (const struct sg_got_import *import = imports; import->name; import++) {
        if (strcmp(import->name, name) == 0)
            return import->original;
    }
    return NULL;
}

/* Half a family is worse than none. */
static bool has_raw_domain(void) {
    return theirs("PyMem_RawMalloc") && theirs("PyMem_RawCalloc") && theirs("PyMem_RawRealloc") &&
           theirs("PyMem_RawFree");
}

static const char *refuse(void) {
#if !defined(__x86_64__)
    return "memory that bypasses Python's allocators is only followed on x86-64: import tables "
           "have not been tried on this processor";
#else
    void *glibc = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    Dl_info interpreter, library;
    if (!glibc)
        return "memory that bypasses Python's allocators is only followed with the GNU C library";
    if (!dladdr((void *)sg_python_symbols.eval_start, &interpreter) || !dladdr(glibc, &library) ||
        interpreter.dli_fbase == library.dli_fbase)
        return "memory that bypasses Python's allocators is not followed where the C library is "
               "part of the interpreter";
    return NULL;
#endif
}

const char *sg_native_alloc_lead(void) {
    const char *problem = refuse();
    if (problem)
        return problem;
    if (!page_bytes) {
        find_theirs();
        if (!has_raw_domain())
            imports[sizeof imports / sizeof *imports - 5].name = NULL;
        void *found = theirs("reallocarray");
        memcpy(&their_reallocarray, &found, sizeof found);
        found = theirs("PyMem_RawMalloc");
        memcpy(&raw_malloc, &found, sizeof found);
        found = theirs("PyMem_RawCalloc");
        memcpy(&raw_calloc, &found, sizeof found);
        found = theirs("PyMem_RawRealloc");
        memcpy(&raw_realloc, &found, sizeof found);
        found = theirs("PyMem_RawFree");
        memcpy(&raw_free, &found, sizeof found);
        page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    }
    problem = sg_got_patch_apply(imports);
    atomic_store(&sg_native_blocks_are_recorded, !problem);
    return problem;
}

void sg_native_alloc_tend(void) {
    sg_got_patch_maintain();
    sg_private_allocators_tend();
}

void sg_native_alloc_measure(void) {
    if (sg_native_blocks_is_recording())
        sg_arenas_measure();
}

void sg_native_alloc_restore(void) {
    atomic_store(&sg_native_blocks_are_recorded, false);
    sg_got_patch_restore();
    sg_private_allocators_restore();
    sg_arenas_forget();
}

void sg_native_alloc_after_fork_in_child(void) {
    atomic_store(&sg_native_blocks_are_recorded, false);
    sg_got_patch_restore_in_child();
    sg_private_allocators_restore_in_child();
    sg_arenas_forget_in_child();
}
