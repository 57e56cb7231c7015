/* dl_iterate_phdr behind the fork gate, since the loader's lock would stay held in a forked child.
 */
#include "platform/loaded_libraries.h"

#include "platform/fork_gate.h"

int sg_loaded_libraries_visit(sg_library_visit_fn *visit, void *context) {
    sg_fork_gate_enter();
    int result = dl_iterate_phdr(visit, context);
    sg_fork_gate_leave();
    return result;
}

bool sg_loaded_libraries_holds(const struct dl_phdr_info *info, uintptr_t address, uint32_t flags) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & flags) == flags &&
            address - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

static int count(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    *(struct sg_library_counts *)context =
        (struct sg_library_counts){info->dlpi_adds, info->dlpi_subs};
    return 1; /* the same in every entry */
}

struct sg_library_counts sg_loaded_libraries_count(void) {
    struct sg_library_counts counts = {0, 0};
    sg_loaded_libraries_visit(count, &counts);
    return counts;
}
