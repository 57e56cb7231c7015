/* Pointers to allocators inside libraries, found and changed: see private_allocators.h. */
#include "private_allocators.h"

#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocator_entries.h"
#include "elf_object.h"
#include "elf_symbols.h"
#include "import_tables.h"
#include "memory.h"
#include "native_code.h"
#include "permitted_calls.h"
#include "python_symbols.h"

enum { MOST_LIBRARIES = 2048, MOST_POINTERS = 512, MOST_HEADERS = 64, LONGEST_WAIT = 64 };

enum state {
    HAS_NONE, /* no allocator that is known */
    IS_TO_SEARCH,
    IS_SEARCHED, /* at the moment */
    IS_LOADING,  /* found; the loader has not finished with it */
    IS_FOLLOWED,
};

struct library {
    enum state state;
    bool is_there; /* at the last look */
    uint64_t name; /* hash of its path */
    uintptr_t base, start, end;
    char *path; /* owned; only while it is to be searched */
};

/* A pointer that leads to us. */
struct pointer {
    void **slot;
    void *original, *ours;
};

/* Guarded by the claim, except in a forked child. */
static atomic_flag claim = ATOMIC_FLAG_INIT;
static struct library
    *libraries; /* (MOST_LIBRARIES,), of our own pages; NULL = none were looked for */
static uint32_t n_libraries;
static struct pointer pointers[MOST_POINTERS];
static uint32_t n_pointers;
static unsigned long long n_loaded; /* libraries that had come and gone at the last look */
static struct sg_elf_search search;
static struct library *searched; /* NULL = no search goes on */
static uint32_t n_tends, n_tends_to_wait;

/* Written under the claim, read by any thread: each number by itself. */
static _Atomic uint32_t status_of[4];
enum { FOLLOWED, POINTERS, REFUSED, WAITING };

static void release(void) { atomic_flag_clear_explicit(&claim, memory_order_release); }

/* ---- Which libraries there are ---- */

static uint64_t hash_of(const char *text) {
    uint64_t hash = UINT64_C(14695981039346656037);
    while (*text)
        hash = (hash ^ (unsigned char)*text++) * UINT64_C(1099511628211);
    return hash;
}

/* An allocator that takes its pages from the system gives them back by this. */
static void notice_madvise(void *context, const struct sg_elf_entry *entry) {
    if (strcmp(entry->name, "madvise") == 0)
        *(bool *)context = true;
}

static enum state first_state(const struct dl_phdr_info *info, const struct sg_elf_object *object) {
    bool has_madvise = false;
    if (sg_elf_holds(object, sg_python.eval_start) ||
        sg_elf_holds(object, (uintptr_t)&first_state) ||
        sg_native_code_is_runtime(info->dlpi_name) || !*info->dlpi_name)
        return HAS_NONE;
    sg_elf_each_import(object, notice_madvise, &has_madvise);
    return has_madvise ? IS_TO_SEARCH : HAS_NONE;
}

static void add_library(const struct dl_phdr_info *info, uint64_t name) {
    struct sg_elf_object object;
    if (n_libraries == MOST_LIBRARIES || !sg_elf_open(&object, info))
        return;
    struct library library = {
        .state = first_state(info, &object),
        .is_there = true,
        .name = name,
        .base = info->dlpi_addr,
        .start = object.start,
        .end = object.end,
    };
    if (library.state == IS_TO_SEARCH)
        library.path = strdup(info->dlpi_name);
    libraries[n_libraries++] = library;
}

static int look_at_library(struct dl_phdr_info *info, size_t size, void *context) {
    uint64_t name = hash_of(info->dlpi_name);
    (void)size;
    (void)context;
    n_loaded = info->dlpi_adds + info->dlpi_subs;
    for (uint32_t i = 0; i < n_libraries; i++) {
        if (libraries[i].base == info->dlpi_addr && libraries[i].name == name) {
            libraries[i].is_there = true;
            return 0;
        }
    }
    add_library(info, name);
    return 0;
}

static void forget_search(void) {
    if (searched)
        sg_elf_search_close(&search);
    searched = NULL;
}

/* Libraries that have gone took their pointers with them. */
static void drop_gone(void) {
    uint32_t n_kept = 0, n_pointers_kept = 0;
    for (uint32_t i = 0; i < n_libraries; i++) {
        if (libraries[i].is_there)
            libraries[n_kept++] = libraries[i];
        else
            free(libraries[i].path);
    }
    n_libraries = n_kept;
    for (uint32_t i = 0; i < n_pointers; i++) {
        if (sg_private_allocators_follow((uintptr_t)pointers[i].slot))
            pointers[n_pointers_kept++] = pointers[i];
    }
    n_pointers = n_pointers_kept;
}

