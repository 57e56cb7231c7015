/* Finds the function of an address by binary search in .eh_frame_hdr, the sorted table that linkers
 * add for unwinding.
 *
 *     pc ─▶ library (dl_iterate_phdr) ─▶ table: last row at or before pc ─▶ .eh_frame entry: length
 *
 * An address behind the end of that function has no row: then the 16 bytes around it stand for its
 * function. The library's identity is its build id, from the notes in memory. */
#include "platform/elf_functions.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "platform/loaded_libraries.h"
#include "platform/memory.h"

enum {
    /* The version and the encodings (DW_EH_PE_…) in .eh_frame_hdr: linkers write no others. */
    TABLE_VERSION = 1,
    SIGNED_4_PC_RELATIVE = 0x1b,
    UNSIGNED_4 = 0x03,
    SIGNED_4_TABLE_RELATIVE = 0x3b,
    MOST_NOTES_BYTES = 4096,
    GNU_BUILD_ID = 3,
    MOST_BUILD_ID_BYTES = 40,
};

struct table_head {
    uint8_t version, frame_encoding, count_encoding, row_encoding;
    int32_t frame;
    uint32_t n_rows;
};

struct table_row {
    int32_t start, entry; /* relative to the table's address */
};

struct entry {
    uint32_t length, cie;
    union {
        int32_t start_4;
        int64_t start_8;
    } from;
};

/* The library of `pc`. */
struct object {
    uintptr_t pc;
    uintptr_t base, table, table_end;
    uintptr_t notes[4];
    size_t notes_bytes[4];
    int n_notes;
    uint64_t headers_hash;
    struct sg_elf_function *found;
    bool is_found;
};

static uint64_t hash_bytes(const void *bytes, size_t size) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Write the build id of these notes in hexadecimal; false if there is none. */
static bool put_build_id(const uint8_t *notes, size_t size, char *text) {
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, notes, sizeof head);
        size_t name_bytes = ((size_t)head.n_namesz + 3) & ~(size_t)3;
        size_t value_bytes = ((size_t)head.n_descsz + 3) & ~(size_t)3;
        size_t left = size - sizeof head;
        if (name_bytes > left || value_bytes > left - name_bytes)
            return false;
        const uint8_t *name = notes + sizeof head, *value = name + name_bytes;
        if (head.n_type == GNU_BUILD_ID && head.n_namesz == 4 && !memcmp(name, "GNU", 4) &&
            head.n_descsz && head.n_descsz <= MOST_BUILD_ID_BYTES) {
            for (uint32_t i = 0; i < head.n_descsz; i++)
                snprintf(text + (size_t)2 * i, 3, "%02x", value[i]);
            return true;
        }
        notes = value + value_bytes;
        size = left - name_bytes - value_bytes;
    }
    return false;
}

static void identify(const struct object *object) {
    uint8_t notes[MOST_NOTES_BYTES];
    for (int i = 0; i < object->n_notes; i++) {
        size_t size = object->notes_bytes[i] < sizeof notes ? object->notes_bytes[i] : sizeof notes;
        if (sg_memory_read(object->notes[i], notes, size) &&
            put_build_id(notes, size, object->found->identity))
            return;
    }
    snprintf(object->found->identity, SG_ELF_IDENTITY_BYTES, "headers-%016llx",
             (unsigned long long)object->headers_hash);
}

/* Find the last row that starts at or before `pc`. Returns false if there is none. */
static bool find_row(const struct object *object, uintptr_t *start, uintptr_t *entry) {
    struct table_head head;
    struct table_row row;
    if (object->table_end - object->table < sizeof head ||
        !sg_memory_read(object->table, &head, sizeof head) || head.version != TABLE_VERSION ||
        head.frame_encoding != SIGNED_4_PC_RELATIVE || head.count_encoding != UNSIGNED_4 ||
        head.row_encoding != SIGNED_4_TABLE_RELATIVE)
        return false;
    uintptr_t rows = object->table + sizeof head;
    size_t low = 0, high = (object->table_end - rows) / sizeof row;
    if (head.n_rows < high)
        high = head.n_rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (!sg_memory_read(rows + middle * sizeof row, &row, sizeof row))
            return false;
        if (object->table + (uintptr_t)(intptr_t)row.start <= object->pc) {
            *start = object->table + (uintptr_t)(intptr_t)row.start;
            *entry = object->table + (uintptr_t)(intptr_t)row.entry;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0;
}

/* Return the end of the function that starts at `start`; 0 = not known. The entry has the
 * function's start and then its length, both in 4 or in 8 bytes: it is the width with which the
 * start is the known one. */
static uintptr_t find_end(uintptr_t start, uintptr_t entry_at) {
    struct entry entry;
    uint32_t length_4;
    uint64_t length_8;
    uintptr_t from = entry_at + offsetof(struct entry, from);
    if (!sg_memory_read(entry_at, &entry, sizeof entry))
        return 0;
    if (from + (uintptr_t)(intptr_t)entry.from.start_4 == start)
        return sg_memory_read(from + 4, &length_4, sizeof length_4) ? start + length_4 : 0;
    if ((uintptr_t)entry.from.start_8 == start || from + (uintptr_t)entry.from.start_8 == start)
        return sg_memory_read(from + 8, &length_8, sizeof length_8) ? start + length_8 : 0;
    return 0;
}

/* Find the function if `pc` is in this library. The library is not unloaded during the visit. */
static int find_in(struct dl_phdr_info *info, size_t size, void *context) {
    struct object *object = context;
    (void)size;
    if (!sg_loaded_libraries_holds(info, object->pc, PF_X))
        return 0;
    const char *started = (const char *)getauxval(AT_EXECFN);
    const char *path = *info->dlpi_name || !started ? info->dlpi_name : started;
    object->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_EH_FRAME) {
            object->table = start;
            object->table_end = start + part->p_memsz;
        } else if (part->p_type == PT_NOTE && object->n_notes < 4) {
            object->notes[object->n_notes] = start;
            object->notes_bytes[object->n_notes++] = part->p_memsz;
        }
    }
    object->headers_hash =
        hash_bytes(info->dlpi_phdr, (size_t)info->dlpi_phnum * sizeof *info->dlpi_phdr);
    int n = snprintf(object->found->path, SG_ELF_PATH_BYTES, "%s", path);
    object->is_found = n > 0 && n < SG_ELF_PATH_BYTES;
    if (!object->is_found)
        return 1;
    identify(object);
    uintptr_t start = 0, entry = 0, end = 0;
    if (find_row(object, &start, &entry))
        end = find_end(start, entry);
    object->found->has_row = object->pc < end;
    if (!object->found->has_row) { /* the last bytes of the function before may be in the granule */
        uintptr_t granule = object->pc & ~(uintptr_t)(SG_ELF_GRANULE_BYTES - 1);
        start = granule < end ? end : granule;
        end = granule + SG_ELF_GRANULE_BYTES;
    }
    object->found->start = start - object->base;
    object->found->from = start;
    object->found->to = end;
    return 1;
}

bool sg_elf_functions_find(uintptr_t pc, struct sg_elf_function *found) {
    struct object object = {.pc = pc, .found = found};
    sg_loaded_libraries_visit(find_in, &object);
    return object.is_found;
}
