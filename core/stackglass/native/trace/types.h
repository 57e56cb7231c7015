/* Types: which addresses are types, and the type of a block from the header of its object.
 *
 *     hook: header's type known? ──yes──▶ number of its name
 *                 └──no──▶ candidate ──▶ worker: is it a type? ──▶ known
 *
 * A block has a type only if the header in it is one of an object: a known type where it must be,
 * and a count of references that fits. A type is forgotten when its own block is freed, before
 * another object can have its address. */
#ifndef STACKGLASS_TRACE_TYPES_H
#define STACKGLASS_TRACE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

struct sg_trace_type {
    uint32_t name;        /* number (names.h) */
    uint32_t front_bytes; /* from the begin of a block to its object */
    uint32_t fixed_bytes; /* of a block; 0 = they differ */
    uint32_t least_bytes; /* of a block */
};

/* NULL, or why not; caller holds the GIL. `pool_bytes`: what surely can be read around a block, 0 =
 * the allocator is not the interpreter's own. */
const char *sg_trace_types_prepare(uint32_t pool_bytes);
void sg_trace_types_discard(void);
/* Forget all, without freeing it. */
void sg_trace_types_after_fork_in_child(void);

/* ---- For hooks: no GIL but the caller's ---- */

/* The number of the name of the type of an object whose block is about to be freed; 0 = not known.
 */
uint32_t sg_trace_types_of_freed(const void *block);

/* ---- For the worker, with the GIL ---- */

/* What is known of a live type; NULL if there is no room. Reads its name; may allocate objects and
 * free them again. */
const struct sg_trace_type *sg_trace_types_learn(uintptr_t type);
/* The same of a type that is known already, else NULL. Allocates nothing. */
const struct sg_trace_type *sg_trace_types_find(uintptr_t type);
/* Learn the candidates that are types. `is_anew`: others may be proposed again. */
void sg_trace_types_learn_candidates(bool is_anew);
bool sg_trace_types_have_candidates(void); /* any thread */

/* The number of the name of the type of a live object in a block of `size` bytes, which was
 * allocated for objects; 0 = not known. */
uint32_t sg_trace_types_of_live(const void *block, uint32_t size);

#endif
