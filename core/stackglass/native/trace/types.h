/* Types: a table of the program's types by address, and the type of a block by the header of its
 * object.
 *
 *     hook: header's type known? ──yes──▶ number of its name
 *                 └──no──▶ candidate ──▶ worker: is it a type? ──▶ known
 *
 * A block gets a type only if it contains the header of an object: a known type where it must be,
 * and a plausible reference count. A type is forgotten when its own block is freed, before another
 * object can have its address. */
#ifndef STACKGLASS_TRACE_TYPES_H
#define STACKGLASS_TRACE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

struct sg_trace_type {
    uint32_t name;        /* number of its name (names.h) */
    uint32_t front_bytes; /* bytes from the begin of a block to its object */
    uint32_t fixed_bytes; /* bytes of a block; 0 = they differ */
    uint32_t least_bytes; /* least bytes of a block */
};

/* Map the tables. Returns NULL, or a sentence that says why types cannot be read. The caller holds
 * the GIL. `pool_bytes` is the size and alignment of memory around a block that can be read; 0 =
 * the allocator is not the interpreter's own. */
const char *sg_trace_types_prepare(uint32_t pool_bytes);
void sg_trace_types_discard(void);
/* Reset the tables in a forked child, without freeing memory. */
void sg_trace_types_after_fork_in_child(void);

/* ---- For hooks: no GIL but the caller's ---- */

/* Return the number of the name of the type of an object whose block is about to be freed; 0 = not
 * known. `is_home`: the caller holds the worker's GIL. A type of an interpreter with another GIL is
 * never proposed, since it may be freed while the worker reads it. */
uint32_t sg_trace_types_of_freed(const void *block, bool is_home);

/* ---- For the worker, with the GIL ---- */

/* Return what is known of a live type, or NULL if there is no room. Reads its name; may allocate
 * objects and free them again. */
const struct sg_trace_type *sg_trace_types_learn(uintptr_t type);
/* Return what is known of a type, or NULL if it is not known yet. Allocates nothing. */
const struct sg_trace_type *sg_trace_types_find(uintptr_t type);
/* Learn the candidates that are types. `is_anew`: candidates that were refused may be proposed
 * again. */
void sg_trace_types_learn_candidates(bool is_anew);
bool sg_trace_types_have_candidates(void); /* any thread */

/* Return the number of the name of the type of a live object in a block of `size` bytes that was
 * allocated for objects; 0 = not known. */
uint32_t sg_trace_types_of_live(const void *block, uint32_t size);

#endif
