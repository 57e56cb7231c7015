/* Counted stacks: the contents of custom profiles. The program adds values to a profile and removes
 * them; for each stack the number of its present values is counted.
 *
 *     program, GIL ── add, remove ──▶ slot: stack, count ── changed ──▶ writer, no GIL
 *
 * A slot holds a stack of one profile. Once the stack has no values, the slot's number may be used
 * for another stack, which has another serial. Values beyond the limits are counted as lost. */
#ifndef STACKGLASS_CUSTOM_COUNTED_STACKS_H
#define STACKGLASS_CUSTOM_COUNTED_STACKS_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/frame.h"

enum {
    SG_NO_COUNTED_STACK = -1,
    SG_MOST_COUNTED_STACKS = 1 << 16,
    SG_MOST_CUSTOM_PROFILES = 1 << 10,
    SG_MOST_COUNTED_FRAMES = 512, /* of a stack; the outer ones are cut off */
};

/* ---- The program. Callers hold the GIL. ---- */

/* Return the number of the profile `name` (UTF-8), which is made if there is none. Returns
 * SG_NO_COUNTED_STACK if there are too many, or no memory. */
int32_t sg_counted_stacks_profile(const char *name);
/* Add a value with this stack, and return the stack's slot, or SG_NO_COUNTED_STACK if the value is
 * lost. `codes` are code objects, leaf first, borrowed; `depth` may be 0. May release code objects
 * of older stacks, and so run Python code. */
int32_t sg_counted_stacks_add(int32_t profile, PyObject *const *codes, const int32_t *lasti,
                              uint32_t depth);
/* Remove a value from `slot`, which sg_counted_stacks_add has returned. */
void sg_counted_stacks_remove(int32_t slot);

/* ---- The writer. Needs no GIL. ---- */

struct sg_counted_stack {
    uint32_t slot;
    uint64_t serial; /* of the stack; never 0 */
    uint32_t profile;
    uint64_t count;                /* values now */
    const struct sg_frame *frames; /* (depth,): leaf first; valid during the call */
    uint32_t depth;
};
typedef void sg_counted_stack_fn(void *context, const struct sg_counted_stack *stack);

/* Begin to collect changes: all stacks with values count as changed. Until unwatch the deaths of
 * code objects must be hooked (sg_cpu_prepare), since sg_counted_stacks_take numbers them. */
void sg_counted_stacks_watch(void);
void sg_counted_stacks_unwatch(void);
/* Call `take` for a limited number of slots that have changed since the last call, with the lock
 * held. Returns whether there are more. */
bool sg_counted_stacks_take(sg_counted_stack_fn *take, void *context);
/* Number of profiles so far, and the name of one of them, which never changes. Any thread may call
 * these. */
uint32_t sg_counted_stacks_n_profiles(void);
const char *sg_counted_stacks_profile_name(uint32_t profile);
/* Number of values that were lost, because they got no slot. Any thread may call this. */
uint64_t sg_counted_stacks_lost(void);
/* In a forked child: initialise the lock anew, and watch nothing. */
void sg_counted_stacks_after_fork_in_child(void);

#endif
