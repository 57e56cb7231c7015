/* Visits the loader's list. An object is recognised again by its base and its fingerprint. */
#include "unwind/loaded_objects.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "platform/loaded_libraries.h"
#include "platform/memory.h"

enum { FIRST_CAPACITY = 256, MOST_OBJECTS = 1 << 14 };

unsigned long long sg_loaded_objects_count_changes(void) {
    struct sg_library_counts counts = sg_loaded_libraries_count();
    return counts.n_loads + counts.n_unloads;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) /* FNV-1a */
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_headers(const struct dl_phdr_info *info) {
    return hash_bytes(info->dlpi_addr, info->dlpi_phdr,
                      (size_t)info->dlpi_phnum * sizeof *info->dlpi_phdr);
}

static void take_segments(const struct dl_phdr_info *info, struct sg_loaded_object *object) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            object->start = object->end && object->start < start ? object->start : start;
            object->end = object->end > end ? object->end : end;
        } else if (part->p_type == PT_GNU_EH_FRAME) {
            object->header = start;
            object->header_end = end;
        }
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && object->header - start < part->p_memsz) {
            object->readable = start;
            object->readable_end = start + part->p_memsz;
        }
    }
}

/* Called in a visit, because the program headers are valid only during it. */
static int take(struct dl_phdr_info *info, size_t size, void *context) {
    struct sg_loaded_objects *loaded = context;
    struct sg_loaded_object object = {0};
    (void)size;
    take_segments(info, &object);
    if (!object.end)
        return 0;
    object.base = info->dlpi_addr;
    object.fingerprint = hash_headers(info);
    if (loaded->n < loaded->capacity)
        loaded->at[loaded->n] = object;
    loaded->n++;
    return 0;
}

static int compare(const void *one, const void *other) {
    const struct sg_loaded_object *left = one, *right = other;
    return (left->start > right->start) - (left->start < right->start);
}

bool sg_loaded_objects_list(struct sg_loaded_objects *loaded) {
    uint32_t wanted = loaded->capacity ? loaded->capacity : FIRST_CAPACITY;
    do {
        if (wanted > loaded->capacity) {
            sg_loaded_objects_free(loaded);
            loaded->at = sg_memory_map(wanted * sizeof *loaded->at);
            if (!loaded->at)
                return false;
            loaded->capacity = wanted;
        }
        loaded->n = 0;
        sg_loaded_libraries_visit(take, loaded);
        wanted = 2 * loaded->n;
    } while (loaded->n > loaded->capacity && wanted <= MOST_OBJECTS);
    if (loaded->n > loaded->capacity)
        loaded->n = loaded->capacity;
    qsort(loaded->at, loaded->n, sizeof *loaded->at, compare);
    return true;
}

struct read {
    const struct sg_loaded_object *object;
    uintptr_t address;
    void *copy;
    size_t size;
    bool is_done;
};

/* Called in a visit, because no library is unloaded during it. */
static int read_in(struct dl_phdr_info *info, size_t size, void *context) {
    struct read *read = context;
    (void)size;
    if (info->dlpi_addr != read->object->base || hash_headers(info) != read->object->fingerprint)
        return 0;
    read->is_done = sg_memory_read(read->address, read->copy, read->size);
    return 1;
}

bool sg_loaded_objects_read(const struct sg_loaded_object *object, uintptr_t address, void *copy,
                            size_t size) {
    struct read read = {object, address, copy, size, false};
    sg_loaded_libraries_visit(read_in, &read);
    return read.is_done;
}

void sg_loaded_objects_free(struct sg_loaded_objects *loaded) {
    sg_memory_unmap(loaded->at, loaded->capacity * sizeof *loaded->at);
    memset(loaded, 0, sizeof *loaded);
}
