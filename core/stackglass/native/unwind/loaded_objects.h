/* Loaded objects: the program and its libraries, as the loader lists them. */
#ifndef STACKGLASS_UNWIND_LOADED_OBJECTS_H
#define STACKGLASS_UNWIND_LOADED_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_loaded_object {
    uintptr_t base;                   /* load bias: added to the file's addresses */
    uintptr_t start, end;             /* machine code lies in [start, end) */
    uintptr_t header, header_end;     /* .eh_frame_hdr; equal = it has none */
    uintptr_t readable, readable_end; /* the segment that contains .eh_frame_hdr and .eh_frame */
    uint64_t fingerprint;             /* hash of its address and its program headers */
};

struct sg_loaded_objects {
    struct sg_loaded_object *at; /* (n,), ascending by `start`; mapped, owned */
    uint32_t n, capacity;
};

/* Return how often an object was loaded or unloaded so far. Takes the loader's lock for a moment,
 * as sg_loaded_objects_list and sg_loaded_objects_read do. Any engine thread. */
unsigned long long sg_loaded_objects_count_changes(void);
/* List the objects. Returns false if memory runs out. `loaded` must be zeroed before the first
 * use. */
bool sg_loaded_objects_list(struct sg_loaded_objects *loaded);
/* Copy memory of an object while the loader's lock prevents its unloading. If a seccomp filter
 * forbids the read that cannot fault, a page is probed and then read in place. Returns false if the
 * object is gone or the memory is not mapped. */
bool sg_loaded_objects_read(const struct sg_loaded_object *object, uintptr_t address, void *copy,
                            size_t size);
void sg_loaded_objects_free(struct sg_loaded_objects *loaded);

#endif
