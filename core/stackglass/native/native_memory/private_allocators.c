/* The search for allocators, one library at a time, some milliseconds in each call of maintain (a
 * turn):
 *
 *     TO_SEARCH ─▶ SEARCHED ─symbols─▶ loaded? ──yes──▶ FOLLOWED
 *                      │                  └no─▶ LOADING: try again after 2, 4, 8 … 64 turns
 *                      └─no symbols, or its pointers do not both allocate and free─▶ HAS_NONE
 *
 * Pointers are found by value: every word of the library's RELRO part is compared with the
 * addresses of the symbols that were found. Once a library is followed, or has arenas, the calls of
 * PyEval_SaveThread and PyEval_RestoreThread in all libraries of its folder are redirected as well
 * (heap/library_calls.h); the folder's hash is their group.
 *
 * A turn and a restore take the claim: maintain returns at once if it is taken, restore waits.
 * All pointers are read and changed in visits of the loaded libraries, under the loader's lock, so
 * that no library is unloaded meanwhile; only a forked child does not take that lock. */
#include "native_memory/private_allocators.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap/library_calls.h"
#include "interpreter/elf_object.h"
#include "interpreter/native_code.h"
#include "interpreter/python_symbols.h"
#include "native_memory/allocator_entries.h"
#include "native_memory/library_list.h"
#include "native_memory/patched_pointers.h"
#include "platform/elf_symbols.h"
#include "platform/loaded_libraries.h"
#include "platform/memory.h"
#include "platform/permitted_calls.h"

enum { LONGEST_WAIT = 64 /* turns */ };

/* Guarded by the claim, except in a forked child, and in add_arena and follow, which the thread of
 * `maintain` calls while no restore is under way. */
static atomic_flag claim = ATOMIC_FLAG_INIT;
static struct sg_elf_search search;
static struct sg_library *searched;       /* NULL = no search goes on */
static uint32_t n_turns, n_turns_to_wait; /* calls of maintain, for a library that is loading */
static bool are_calls_due;                /* some calls into libraries are not patched yet */

/* Written under the claim, read by any thread; each number is atomic by itself. */
enum { FOLLOWED, POINTERS, REFUSED, WAITING, N_COUNTS };
static _Atomic uint32_t status_of[N_COUNTS];

static void release(void) { atomic_flag_clear_explicit(&claim, memory_order_release); }

static void forget_search(void) {
    if (searched)
        sg_elf_symbols_search_close(&search);
    searched = NULL;
}

static void update_list(void) {
    if (searched) { /* its place in the list may change */
        searched->state = SG_LIBRARY_TO_SEARCH;
        forget_search();
    }
    sg_library_list_update();
    sg_patched_pointers_keep(sg_library_list_has); /* pointers of unloaded libraries are gone */
    are_calls_due = true;
}

/* ---- One library's pointers ---- */

struct change {
    const struct sg_library *library;
    bool is_loading, allocates, frees;
};

static const struct sg_elf_symbol *symbol_at(uintptr_t base, uintptr_t value) {
    for (uint32_t i = 0; i < search.n_symbols; i++) {
        if (base + search.symbols[i].value == value)
            return &search.symbols[i];
    }
    return NULL;
}

static void patch_pointer(struct change *change, void **slot, enum sg_entry_shape shape) {
    void *value = *slot, *wrapper = sg_allocator_entry(shape, value);
    if (!wrapper || !sg_patched_pointers_patch(slot, value, wrapper)) {
        atomic_fetch_add(&status_of[REFUSED], 1);
        return;
    }
    change->allocates |= sg_allocator_entry_allocates(shape);
    change->frees |= sg_allocator_entry_frees(shape);
}

/* Patch the pointers to allocator functions in the RELRO part; the loader has relocated them. */
static void patch_pointers(struct change *change, const struct sg_elf_object *object) {
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
            if (sg_elf_object_holds(object, value) && sg_elf_object_is_code_of(object, value))
                symbol = symbol_at(object->info->dlpi_addr, value);
            if (symbol)
                patch_pointer(change, slot, (enum sg_entry_shape)symbol->which);
        }
    }
}

