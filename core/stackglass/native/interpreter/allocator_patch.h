/* Patch of Python's MEM and OBJ allocators: hooks above what is there, by several patches that come
 * and go in any order.
 *
 *     PyMem_Malloc ──▶ hook ──▶ hook of another patch or tool ──▶ the interpreter's own
 *
 * PyMem_SetAllocator replaces five words one after the other. For MEM and OBJ the GIL makes that
 * one step; the RAW allocator is called without the GIL, so it is never hooked. An extension that
 * calls MEM or OBJ without the GIL may see a mixture of old and new words, and works all the same:
 * a hook is called with the context of the allocator below it.
 *
 * A patch has two sets of hooks, each with an allocator below. A new allocator below is written
 * into the unused set before that set is published, so a thread that still calls the other set
 * finds what was below it. All calls need the GIL. */
#ifndef STACKGLASS_INTERPRETER_ALLOCATOR_PATCH_H
#define STACKGLASS_INTERPRETER_ALLOCATOR_PATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As in the interpreter's headers, which hide them from the stable ABI, less one: MEM, OBJ. */
enum sg_allocator_domain { SG_ALLOCATOR_MEM, SG_ALLOCATOR_OBJ, SG_N_ALLOCATORS };
enum { SG_N_HOOK_SETS = 2 };

struct sg_allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t n, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

struct sg_allocator_patch {
    /* Constant. The hooks, with a context of NULL; a hook calls `below` of its domain and set. */
    const struct sg_allocator (*hooks)[SG_N_HOOK_SETS];
    /* Constant. Makes hooks call sg_allocator_patch_see from now on, or not any more. */
    void (*set_trial)(bool is_on);

    struct sg_allocator below[SG_N_ALLOCATORS][SG_N_HOOK_SETS]; /* written under the GIL */
    int set_in_use[SG_N_ALLOCATORS];                            /* guarded by the GIL */
    _Atomic uintptr_t trying; /* the thread that checks whether hooks are called; lock-free */
    _Atomic bool is_seen;     /* lock-free */
};

/* Find the interpreter's functions: NULL, or why not. */
const char *sg_allocator_patch_prepare(void);

/* Hook, or use again the hooks that are in place. */
void sg_allocator_patch_apply(struct sg_allocator_patch *patch);
/* Unhook. Where another patch or tool has hooked above the hooks, they stay and pass through. Needs
 * no memory. */
void sg_allocator_patch_restore(struct sg_allocator_patch *patch);
/* Whether an allocation of both domains reaches the hooks, by making one. */
bool sg_allocator_patch_is_called(struct sg_allocator_patch *patch);

/* By a hook: true if this call is the one of a trial, which is not to be recorded. Any thread. */
bool sg_allocator_patch_see(struct sg_allocator_patch *patch);

#endif
