/* Machine code in the definitions of a session: a function for each start address.
 *
 *     pc ─cache─▶ location ─▶ function "libz.so.1: 0x1a2b0"
 *      └─ranges of known functions─▶
 *
 * The client that has the library's file replaces the name. Owned by the writer. */
#ifndef STACKGLASS_WIRE_NATIVE_NAMES_H
#define STACKGLASS_WIRE_NATIVE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/vector.h"
#include "wire/intern.h"

struct sg_native_line;

/* A function that was met, by its addresses. */
struct sg_native_range {
    uintptr_t from, to;
    uint32_t function, start; /* start: less the library's base */
    bool is_extension;        /* of a module: Python code may have a name for it */
};
struct sg_native_ranges SG_ROWS_OF(struct sg_native_range);

/* Zeroed before use. */
struct sg_native_names {
    struct sg_native_line *lines;   /* a cache of locations by pc; owned */
    struct sg_native_ranges ranges; /* sorted, without overlap */
    unsigned long long n_unloads;   /* of libraries, when the cache was last emptied */
    uint32_t n_extension;           /* functions of extension modules that were met, ever */
    bool is_exact; /* an instruction has its own location; else functions have one each */
};

/* False if there is no memory. */
bool sg_native_names_open(struct sg_native_names *names);
void sg_native_names_close(struct sg_native_names *names);

/* The location of machine code; "<native>" where `pc` is in no library, with the library whose code
 * called it, if that is known. `caller`: the location of the frame that called it. */
uint32_t sg_native_names_locate(struct sg_native_names *names, struct sg_intern *intern,
                                uintptr_t pc, uint32_t caller);

/* Whether instructions have locations of their own: only where stacks have C frames, because there
 * are many. */
void sg_native_names_set_exact(struct sg_native_names *names, bool is_exact);

/* Forget addresses if a library has been unloaded: another one may come to its place. A sample
 * taken before and resolved after that would get the other one's name. */
void sg_native_names_refresh(struct sg_native_names *names);

#endif
