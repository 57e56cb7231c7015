/* Counted stacks: the stacks of the values in profiles that the program fills, each with the number
 * of its values.
 *
 *     program, GIL ── add, remove ──▶ slot: stack, count ── changed ──▶ writer, no GIL
 *
 * A slot is a stack of one profile. Its number may be used again for another stack once the stack
 * has no values: then its serial is another one. Values beyond the limits are counted as lost. */
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

/* ---- The program. Callers hold the GIL; no Python code runs. ---- */

/* The number of the profile `name`, UTF-8; a new one if there is none. SG_NO_COUNTED_STACK = too
 * many, or no memory. */
int32_t sg_counted_stacks_profile(const char *name);
/* One more value with this stack: its slot. `codes` are code objects, leaf first, borrowed; `depth`
 * may be 0. SG_NO_COUNTED_STACK = lost. May release code objects of older stacks. */
int32_t sg_counted_stacks_add(int32_t profile, PyObject *const *codes, const int32_t *lasti,
                              uint32_t depth);
/* One value less in a slot that add has returned. */
void sg_counted_stacks_remove(int32_t slot);

/* ---- The writer. No GIL. ---- */

struct sg_counted_stack {
    uint32_t slot;
    uint64_t serial; /* of the stack; never 0 */
    uint32_t profile;
    uint64_t count;                /* values now */
    const struct sg_frame *frames; /* (depth,): leaf first; valid during the call */
    uint32_t depth;
};
typedef void sg_counted_stack_fn(void *context, const struct sg_counted_stack *stack);

/* Begin to collect changes: all stacks with values count as changed. Code objects get numbers from
 * now on, so the interpreter is hooked. */
void sg_counted_stacks_watch(void);
void sg_counted_stacks_unwatch(void);
/* Call `take` for a limited number of slots that have changed since the last call, with the lock
 * held. Returns whether there are more. */
bool sg_counted_stacks_take(sg_counted_stack_fn *take, void *context);
/* Profiles so far, and the name of one of them, which never changes. Any thread. */
uint32_t sg_counted_stacks_n_profiles(void);
const char *sg_counted_stacks_profile_name(uint32_t profile);
/* Values that are in no slot. Any thread. */
uint64_t sg_counted_stacks_lost(void);
/* A forked child: the lock is free, nothing is watched. */
void sg_counted_stacks_after_fork_in_child(void);

#endif
