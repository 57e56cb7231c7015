/* Copies the places of the image's segments, which stay where they are until the process ends. */
#include "interpreter/image.h"

#include "interpreter/python_symbols.h"
#include "platform/loaded_libraries.h"

enum { MOST_DATA = 4 }; /* writable segments; linkers make one */

struct segment {
    uintptr_t start, end;
};

/* Written once by sg_interpreter_image_find, then constant. */
static struct segment code;
static struct segment data[MOST_DATA];
static int n_data;

static bool is_in(const struct segment *segment, uintptr_t address) {
    return address - segment->start < segment->end - segment->start;
}

static int find_segments(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    if (!sg_loaded_libraries_holds(info, sg_python_symbols.eval_start, PF_X))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        const struct segment segment = {start, start + part->p_memsz};
        if (part->p_type != PT_LOAD)
            continue;
        if (is_in(&segment, sg_python_symbols.eval_start))
            code = segment;
        if (part->p_flags & PF_W && n_data < MOST_DATA)
            data[n_data++] = segment;
    }
    return 1;
}

void sg_interpreter_image_find(void) {
    if (!code.end)
        sg_loaded_libraries_visit(find_segments, NULL);
}

bool sg_interpreter_image_has_code(uintptr_t address) { return is_in(&code, address); }

bool sg_interpreter_image_find_data(uintptr_t address, uintptr_t *start, uintptr_t *end) {
    for (int i = 0; i < n_data; i++) {
        if (is_in(&data[i], address)) {
            *start = data[i].start;
            *end = data[i].end;
            return true;
        }
    }
    return false;
}