/* Whether the loader is not done with the library: until then the RELRO pages are writable. */
static bool is_loading(const struct sg_elf_object *object) {
    void **first = (void **)object->relro_start;
    return object->relro_start < object->relro_end && sg_memory_is_writable(first);
}

static int change_library(struct dl_phdr_info *info, size_t size, void *context) {
    struct change *change = context;
    struct sg_elf_object object;
    uint32_t n_before = sg_patched_pointers_count();
    (void)size;
    if (sg_library_list_find(info) != change->library || !sg_elf_object_open(&object, info))
        return 0;
    change->is_loading = is_loading(&object);
    if (!change->is_loading)
        patch_pointers(change, &object);
    /* Half an allocator is worse than none: what it frees would seem to live for ever. */
    if (!(change->allocates && change->frees))
        sg_patched_pointers_cut(n_before);
    return 1;
}

static void follow(struct sg_library *library) {
    struct change change = {.library = library};
    sg_loaded_libraries_visit(change_library, &change);
    library->state = change.is_loading                  ? SG_LIBRARY_LOADING
                     : change.allocates && change.frees ? SG_LIBRARY_FOLLOWED
                                                        : SG_LIBRARY_HAS_NONE;
}

/* ---- Calls into followed libraries ---- */

static uint32_t group_of(const struct sg_library *library) {
    for (uint32_t i = 0; i < sg_library_list_length; i++) {
        bool is_seen =
            sg_library_list[i].state == SG_LIBRARY_FOLLOWED || sg_library_list[i].has_arenas;
        if (is_seen && sg_library_list[i].folder == library->folder)
            return (uint32_t)(library->folder | 1);
    }
    return 0;
}

void sg_private_allocators_add_arena(uintptr_t address) {
    for (uint32_t i = 0; i < sg_library_list_length; i++) {
        struct sg_library *library = &sg_library_list[i];
        if (!library->has_arenas && address - library->start < library->end - library->start)
            library->has_arenas = are_calls_due = true;
    }
}

struct calls {
    const struct sg_elf_object *object;
    bool is_loading;
};

static void patch_call(void *context, const struct sg_elf_entry *entry) {
    struct calls *calls = context;
    for (int i = 0; i < 2; i++) {
        const struct sg_library_call_entry *call = &sg_library_call_entries[i];
        if (entry->is_data || strcmp(entry->name, call->name) != 0)
            continue;
        void *value = atomic_load((void *_Atomic *)entry->slot);
        bool is_stub = entry->is_call && !entry->is_defined_here &&
                       sg_elf_object_is_code_of(calls->object, (uintptr_t)value);
        if (value != call->wrapper &&
            (is_stub || sg_library_calls_is_wrapped(call->wrapper, value)))
            sg_patched_pointers_patch(entry->slot, value, call->wrapper);
    }
}

static int patch_calls(struct dl_phdr_info *info, size_t size, void *context) {
    struct sg_library *library = sg_library_list_find(info);
    struct sg_elf_object object;
    (void)size;
    uint32_t group = library && !library->are_calls_patched ? group_of(library) : 0;
    if (!group || !sg_elf_object_open(&object, info))
        return 0;
    struct calls calls = {&object, is_loading(&object)};
    if (calls.is_loading) {
        *(bool *)context = true;
        return 0;
    }
    library->are_calls_patched = true;
    if (sg_library_calls_add(library->start, library->end, group))
        sg_elf_object_each_import(&object, patch_call, &calls);
    return 0;
}

/* ---- The search ---- */

struct headers {
    ElfW(Phdr) at[SG_ELF_MOST_HEADERS];
    size_t n; /* 0 = the library is not loaded any more, or has too many */
};

static int copy_headers(struct dl_phdr_info *info, size_t size, void *context) {
    struct headers *headers = context;
    (void)size;
    if (sg_library_list_find(info) != searched)
        return 0;
    headers->n = info->dlpi_phnum <= SG_ELF_MOST_HEADERS ? info->dlpi_phnum : 0;
    memcpy(headers->at, info->dlpi_phdr, headers->n * sizeof *headers->at);
    return 1;
}

