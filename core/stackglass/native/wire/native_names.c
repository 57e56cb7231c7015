/* Functions of machine code, interned by start address: see native_names.h. */
#include "wire/native_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames/pseudo_frames.h"
#include "platform/elf_functions.h"
#include "platform/loaded_libraries.h"

enum { N_LINES = 1 << 13 /* a power of two */, MOST_NAME_BYTES = SG_ELF_PATH_BYTES + 32 };

struct sg_native_line {
    uintptr_t pc; /* 0 = none */
    uint32_t location;
};

bool sg_native_names_open(struct sg_native_names *names) {
    names->lines = calloc(N_LINES, sizeof *names->lines);
    names->n_unloads = sg_loaded_libraries_count().n_unloads;
    return names->lines != NULL;
}

void sg_native_names_close(struct sg_native_names *names) {
    free(names->lines);
    names->lines = NULL;
}

static uint32_t define(struct sg_intern *intern, uintptr_t pc) {
    struct sg_elf_function found;
    if (!sg_elf_functions_find(pc, &found) || found.start > UINT32_MAX) {
        const char *name = sg_pseudo_frames_name(SG_NATIVE);
        return sg_intern_location(intern, sg_intern_function(intern, name, name, "", 0), 0);
    }
    char name[MOST_NAME_BYTES];
    const char *slash = strrchr(found.path, '/');
    snprintf(name, sizeof name, "%s: 0x%" PRIx64, slash ? slash + 1 : found.path, found.start);
    uint32_t function =
        sg_intern_native(intern, name, found.identity, found.path, (uint32_t)found.start);
    return sg_intern_location(intern, function, 0);
}

uint32_t sg_native_names_locate(struct sg_native_names *names, struct sg_intern *intern,
                                uintptr_t pc) {
    struct sg_native_line *line =
        &names->lines[((uint64_t)pc * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (N_LINES - 1)];
    if (line->pc != pc)
        *line = (struct sg_native_line){pc, define(intern, pc)};
    return line->location;
}

void sg_native_names_refresh(struct sg_native_names *names) {
    unsigned long long n_now = sg_loaded_libraries_count().n_unloads;
    if (n_now == names->n_unloads)
        return;
    names->n_unloads = n_now;
    memset(names->lines, 0, N_LINES * sizeof *names->lines);
}
