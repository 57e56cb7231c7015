/* Allocator patch: hooks Python's MEM and OBJ allocators. Several patches may be applied and
 * restored in any order.
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
 * finds the allocator that was below that set. The caller holds the GIL, except in
 * sg_allocator_patch_is_trial_call. */
#ifndef STACKGLASS_INTERPRETER_ALLOCATOR_PATCH_H
#define STACKGLASS_INTERPRETER_ALLOCATOR_PATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CPython's PyMemAllocatorDomain, which the stable ABI hides, less 1 and without RAW. */
enum sg_allocator_domain { SG_ALLOCATOR_MEM, SG_ALLOCATOR_OBJ, SG_N_ALLOCATORS };
enum { SG_N_HOOK_SETS = 2 };

/* CPython's PyMemAllocatorEx, which the stable ABI hides. */
struct sg_allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t n, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

struct sg_allocator_patch {
    /* The hooks, with a context of NULL; a hook calls `below` of its domain and set. Constant. */
    const struct sg_allocator (*hooks)[SG_N_HOOK_SETS];
    /* Makes hooks call sg_allocator_patch_is_trial_call at each allocation from now on, or not any
     * more. Constant. */
    void (*set_trial)(bool is_on);

    struct sg_allocator below[SG_N_ALLOCATORS][SG_N_HOOK_SETS]; /* written with the GIL held */
    int set_in_use[SG_N_ALLOCATORS];                            /* guarded by the GIL */
    _Atomic uintptr_t trying; /* the thread that checks whether hooks are called; lock-free */
    _Atomic bool is_seen;     /* a hook has met that thread's allocation; lock-free */
};

/* Find the interpreter's functions. Returns NULL, or one sentence that says why they were not
 * found. */
const char *sg_allocator_patch_prepare(void);

/* Hook the allocators, or use again the hooks that are in place. */
void sg_allocator_patch_apply(struct sg_allocator_patch *patch);
/* Unhook. Where another patch or tool has hooked above the hooks, they stay. Needs no memory. */
void sg_allocator_patch_restore(struct sg_allocator_patch *patch);
/* Do allocations of both domains reach the hooks? Allocates a block in each to find out. */
bool sg_allocator_patch_is_called(struct sg_allocator_patch *patch);
/* End a trial that a forked child has inherited: its thread is not there, and a new thread may have
 * its pthread_t. */
void sg_allocator_patch_end_trial(struct sg_allocator_patch *patch);

/* Called by a hook. Returns true if the hook's call is the trial that finds out whether hooks are
 * called; the hook must not record it. Any thread. */
bool sg_allocator_patch_is_trial_call(struct sg_allocator_patch *patch);

#endif
