/* Library list, updated by mark and sweep: a visit of the loaded libraries marks those in the list
 * and adds the others; those without a mark have been unloaded. An update is due when the loader's
 * counts of loads and unloads have changed.
 *
 * A library is identified by base and path together, because the loader reuses addresses. Only
 * libraries that import madvise are searched: an allocator returns pages to the system with it. */
#include "native_memory/library_list.h"

#include <stdlib.h>
#include <string.h>

#include "interpreter/elf_object.h"
#include "interpreter/native_code.h"
#include "interpreter/python_symbols.h"
#include "platform/loaded_libraries.h"
#include "platform/memory.h"

enum { MOST_LIBRARIES = 2048 };

/* Used by one thread at a time: private_allocators.c says which. */
struct sg_library *sg_library_list; /* (MOST_LIBRARIES,) mapped; NULL = not listed yet */
uint32_t sg_library_list_length;
static unsigned long long n_loaded; /* libraries loaded and unloaded up to the last update */

/* FNV-1a hash of the text before `end`; NULL = of the whole text. */
static uint64_t hash_up_to(const char *text, const char *end) {
    uint64_t hash = UINT64_C(14695981039346656037);
    while (*text && text != end)
        hash = (hash ^ (unsigned char)*text++) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t hash_of(const char *path) { return hash_up_to(path, NULL); }
static uint64_t folder_of(const char *path) { return hash_up_to(path, strrchr(path, '/')); }

static void notice_madvise(void *context, const struct sg_elf_entry *entry) {
    if (strcmp(entry->name, "madvise") == 0)
        *(bool *)context = true;
}

static enum sg_library_state first_state(const struct dl_phdr_info *info,
                                         const struct sg_elf_object *object) {
    bool has_madvise = false;
    if (sg_elf_object_holds(object, sg_python_symbols.eval_start) ||
        sg_elf_object_holds(object, (uintptr_t)&first_state) ||
        sg_native_code_is_runtime(info->dlpi_name) || !*info->dlpi_name)
        return SG_LIBRARY_HAS_NONE;
    sg_elf_object_each_import(object, notice_madvise, &has_madvise);
    return has_madvise ? SG_LIBRARY_TO_SEARCH : SG_LIBRARY_HAS_NONE;
}

static void add_library(const struct dl_phdr_info *info) {
    struct sg_elf_object object;
    if (sg_library_list_length == MOST_LIBRARIES || !sg_elf_object_open(&object, info))
        return;
    struct sg_library library = {
        .state = first_state(info, &object),
        .is_there = true,
        .name = hash_of(info->dlpi_name),
        .folder = folder_of(info->dlpi_name),
        .base = info->dlpi_addr,
        .start = object.start,
        .end = object.end,
    };
    if (library.state == SG_LIBRARY_TO_SEARCH)
        library.path = strdup(info->dlpi_name);
    sg_library_list[sg_library_list_length++] = library;
}

bool sg_library_list_has(uintptr_t address) {
    for (uint32_t i = 0; i < sg_library_list_length; i++) {
        if (address - sg_library_list[i].start < sg_library_list[i].end - sg_library_list[i].start)
            return true;
    }
    return false;
}

struct sg_library *sg_library_list_find(const struct dl_phdr_info *info) {
    uint64_t name = hash_of(info->dlpi_name);
    for (uint32_t i = 0; i < sg_library_list_length; i++) {
        if (sg_library_list[i].base == info->dlpi_addr && sg_library_list[i].name == name)
            return &sg_library_list[i];
    }
    return NULL;
}

static int see_library(struct dl_phdr_info *info, size_t size, void *context) {
    struct sg_library *known = sg_library_list_find(info);
    (void)size;
    (void)context;
    n_loaded = info->dlpi_adds + info->dlpi_subs;
    if (known)
        known->is_there = true;
    else
        add_library(info);
    return 0;
}

void sg_library_list_update(void) {
    uint32_t n_kept = 0;
    if (!sg_library_list)
        sg_library_list = sg_memory_map(MOST_LIBRARIES * sizeof *sg_library_list);
    if (!sg_library_list)
        return;
    for (uint32_t i = 0; i < sg_library_list_length; i++)
        sg_library_list[i].is_there = false;
    sg_loaded_libraries_visit(see_library, NULL);
    for (uint32_t i = 0; i < sg_library_list_length; i++) {
        if (sg_library_list[i].is_there)
            sg_library_list[n_kept++] = sg_library_list[i];
        else
            free(sg_library_list[i].path);
    }
    sg_library_list_length = n_kept;
}

bool sg_library_list_is_old(void) {
    struct sg_library_counts now = sg_loaded_libraries_count();
    return !sg_library_list || now.n_loads + now.n_unloads != n_loaded;
}

void sg_library_list_forget(void) {
    for (uint32_t i = 0; i < sg_library_list_length; i++)
        free(sg_library_list[i].path);
    sg_library_list_forget_in_child();
}

void sg_library_list_forget_in_child(void) {
    SG_MEMORY_DROP(sg_library_list, MOST_LIBRARIES * sizeof *sg_library_list);
    sg_library_list_length = 0;
    n_loaded = 0;
}
