/* Wrappers for malloc's family, mmap and Python's raw domain: each records and passes the call on.
 *
 *     allocation    call ─▶ record          so the address is known
 *     free          record ─▶ call          afterwards any thread may get the address
 *     realloc       begin_move ─▶ call ─▶ end_move
 *
 *     mmap, anonymous    writable                          a block
 *                        MAP_NORESERVE or not writable     an arena (arenas.h)
 *                        MAP_FIXED within an arena         nothing: its resident pages count
 *
 * The wrappers run on any thread at any time, in signal handlers and in destructors of thread-local
 * data: they use no thread-local data and no locks, and allocate nothing. They do not call
 * themselves, because the imports of the engine, of the C library and of the library that provides
 * malloc are not redirected.
 *
 * If an allocator is built on another one, a block may be recorded once at each level whose imports
 * are redirected, at the same address: the later record replaces the earlier one. */
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
#include "interpreter/python_symbols.h"
#include "interpreter/thread_starts.h"
#include "native_memory/arenas.h"
#include "native_memory/library_watch.h"
#include "native_memory/private_allocators.h"
#include "native_memory/recording.h"

/* Originals of functions that not every C library has, and of Python's functions outside the stable
 * ABI. Written before the import tables are patched, then constant. */
static void *(*libc_reallocarray)(void *block, size_t n, size_t size);
static void *(*raw_malloc)(size_t size);
static void *(*raw_calloc)(size_t n, size_t size);
static void *(*raw_realloc)(void *block, size_t size);
static void (*raw_free)(void *block);
static uintptr_t page_bytes;

/* ---- malloc and its family ---- */

static void *allocated(void *block, size_t size) {
    return sg_recording_alloc(SG_TRACE_NATIVE, block, size, NULL);
}

static void *wrap_malloc(size_t size) { return allocated(malloc(size), size); }

static void *wrap_calloc(size_t n, size_t size) {
    return allocated(calloc(n, size), n * size); /* NULL if that overflows */
}

static void wrap_free(void *block) {
    sg_recording_free(SG_TRACE_NATIVE, block);
    free(block);
}

static void *wrap_realloc(void *block, size_t size) {
    if (!sg_recording_is_on())
        return realloc(block, size);
    struct sg_recording_move move = sg_recording_begin_move(SG_TRACE_NATIVE, block);
    void *moved = realloc(block, size);
    sg_recording_end_move(SG_TRACE_NATIVE, &move, moved, size, NULL);
    return moved;
}

static void *wrap_reallocarray(void *block, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return libc_reallocarray(block, n, size); /* fails, with its errno */
    return wrap_realloc(block, bytes);
}

static int wrap_posix_memalign(void **block, size_t alignment, size_t size) {
    int error = posix_memalign(block, alignment, size);
    if (!error)
        allocated(*block, size);
    return error;
}

static void *wrap_aligned_alloc(size_t alignment, size_t size) {
    return allocated(aligned_alloc(alignment, size), size);
}

static void *wrap_memalign(size_t alignment, size_t size) {
    return allocated(memalign(alignment, size), size);
}

/* ---- Python's raw domain ---- */

static void *wrap_raw_malloc(size_t size) {
    return sg_recording_alloc(SG_TRACE_RAW, raw_malloc(size), size, NULL);
}

static void *wrap_raw_calloc(size_t n, size_t size) {
    return sg_recording_alloc(SG_TRACE_RAW, raw_calloc(n, size), n * size, NULL);
}

static void wrap_raw_free(void *block) {
    sg_recording_free(SG_TRACE_RAW, block);
    raw_free(block);
}

static void *wrap_raw_realloc(void *block, size_t size) {
    if (!sg_recording_is_on())
        return raw_realloc(block, size);
    struct sg_recording_move move = sg_recording_begin_move(SG_TRACE_RAW, block);
    void *moved = raw_realloc(block, size);
    size = size ? size : 1; /* PyMem_RawRealloc frees nothing for size 0 */
    sg_recording_end_move(SG_TRACE_RAW, &move, moved, size, NULL);
    return moved;
}

/* ---- Pages ---- */

static void *wrap_mmap(void *wish, size_t size, int protection, int flags, int file, off_t offset) {
    void *pages = mmap(wish, size, protection, flags, file, offset);
    if (pages == MAP_FAILED || !(flags & MAP_ANONYMOUS))
        return pages;
    if (sg_trace_native_is_recording())
        sg_trace_native_map(pages, size);
    if (!sg_native_blocks_is_recording())
        return pages;
    if (flags & MAP_FIXED && sg_arena_events_concern((uintptr_t)pages, size))
        return pages; /* part of an arena, whose resident pages are counted */
    if (flags & MAP_NORESERVE || !(protection & PROT_WRITE))
        sg_native_blocks_map(pages, size, __builtin_return_address(0));
    else
        sg_native_blocks_malloc(pages, size);
    return pages;
}

/* Unmap pages that may be a sampled block. If only the head of a block is unmapped, the rest
 * becomes a block of its own; an unmapped tail is not noticed. */
static int unmap_sampled(void *pages, size_t size) {
    sg_native_blocks_unmap(pages, size);
    struct sg_heap_taken taken = sg_native_blocks_realloc(pages);
    int result = munmap(pages, size);
    size_t gone = (size + page_bytes - 1) & ~(page_bytes - 1);
    if (result)
        sg_native_blocks_realloced(&taken, NULL, 1); /* it failed */
    else if (taken.address && gone < taken.size)
        sg_native_blocks_realloced(&taken, (char *)pages + gone, taken.size - gone);
    else
        sg_native_blocks_realloced(&taken, NULL, 0);
    return result;
}

