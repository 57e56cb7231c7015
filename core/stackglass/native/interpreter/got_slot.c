/* Finds the library that has the interpreter's code, and there the entries of one import. */
#include "interpreter/got_slot.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "interpreter/elf_object.h"
#include "interpreter/got_patch.h"
#include "interpreter/python_symbols.h"
#include "platform/loaded_libraries.h"

struct search {
    struct sg_got_slot *import;
    const struct sg_elf_object *object;
    const char *problem;
};

static bool is_still_theirs(const struct search *search, const struct sg_elf_entry *entry,
                            const void *value) {
    /* The second case is the interpreter's own stub, which resolves the entry at the first call. */
    return value == search->import->original ||
           (entry->is_call && !entry->is_defined_here &&
            sg_elf_object_is_code_of(search->object, (uintptr_t)value));
}

static void scan_entry(void *context, const struct sg_elf_entry *entry) {
    struct search *search = context;
    struct sg_got_slot *import = search->import;
    if (entry->is_data || strcmp(entry->name, import->name) != 0)
        return;
    void *value = atomic_load((void *_Atomic *)entry->slot);
    if (value == import->hook)
        return; /* this is the second of two relocations for one slot */
    if (!is_still_theirs(search, entry, value)) {
        search->problem = "another tool has replaced the function by which the interpreter waits "
                          "for its GIL";
        return;
    }
    if (import->n_entries == SG_MOST_ENTRIES ||
        !sg_got_patch_store(entry->slot, value, import->hook)) {
        search->problem = "the interpreter's import table cannot be changed";
        return;
    }
    import->slots[import->n_entries] = entry->slot;
    import->originals[import->n_entries++] = value;
}

static int scan_object(struct dl_phdr_info *info, size_t size, void *context) {
    struct sg_elf_object object;
    struct search *search = context;
    (void)size;
    if (!sg_elf_object_open(&object, info) ||
        !sg_elf_object_holds(&object, sg_python_symbols.eval_start))
        return 0;
    search->object = &object;
    sg_elf_object_each_import(&object, scan_entry, search);
    return 1;
}

const char *sg_got_slot_patch(struct sg_got_slot *import) {
    struct search search = {.import = import};
    import->n_entries = 0;
    import->original = dlsym(RTLD_DEFAULT, import->name);
    sg_loaded_libraries_visit(scan_object, &search);
    if (!search.problem && !import->n_entries)
        search.problem = "the interpreter does not import the function by which it waits for its "
                         "GIL";
    if (search.problem)
        sg_got_slot_restore(import);
    return search.problem;
}

void sg_got_slot_maintain(struct sg_got_slot *import) {
    for (uint32_t i = 0; i < import->n_entries; i++) {
        if (atomic_load((void *_Atomic *)import->slots[i]) == import->original)
            sg_got_patch_store(import->slots[i], import->original, import->hook);
    }
}

void sg_got_slot_restore(struct sg_got_slot *import) {
    for (uint32_t i = 0; i < import->n_entries; i++)
        sg_got_patch_store(import->slots[i], import->hook, import->originals[i]);
    import->n_entries = 0;
}