static void look_at_all(void) {
    if (searched) { /* its place in the list may change */
        searched->state = IS_TO_SEARCH;
        forget_search();
    }
    for (uint32_t i = 0; i < n_libraries; i++)
        libraries[i].is_there = false;
    dl_iterate_phdr(look_at_library, NULL);
    drop_gone();
}

/* ---- One library's pointers ---- */

struct change {
    const struct library *library;
    bool has_found, is_loading, allocates, frees;
    uint32_t n_before;
};

static const struct sg_elf_symbol *symbol_at(uintptr_t base, uintptr_t value) {
    for (uint32_t i = 0; i < search.n_symbols; i++) {
        if (base + search.symbols[i].value == value)
            return &search.symbols[i];
    }
    return NULL;
}

static void lead_pointer(struct change *change, void **slot, enum sg_entry_shape shape) {
    void *value = *slot, *ours = sg_allocator_entry(shape, value);
    if (!ours || n_pointers == MOST_POINTERS || !sg_imports_store(slot, value, ours)) {
        atomic_fetch_add(&status_of[REFUSED], 1);
        return;
    }
    pointers[n_pointers++] = (struct pointer){slot, value, ours};
    change->allocates |= sg_allocator_entry_allocates(shape);
    change->frees |= sg_allocator_entry_frees(shape);
}

static void restore_from(uint32_t first) {
    for (uint32_t i = first; i < n_pointers; i++)
        sg_imports_store(pointers[i].slot, pointers[i].ours, pointers[i].original);
    n_pointers = first;
}

/* All pointers in the part that the loader closes: it has checked every one of them itself. */
static void look_at_pointers(struct change *change, const struct sg_elf_object *object) {
    const struct dl_phdr_info *info = object->info;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_GNU_RELRO)
            continue;
        void **slot = (void **)((info->dlpi_addr + part->p_vaddr + 7) & ~(uintptr_t)7);
        void **end = (void **)((info->dlpi_addr + part->p_vaddr + part->p_memsz) & ~(uintptr_t)7);
        for (; slot < end; slot++) {
            const struct sg_elf_symbol *symbol = NULL;
            uintptr_t value = (uintptr_t)*slot;
            if (sg_elf_holds(object, value) && sg_elf_is_code_of(object, value))
                symbol = symbol_at(object->info->dlpi_addr, value);
            if (symbol)
                lead_pointer(change, slot, (enum sg_entry_shape)symbol->which);
        }
    }
}

/* Before the loader is done, its pages are open. */
static bool is_loading(const struct sg_elf_object *object) {
    void **first = (void **)object->closed_from;
    return object->closed_from < object->closed_to &&
           sg_memory_store(first, atomic_load((void *_Atomic *)first));
}

static int change_library(struct dl_phdr_info *info, size_t size, void *context) {
    struct change *change = context;
    struct sg_elf_object object;
    (void)size;
    if (info->dlpi_addr != change->library->base ||
        hash_of(info->dlpi_name) != change->library->name || !sg_elf_open(&object, info))
        return 0;
    change->is_loading = is_loading(&object);
    if (!change->is_loading)
        look_at_pointers(change, &object);
    return 1;
}

/* Half an allocator is worse than none: what it frees would seem to live for ever. */
static void follow(struct library *library) {
    struct change change = {.library = library, .n_before = n_pointers};
    dl_iterate_phdr(change_library, &change);
    library->state = change.is_loading ? IS_LOADING : IS_FOLLOWED;
    if (!change.is_loading && !(change.allocates && change.frees)) {
        restore_from(change.n_before);
        library->state = HAS_NONE;
    }
}

/* ---- The search ---- */

static int open_search(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    if (info->dlpi_addr != searched->base || hash_of(info->dlpi_name) != searched->name)
        return 0;
    sg_elf_search_open(&search, searched->path, info->dlpi_phdr, info->dlpi_phnum,
                       sg_allocator_entry_named);
    return 1;
}

static void begin_search(void) {
    for (uint32_t i = 0; i < n_libraries && !searched; i++) {
        if (libraries[i].state == IS_TO_SEARCH)
            searched = &libraries[i];
    }
    if (!searched)
        return;
    searched->state = IS_SEARCHED;
    search = (struct sg_elf_search){.state = SG_ELF_UNREADABLE, .descriptor = -1};
    if (searched->path)
        dl_iterate_phdr(open_search, NULL);
}

