/* Loaded objects: the program and its libraries, as the loader lists them. */
#ifndef STACKGLASS_UNWIND_LOADED_H
#define STACKGLASS_UNWIND_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_loaded_object {
    uintptr_t base;                   /* what the loader adds to the file's addresses */
    uintptr_t start, end;             /* machine code lies in [start, end) */
    uintptr_t header, header_end;     /* .eh_frame_hdr; equal = it has none */
    uintptr_t readable, readable_end; /* the segment that holds it, and .eh_frame with it */
    uint64_t fingerprint;             /* of its place and its program headers */
};

struct sg_loaded {
    struct sg_loaded_object *at; /* (n,), ascending by `start`; mapped, owned */
    uint32_t n, capacity;
};

/* How often an object was loaded or unloaded so far. Takes the loader's lock for a moment, as
 * list and read do. Any engine thread. */
unsigned long long sg_loaded_count_changes(void);
/* List the objects; false if memory runs out. Zeroed before the first use. */
bool sg_loaded_list(struct sg_loaded *loaded);
/* Copy memory of an object while the loader's lock keeps it there: where a filter forbids the read
 * that cannot fault, a page is tried and then read in place. False if it is gone, or not mapped. */
bool sg_loaded_read(const struct sg_loaded_object *object, uintptr_t address, void *copy,
                    size_t size);
void sg_loaded_free(struct sg_loaded *loaded);

#endif
