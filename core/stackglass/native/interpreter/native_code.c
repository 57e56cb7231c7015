/* Keeps the address ranges of the code that is not native: the interpreter's, the C runtime's and
 * the engine's. */
#include "interpreter/native_code.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "interpreter/python_symbols.h"
#include "platform/loaded_libraries.h"

enum { MAX_RANGES = 48 };

struct ranges {
    int n;
    struct {
        uintptr_t start, end;
    } at[MAX_RANGES];
};

/* Lock-free: signal handlers read the published buffer while refresh fills the other one. Libraries
 * are loaded so rarely that no handler still reads a buffer when it is filled again. */
static struct ranges buffers[2];
static _Atomic(const struct ranges *) published; /* NULL until the first refresh */
static unsigned long long n_loaded;              /* used by refresh only */

bool sg_native_code_is_runtime(const char *path) {
    static const char *const PREFIXES[] = {"libc.so",    "libc-",      "libm.so", "libm-",
                                           "ld-linux",   "ld-2.",      "ld64",    "libpthread",
                                           "linux-vdso", "linux-gate", "libdl.",  "librt."};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        if (strncmp(name, PREFIXES[i], strlen(PREFIXES[i])) == 0)
            return true;
    }
    return false;
}

static int collect(struct dl_phdr_info *info, size_t size, void *context) {
    struct ranges *ranges = context;
    (void)size;
    if (!sg_native_code_is_runtime(info->dlpi_name) &&
        !sg_loaded_libraries_holds(info, sg_python_symbols.eval_start, 0) &&
        !sg_loaded_libraries_holds(info, (uintptr_t)&collect, 0))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && ranges->n < MAX_RANGES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            ranges->at[ranges->n].start = info->dlpi_addr + part->p_vaddr;
            ranges->at[ranges->n++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        }
    }
    return 0;
}

void sg_native_code_refresh(void) {
    struct sg_library_counts counts = sg_loaded_libraries_count();
    unsigned long long n_now = counts.n_loads + counts.n_unloads;
    const struct ranges *current = atomic_load(&published);
    if (current && n_now == n_loaded)
        return;
    struct ranges *next = &buffers[current == buffers];
    next->n = 0;
    sg_loaded_libraries_visit(collect, next);
    n_loaded = n_now;
    atomic_store(&published, next);
}

bool sg_native_code_is_native(uintptr_t pc) {
    const struct ranges *ranges = atomic_load_explicit(&published, memory_order_acquire);
    if (!ranges)
        return false;
    for (int i = 0; i < ranges->n; i++) {
        if (pc - ranges->at[i].start < ranges->at[i].end - ranges->at[i].start)
            return false;
    }
    return true;
}
