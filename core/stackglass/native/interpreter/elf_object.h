/* A loaded library as the loader has laid it out: where it lies, and what it imports. */
#ifndef STACKGLASS_INTERPRETER_ELF_OBJECT_H
#define STACKGLASS_INTERPRETER_ELF_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Valid while the loader's lock is held: in a callback of dl_iterate_phdr. */
struct sg_elf_object {
    const struct dl_phdr_info *info;
    uintptr_t start, end;             /* of what is mapped of it */
    uintptr_t closed_from, closed_to; /* what the loader makes read-only when it is done */
    const ElfW(Sym) * symbols;
    const char *names;
    size_t names_bytes;
    const ElfW(Rela) * tables[2];
    size_t lengths[2]; /* of `tables`, entries */
};

/* False if it has no imports by name. */
bool sg_elf_object_open(struct sg_elf_object *object, const struct dl_phdr_info *info);

bool sg_elf_object_holds(const struct sg_elf_object *object, uintptr_t address);
bool sg_elf_object_is_code_of(const struct sg_elf_object *object, uintptr_t address);
bool sg_elf_object_is_closed_when_loaded(const struct sg_elf_object *object, void *const *slot);

/* A pointer that the loader fills with the address of a named function (or datum). */
struct sg_elf_entry {
    const char *name;
    void **slot;
    bool is_call;         /* of the table for calls: may be filled at the first one */
    bool is_data;         /* initialised data, which the program may have changed since */
    bool is_defined_here; /* the object has one by this name itself */
};
typedef void sg_elf_entry_fn(void *context, const struct sg_elf_entry *entry);
void sg_elf_object_each_import(const struct sg_elf_object *object, sg_elf_entry_fn *deliver,
                               void *context);

#endif
