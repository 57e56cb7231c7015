/* An address of machine code becomes a location by the first of these that knows it:
 *
 *     lines      direct-mapped cache by pc: 8192 places
 *     ranges     functions that occurred, sorted by address, without overlap: binary search
 *     library    the file's tables (platform/elf_functions.h); then the function becomes a range
 *
 * Code in no library was made at run time. It is named after the library that called it, so its
 * cache entry also has the caller. All addresses are forgotten when a library is unloaded. */
#include "wire/native_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames/pseudo_frames.h"
#include "platform/elf_functions.h"
#include "platform/loaded_libraries.h"
#include "unwind/system_call.h"

enum {
    N_LINES = 1 << 13, /* a power of two */
    MOST_RANGES = 1 << 16,
    MOST_NAME_BYTES = SG_ELF_PATH_BYTES + 32,
    /* when a session has this many nodes, functions stand for their instructions */
    MOST_EXACT_NODES = 1 << 20,
};

static const uint32_t NO_CALLER = UINT32_MAX;

struct sg_native_line {
    uintptr_t pc; /* 0 = none */
    uint32_t location;
    uint32_t caller; /* a function; NO_CALLER = the location does not depend on it */
};

bool sg_native_names_open(struct sg_native_names *names) {
    names->lines = calloc(N_LINES, sizeof *names->lines);
    names->n_unloads = sg_loaded_libraries_count().n_unloads;
    return names->lines != NULL;
}

void sg_native_names_close(struct sg_native_names *names) {
    free(names->lines);
    names->lines = NULL;
    SG_ROWS_FREE(&names->ranges);
}

/* Return how many ranges begin at or before `pc`. */
static size_t count_before(const struct sg_native_ranges *ranges, uintptr_t pc) {
    size_t low = 0, high = ranges->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->at[middle].from <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Add a range, unless it overlaps another one: the tables of a damaged file may have functions that
 * overlap. */
static void remember(struct sg_native_ranges *ranges, struct sg_native_range range) {
    size_t at = count_before(ranges, range.from);
    bool is_apart = range.from < range.to && (!at || ranges->at[at - 1].to <= range.from) &&
                    (at == ranges->n || range.to <= ranges->at[at].from);
    if (!is_apart || ranges->n == MOST_RANGES || !SG_ROWS_ADD(ranges, range))
        return;
    memmove(&ranges->at[at + 1], &ranges->at[at], (ranges->n - 1 - at) * sizeof *ranges->at);
    ranges->at[at] = range;
}

/* ---- Code that was made at run time ---- */

/* Return the library of a function of machine code or, if the code is in no library, the library
 * that called it; "" = not known. */
static const char *find_library(const struct sg_intern *intern, uint32_t function) {
    enum { SYSTEM_NAME = 1, FILENAME = 2, START = 4 }; /* columns */
    uint32_t *const *columns = intern->functions.columns;
    if (function == NO_CALLER || !columns[START][function])
        return "";
    const char *path = sg_intern_text(intern, columns[FILENAME][function]);
    if (*path)
        return path;
    const char *space = strchr(sg_intern_text(intern, columns[SYSTEM_NAME][function]), ' ');
    return space ? space + 1 : "";
}

static const char *find_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Define a function and a location of code in no library. Its address takes the place of its
 * start. */
static uint32_t define_in_memory(struct sg_intern *intern, uintptr_t pc, uint32_t caller) {
    char identity[MOST_NAME_BYTES], name[MOST_NAME_BYTES];
    const char *library = find_library(intern, caller);
    const char *kind = sg_pseudo_frames_name(SG_NATIVE);
    uint32_t low = (uint32_t)pc;
    if (*library) {
        snprintf(identity, sizeof identity, "memory-%" PRIxPTR " %s", pc - low, library);
        snprintf(name, sizeof name, "%s: %s 0x%" PRIxPTR, find_file_name(library), kind, pc);
    } else {
        snprintf(identity, sizeof identity, "memory-%" PRIxPTR, pc - low);
        snprintf(name, sizeof name, "%s 0x%" PRIxPTR, kind, pc);
    }
    uint32_t function = sg_intern_native(intern, name, identity, "", low);
    return sg_intern_native_location(intern, function, low);
}

/* ---- Code of libraries ---- */

/* Return whether the path is an extension module or a library with its functions, such as
 * "x.cpython-313-x86_64-linux-gnu.so" or "libtorch_python.so". "libz.so.1" and the standard
 * library's modules are not. */
static bool is_extension(const char *path) {
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".so") && !strstr(path, "/lib-dynload/");
}

