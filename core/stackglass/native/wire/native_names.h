/* Native names: defines functions and locations of machine code, a function for each start address.
 *
 *     pc ─cache─▶ location ─▶ function "libz.so.1: 0x1a2b0"
 *      └─ranges of known functions─▶
 *
 * A client that has the library's file replaces the name. The writer owns the names. */
#ifndef STACKGLASS_WIRE_NATIVE_NAMES_H
#define STACKGLASS_WIRE_NATIVE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/vector.h"
#include "wire/intern.h"

struct sg_native_line;

/* A function of machine code that occurred, and its addresses. */
struct sg_native_range {
    uintptr_t from, to;
    uint32_t function, start; /* start: address minus the library's base */
    bool is_extension;        /* in an extension module, so Python code may have a name for it */
};
struct sg_native_ranges SG_ROWS_OF(struct sg_native_range);

/* Zeroed before use. */
struct sg_native_names {
    struct sg_native_line *lines;   /* a cache of locations by pc; owned */
    struct sg_native_ranges ranges; /* sorted, without overlap */
    /* number of unloaded libraries when the cache was last emptied */
    unsigned long long n_unloads;
    uint32_t n_extension; /* functions of extension modules that occurred so far */
    bool is_exact;        /* each instruction has its own location; else each function has one */
};

/* Make the cache. Returns false if memory is short. */
bool sg_native_names_open(struct sg_native_names *names);
void sg_native_names_close(struct sg_native_names *names);

/* Return the location of machine code at `pc`. If `pc` is in no library, its name is "<native>"
 * with the library of its caller, if that is known. `caller`: the location of the calling frame. */
uint32_t sg_native_names_locate(struct sg_native_names *names, struct sg_intern *intern,
                                uintptr_t pc, uint32_t caller);

/* Set whether each instruction has its own location. That is only useful if stacks have C frames,
 * because there are many instructions. */
void sg_native_names_set_exact(struct sg_native_names *names, bool is_exact);

/* Forget all addresses if a library has been unloaded, because another one may be loaded at its
 * address. A sample that was taken before and is resolved after that would get the other library's
 * name. */
void sg_native_names_refresh(struct sg_native_names *names);

#endif
