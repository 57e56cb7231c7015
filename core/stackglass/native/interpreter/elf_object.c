/* How the parts of a loaded library are found:
 *
 *     program headers ─▶ range, RELRO        dynamic section ─▶ symbols, names, two tables of
 *                                                               relocations (data; calls)
 *     relocation ─▶ slot, and symbol ─▶ name: together an import
 *
 * A library may be damaged or unusual: slots and names that lie outside it are skipped. */
#include "interpreter/elf_object.h"

#include <unistd.h>

#include "platform/loaded_libraries.h"
#include "platform/machine.h"

bool sg_elf_object_holds(const struct sg_elf_object *object, uintptr_t address) {
    return address - object->start < object->end - object->start;
}

static const ElfW(Phdr) * find_part(const struct dl_phdr_info *info, uint32_t type) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == type)
            return &info->dlpi_phdr[i];
    }
    return NULL;
}

static void measure(struct sg_elf_object *object) {
    const struct dl_phdr_info *info = object->info;
    object->start = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        if (start < object->start)
            object->start = start;
        if (start + part->p_memsz > object->end)
            object->end = start + part->p_memsz;
    }
    const ElfW(Phdr) *relro = find_part(info, PT_GNU_RELRO);
    if (relro) {
        uintptr_t page = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1); /* the loader protects pages */
        object->relro_start = (info->dlpi_addr + relro->p_vaddr) & page;
        object->relro_end = (info->dlpi_addr + relro->p_vaddr + relro->p_memsz) & page;
    }
}

/* Return an address of the dynamic section as it is in memory. The loader has relocated it in
 * place, unless the section is read-only. */
static uintptr_t place_at(const struct sg_elf_object *object, uintptr_t address) {
    return sg_elf_object_holds(object, address) ? address : object->info->dlpi_addr + address;
}

bool sg_elf_object_open(struct sg_elf_object *object, const struct dl_phdr_info *info) {
    *object = (struct sg_elf_object){.info = info};
    const ElfW(Phdr) *dynamic = find_part(info, PT_DYNAMIC);
    if (!dynamic)
        return false;
    measure(object);
    size_t bytes[2] = {0}; /* sizes of `tables` */
    bool has_addends = true;
    for (const ElfW(Dyn) *at = (const ElfW(Dyn) *)(info->dlpi_addr + dynamic->p_vaddr);
         at->d_tag != DT_NULL; at++) {
        uintptr_t place = place_at(object, at->d_un.d_ptr);
        switch (at->d_tag) {
        case DT_SYMTAB:
            object->symbols = (const ElfW(Sym) *)place;
            break;
        case DT_STRTAB:
            object->names = (const char *)place;
            break;
        case DT_STRSZ:
            object->names_bytes = at->d_un.d_val;
            break;
        case DT_RELA:
            object->tables[0] = (const ElfW(Rela) *)place;
            break;
        case DT_RELASZ:
            bytes[0] = at->d_un.d_val;
            break;
        case DT_JMPREL:
            object->tables[1] = (const ElfW(Rela) *)place;
            break;
        case DT_PLTRELSZ:
            bytes[1] = at->d_un.d_val;
            break;
        case DT_PLTREL:
            has_addends = at->d_un.d_val == DT_RELA;
            break;
        default:
            break;
        }
    }
    for (int i = 0; i < 2; i++)
        object->lengths[i] = object->tables[i] ? bytes[i] / sizeof(ElfW(Rela)) : 0;
    return has_addends && object->symbols && object->names &&
           sg_elf_object_holds(object, (uintptr_t)object->symbols) &&
           sg_elf_object_holds(object, (uintptr_t)object->names);
}

bool sg_elf_object_is_code_of(const struct sg_elf_object *object, uintptr_t address) {
    return sg_loaded_libraries_holds(object->info, address, PF_X);
}

bool sg_elf_object_is_relro(const struct sg_elf_object *object, void *const *slot) {
    return (uintptr_t)slot - object->relro_start < object->relro_end - object->relro_start;
}

/* Does the relocation store a symbol's address, without an addend? */
static bool is_import(const ElfW(Rela) * relocation) {
    switch (ELF64_R_TYPE(relocation->r_info)) {
    case SG_RELOCATION_CALL:
    case SG_RELOCATION_POINTER:
        return true;
    case SG_RELOCATION_DATUM: /* a pointer in initialised data */
        return relocation->r_addend == 0;
    default:
        return false;
    }
}

void sg_elf_object_each_import(const struct sg_elf_object *object, sg_elf_entry_fn *deliver,
                               void *context) {
    for (int table = 0; table < 2; table++) {
        for (size_t i = 0; i < object->lengths[table]; i++) {
            const ElfW(Rela) *relocation = &object->tables[table][i];
            if (!is_import(relocation))
                continue;
            const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
            uintptr_t slot = object->info->dlpi_addr + relocation->r_offset;
            if (symbol->st_name >= object->names_bytes || slot % sizeof(void *) != 0 ||
                !sg_elf_object_holds(object, slot))
                continue;
            struct sg_elf_entry entry = {
                .name = object->names + symbol->st_name,
                .slot = (void **)slot,
                .is_call = ELF64_R_TYPE(relocation->r_info) == SG_RELOCATION_CALL,
                .is_data = ELF64_R_TYPE(relocation->r_info) == SG_RELOCATION_DATUM,
                .is_defined_here = symbol->st_shndx != SHN_UNDEF,
            };
            deliver(context, &entry);
        }
    }
}