static uint32_t locate_in(const struct sg_native_names *names, struct sg_intern *intern,
                          const struct sg_native_range *range, uintptr_t pc) {
    bool is_exact = names->is_exact && intern->nodes.n_rows < MOST_EXACT_NODES;
    uint32_t offset = is_exact ? (uint32_t)(pc - range->from) : 0;
    return sg_intern_native_location(intern, range->function, range->start + offset);
}

static uint32_t define(struct sg_native_names *names, struct sg_intern *intern,
                       const struct sg_elf_function *found, uintptr_t pc) {
    if (found->start + (found->to - found->from) > UINT32_MAX) {
        const char *name = sg_pseudo_frames_name(SG_NATIVE);
        return sg_intern_location(intern, sg_intern_function(intern, name, name, "", 0), 0);
    }
    char name[MOST_NAME_BYTES];
    snprintf(name, sizeof name, "%s: 0x%" PRIx64, find_file_name(found->path), found->start);
    struct sg_native_range range = {
        .from = found->from,
        .to = found->to,
        .start = (uint32_t)found->start,
        .function =
            sg_intern_native(intern, name, found->identity, found->path, (uint32_t)found->start),
        .is_extension = is_extension(found->path),
    };
    names->n_extension += range.is_extension;
    remember(&names->ranges, range);
    return locate_in(names, intern, &range, pc);
}

static struct sg_native_line find(struct sg_native_names *names, struct sg_intern *intern,
                                  uintptr_t pc, uint32_t caller) {
    struct sg_native_line line = {.pc = pc, .caller = NO_CALLER};
    size_t at = count_before(&names->ranges, pc);
    const struct sg_native_range *range = at ? &names->ranges.at[at - 1] : NULL;
    struct sg_elf_function found;
    if (range && pc < range->to) {
        line.location = locate_in(names, intern, range, pc);
    } else if (sg_elf_functions_find(pc, &found)) {
        line.location = define(names, intern, &found, pc);
    } else {
        uintptr_t start = pc & ~(uintptr_t)(SG_ELF_GRANULE_BYTES - 1);
        line.caller = pc < SG_SYSTEM_CALL_BASE ? caller : NO_CALLER;
        line.location = define_in_memory(intern, start, line.caller);
    }
    return line;
}

uint32_t sg_native_names_locate(struct sg_native_names *names, struct sg_intern *intern,
                                uintptr_t pc, uint32_t caller) {
    enum { FUNCTION }; /* a column */
    struct sg_native_line *line =
        &names->lines[((uint64_t)pc * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (N_LINES - 1)];
    uint32_t function = intern->locations.columns[FUNCTION][caller];
    if (line->pc != pc || (line->caller != NO_CALLER && line->caller != function))
        *line = find(names, intern, pc, function);
    return line->location;
}

void sg_native_names_set_exact(struct sg_native_names *names, bool is_exact) {
    if (names->is_exact != is_exact)
        memset(names->lines, 0, N_LINES * sizeof *names->lines);
    names->is_exact = is_exact;
}

void sg_native_names_refresh(struct sg_native_names *names) {
    unsigned long long n_now = sg_loaded_libraries_count().n_unloads;
    if (n_now == names->n_unloads)
        return;
    names->n_unloads = n_now;
    memset(names->lines, 0, N_LINES * sizeof *names->lines);
    names->ranges.n = 0;
}