/* Whether munmap can succeed. A call that fails for its arguments must not be recorded. One that
 * would cut a mapping in two, of which the process has too many already, or that concerns a sealed
 * mapping (mseal, from Linux 6.10 on), fails too; that is known only after the call, when it is too
 * late to record it. Both are recorded: with too many mappings the program fails elsewhere, too,
 * and nothing seals what it will unmap. */
static bool may_unmap(const void *pages, size_t size) {
    const uintptr_t limit = (uintptr_t)1 << 56; /* addresses of user space are smaller */
    uintptr_t start = (uintptr_t)pages;
    return !(start & (page_bytes - 1)) && size && size <= limit && start <= limit - size;
}

static int wrap_munmap(void *pages, size_t size) {
    if (!may_unmap(pages, size))
        return munmap(pages, size);
    if (sg_trace_native_is_recording())
        sg_trace_native_unmap(pages, size);
    return sg_native_blocks_is_recording() ? unmap_sampled(pages, size) : munmap(pages, size);
}

/* ---- All of them ---- */

/* `original` and `alias` are written by redirect, before the import tables. */
static struct sg_got_import imports[] = {
    {"malloc", wrap_malloc, NULL, NULL},
    {"calloc", wrap_calloc, NULL, NULL},
    {"realloc", wrap_realloc, NULL, NULL},
    {"free", wrap_free, NULL, NULL},
    {"reallocarray", wrap_reallocarray, NULL, NULL},
    {"posix_memalign", wrap_posix_memalign, NULL, NULL},
    {"aligned_alloc", wrap_aligned_alloc, NULL, NULL},
    {"memalign", wrap_memalign, NULL, NULL},
    {"mmap", wrap_mmap, NULL, NULL},
    {"mmap64", wrap_mmap, NULL, NULL}, /* the same: off_t has 64 bits */
    {"munmap", wrap_munmap, NULL, NULL},
    {"pthread_create", sg_thread_starts_create, NULL, NULL},
    {"PyMem_RawMalloc", wrap_raw_malloc, NULL, NULL},
    {"PyMem_RawCalloc", wrap_raw_calloc, NULL, NULL},
    {"PyMem_RawRealloc", wrap_raw_realloc, NULL, NULL},
    {"PyMem_RawFree", wrap_raw_free, NULL, NULL},
    {NULL, NULL, NULL, NULL},
};
enum { N_RAW = 4, FIRST_RAW = sizeof imports / sizeof *imports - 1 - N_RAW };

/* Whether `function` is a stub. A program that is not position-independent may define the address
 * of a function, for all libraries, as that of its own stub; calls of the libraries still go to the
 * function itself. */
static bool is_stub(void *function) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    return dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
           symbol->st_shndx == SHN_UNDEF;
}

static void find_originals(void) {
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    for (struct sg_got_import *import = imports; import->name; import++) {
        import->original = dlsym(RTLD_DEFAULT, import->name);
        if (import->original && library && is_stub(import->original))
            import->alias = dlsym(library, import->name);
    }
    if (library)
        dlclose(library);
}

static void *original_of(const char *name) {
    for (const struct sg_got_import *import = imports; import->name; import++) {
        if (strcmp(import->name, name) == 0)
            return import->original;
    }
    return NULL;
}

/* Whether all four functions exist. If only some were wrapped, blocks would seem never freed. */
static bool has_raw_domain(void) {
    return original_of("PyMem_RawMalloc") && original_of("PyMem_RawCalloc") &&
           original_of("PyMem_RawRealloc") && original_of("PyMem_RawFree");
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

const char *sg_native_alloc_redirect(void) {
    const char *problem = refuse();
    if (problem)
        return problem;
    if (!page_bytes) {
        find_originals();
        if (!has_raw_domain())
            imports[FIRST_RAW].name = NULL;
        sg_python_symbols_look_up("reallocarray", &libc_reallocarray);
        sg_python_symbols_look_up("PyMem_RawMalloc", &raw_malloc);
        sg_python_symbols_look_up("PyMem_RawCalloc", &raw_calloc);
        sg_python_symbols_look_up("PyMem_RawRealloc", &raw_realloc);
        sg_python_symbols_look_up("PyMem_RawFree", &raw_free);
        page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    }
    problem = sg_got_patch_apply(imports);
    sg_thread_starts_record(!problem);
    return problem;
}

void sg_native_alloc_record_heap(void) { atomic_store(&sg_native_blocks_are_recorded, true); }

void sg_native_alloc_record_trace(bool is_on) { sg_trace_native_set_recording(is_on); }

void sg_native_alloc_maintain(void) {
    sg_library_watch_begin_look();
    sg_got_patch_maintain();
    sg_private_allocators_maintain();
    sg_library_watch_end_look();
    if (sg_native_blocks_is_recording())
        sg_arenas_learn();
}

int sg_native_alloc_pause_ms(int most_ms) { return sg_library_watch_pause_ms(most_ms); }

void sg_native_alloc_measure(void) {
    if (sg_native_blocks_is_recording())
        sg_arenas_measure();
}

void sg_native_alloc_restore(void) {
    atomic_store(&sg_native_blocks_are_recorded, false);
    sg_trace_native_set_recording(false);
    sg_thread_starts_record(false);
    sg_got_patch_restore();
    sg_private_allocators_restore();
    sg_library_watch_reset();
    sg_arenas_forget();
}

void sg_native_alloc_after_fork_in_child(void) {
    atomic_store(&sg_native_blocks_are_recorded, false);
    sg_trace_native_set_recording(false);
    sg_thread_starts_record(false);
    sg_got_patch_restore_in_child();
    sg_private_allocators_restore_in_child();
    sg_library_watch_reset();
    sg_arenas_forget_in_child();
}
