/* ELF object: a loaded library's address range, and the imports that a hook can redirect. */
#ifndef STACKGLASS_INTERPRETER_ELF_OBJECT_H
#define STACKGLASS_INTERPRETER_ELF_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loaded library. Valid while the loader's lock is held, that is, during a visit of the loaded
 * libraries (platform/loaded_libraries.h). */
struct sg_elf_object {
    const struct dl_phdr_info *info;
    uintptr_t start, end;             /* mapped range */
    uintptr_t relro_start, relro_end; /* RELRO: the loader makes it read-only after relocation */
    const ElfW(Sym) * symbols;
    const char *names;
    size_t names_bytes;
    const ElfW(Rela) * tables[2]; /* relocations of data (DT_RELA) and of calls (DT_JMPREL) */
    size_t lengths[2];            /* numbers of entries in `tables` */
};

/* Fill in `object`. Returns false if the library has no imports by name. */
bool sg_elf_object_open(struct sg_elf_object *object, const struct dl_phdr_info *info);

/* Does the address lie in the library? Does it lie in the library's code? Does the slot lie in
 * RELRO? */
bool sg_elf_object_holds(const struct sg_elf_object *object, uintptr_t address);
bool sg_elf_object_is_code_of(const struct sg_elf_object *object, uintptr_t address);
bool sg_elf_object_is_relro(const struct sg_elf_object *object, void *const *slot);

/* An import: a pointer that the loader fills with the address of a named function (or datum). */
struct sg_elf_entry {
    const char *name;
    void **slot;          /* where the pointer is */
    bool is_call;         /* it belongs to the PLT: the loader may fill it at the first call only */
    bool is_data;         /* it lies in initialised data, which the program may have changed */
    bool is_defined_here; /* the library itself defines this name */
};
typedef void sg_elf_entry_fn(void *context, const struct sg_elf_entry *entry);
/* Deliver every import of the library. */
void sg_elf_object_each_import(const struct sg_elf_object *object, sg_elf_entry_fn *deliver,
                               void *context);

#endif