static void begin_search(void) {
    for (uint32_t i = 0; i < sg_library_list_length && !searched; i++) {
        if (sg_library_list[i].state == SG_LIBRARY_TO_SEARCH)
            searched = &sg_library_list[i];
    }
    if (!searched)
        return;
    searched->state = SG_LIBRARY_SEARCHED;
    search = (struct sg_elf_search){.state = SG_ELF_UNREADABLE};
    struct headers headers = {.n = 0};
    if (searched->path)
        sg_loaded_libraries_visit(copy_headers, &headers);
    /* The file is read without the loader's lock, because a slow disk would hold up each thread
     * that loads a library or throws a C++ exception. */
    if (headers.n)
        sg_elf_symbols_search_open(&search, searched->path, headers.at, headers.n,
                                   sg_allocator_entry_named);
}

static void continue_search(void) {
    if (searched->state == SG_LIBRARY_SEARCHED)
        sg_elf_symbols_search_step(&search);
    if (search.state == SG_ELF_SEARCHING)
        return;
    if (search.state == SG_ELF_FOUND && search.n_symbols) {
        follow(searched);
        are_calls_due = true;
        if (searched->state == SG_LIBRARY_LOADING) {
            n_turns = 0;
            n_turns_to_wait = n_turns_to_wait < LONGEST_WAIT ? 2 * n_turns_to_wait : LONGEST_WAIT;
            return; /* the symbols that were found are kept until then */
        }
    } else {
        searched->state = SG_LIBRARY_HAS_NONE;
    }
    free(searched->path);
    searched->path = NULL;
    forget_search();
}

static void count_states(void) {
    uint32_t n_followed = 0, n_waiting = 0;
    for (uint32_t i = 0; i < sg_library_list_length; i++) {
        n_followed += sg_library_list[i].state == SG_LIBRARY_FOLLOWED;
        n_waiting += sg_library_list[i].state != SG_LIBRARY_FOLLOWED &&
                     sg_library_list[i].state != SG_LIBRARY_HAS_NONE;
    }
    atomic_store(&status_of[FOLLOWED], n_followed);
    atomic_store(&status_of[WAITING], n_waiting);
    atomic_store(&status_of[POINTERS], sg_patched_pointers_count());
}

void sg_private_allocators_maintain(void) {
    if (atomic_flag_test_and_set_explicit(&claim, memory_order_acquire))
        return;
    if (sg_library_list_is_old())
        update_list();
    if (!searched) {
        n_turns = n_turns_to_wait = 1;
        begin_search();
    }
    if (searched && ++n_turns >= n_turns_to_wait)
        continue_search();
    if (are_calls_due && sg_library_calls_prepare()) {
        are_calls_due = false;
        sg_loaded_libraries_visit(patch_calls, &are_calls_due);
    }
    count_states();
    release();
}

/* ---- Restoring ---- */

static void forget(void) {
    sg_patched_pointers_forget();
    for (int i = 0; i < N_COUNTS; i++)
        atomic_store(&status_of[i], 0);
}

static int restore_library(struct dl_phdr_info *info, size_t size, void *context) {
    struct sg_elf_object object;
    (void)size;
    (void)context;
    if (sg_elf_object_open(&object, info))
        sg_patched_pointers_restore(object.start, object.end);
    return 0;
}

void sg_private_allocators_restore(void) {
    while (atomic_flag_test_and_set_explicit(&claim, memory_order_acquire))
        sg_permitted_calls_yield();
    sg_library_calls_forget();
    if (sg_patched_pointers_count())
        sg_loaded_libraries_visit(restore_library, NULL);
    forget_search();
    sg_library_list_forget();
    forget();
    release();
}

void sg_private_allocators_restore_in_child(void) {
    sg_patched_pointers_restore_in_child();
    sg_library_calls_forget_in_child();
    forget_search();
    sg_library_list_forget_in_child();
    forget();
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
    for (uint32_t i = 0; i < sg_library_list_length; i++) {
        if (sg_library_list[i].state == SG_LIBRARY_FOLLOWED &&
            address - sg_library_list[i].start < sg_library_list[i].end - sg_library_list[i].start)
            return true;
    }
    return false;
}