static void go_on(void) {
    if (searched->state == IS_SEARCHED)
        sg_elf_search_step(&search);
    if (search.state == SG_ELF_SEARCHING)
        return;
    if (search.state == SG_ELF_FOUND && search.n_symbols) {
        follow(searched);
        if (searched->state == IS_LOADING) {
            n_tends = 0;
            n_tends_to_wait = n_tends_to_wait < LONGEST_WAIT ? 2 * n_tends_to_wait : LONGEST_WAIT;
            return; /* what was found is kept until then */
        }
    } else {
        searched->state = HAS_NONE;
    }
    free(searched->path);
    searched->path = NULL;
    forget_search();
}

static void count_states(void) {
    uint32_t n_followed = 0, n_waiting = 0;
    for (uint32_t i = 0; i < n_libraries; i++) {
        n_followed += libraries[i].state == IS_FOLLOWED;
        n_waiting += libraries[i].state != IS_FOLLOWED && libraries[i].state != HAS_NONE;
    }
    atomic_store(&status_of[FOLLOWED], n_followed);
    atomic_store(&status_of[WAITING], n_waiting);
    atomic_store(&status_of[POINTERS], n_pointers);
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    *(unsigned long long *)context = info->dlpi_adds + info->dlpi_subs;
    return 1; /* the same in every entry */
}

void sg_private_allocators_tend(void) {
    unsigned long long n_now = 0;
    if (atomic_flag_test_and_set_explicit(&claim, memory_order_acquire))
        return;
    if (!libraries)
        libraries = sg_memory_map(MOST_LIBRARIES * sizeof *libraries);
    dl_iterate_phdr(count_loaded, &n_now);
    if (libraries && n_now != n_loaded)
        look_at_all();
    if (libraries && !searched) {
        n_tends = n_tends_to_wait = 1;
        begin_search();
    }
    if (searched && ++n_tends >= n_tends_to_wait)
        go_on();
    if (libraries)
        count_states();
    release();
}

/* ---- Back ---- */

static void forget(void) {
    forget_search();
    for (uint32_t i = 0; i < n_libraries; i++)
        free(libraries[i].path);
    sg_memory_unmap(libraries, MOST_LIBRARIES * sizeof *libraries);
    libraries = NULL;
    n_libraries = n_pointers = 0;
    n_loaded = 0;
    for (int i = 0; i < 4; i++)
        atomic_store(&status_of[i], 0);
}

static int restore_library(struct dl_phdr_info *info, size_t size, void *context) {
    struct sg_elf_object object;
    (void)size;
    (void)context;
    if (!sg_elf_open(&object, info))
        return 0;
    for (uint32_t i = 0; i < n_pointers; i++) {
        if (sg_elf_holds(&object, (uintptr_t)pointers[i].slot) &&
            *pointers[i].slot == pointers[i].ours)
            sg_imports_store(pointers[i].slot, pointers[i].ours, pointers[i].original);
    }
    return 0;
}

void sg_private_allocators_restore(void) {
    while (atomic_flag_test_and_set_explicit(&claim, memory_order_acquire))
        sg_calls_yield();
    if (n_pointers)
        dl_iterate_phdr(restore_library, NULL);
    forget();
    release();
}

/* A library may have gone, so that its pointers are read without trust. What was allocated for the
 * list stays: the allocator's lock may be held by a thread that has stayed behind. */
void sg_private_allocators_restore_in_child(void) {
    for (uint32_t i = 0; i < n_pointers; i++) {
        void *value;
        if (sg_memory_read((uintptr_t)pointers[i].slot, &value, sizeof value) &&
            value == pointers[i].ours)
            sg_imports_store(pointers[i].slot, value, pointers[i].original);
    }
    if (searched) /* its file is open in a table of descriptors that the child has not got */
        sg_memory_unmap(search.buffer, SG_ELF_BUFFER_BYTES);
    sg_memory_unmap(libraries, MOST_LIBRARIES * sizeof *libraries);
    searched = NULL;
    libraries = NULL;
    n_libraries = n_pointers = 0;
    n_loaded = 0;
    for (int i = 0; i < 4; i++)
        atomic_store(&status_of[i], 0);
    atomic_flag_clear(&claim);
}

void sg_private_allocators_status(struct sg_private_allocators_status *status) {
    *status = (struct sg_private_allocators_status){
        .n_followed = atomic_load(&status_of[FOLLOWED]),
        .n_pointers = atomic_load(&status_of[POINTERS]),
        .n_refused = atomic_load(&status_of[REFUSED]),
        .n_waiting = atomic_load(&status_of[WAITING]),
    };
}

bool sg_private_allocators_follow(uintptr_t address) {
    for (uint32_t i = 0; i < n_libraries; i++) {
        if (libraries[i].state == IS_FOLLOWED &&
            address - libraries[i].start < libraries[i].end - libraries[i].start)
            return true;
    }
    return false;
}
