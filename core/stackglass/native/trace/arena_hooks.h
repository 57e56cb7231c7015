/* Arena hooks of the memory trace: the allocator of arenas, the large blocks that OBJ takes memory
 * from.
 *
 * An arena is mostly mapped and unmapped within a call of OBJ, which a hook records at that moment.
 * So its event goes into the lane that the hook has entered (sg_trace_hooks_enter_nested).
 *
 * Caller holds the GIL, or this is a forked child. */
#ifndef STACKGLASS_TRACE_ARENA_HOOKS_H
#define STACKGLASS_TRACE_ARENA_HOOKS_H

/* Find the interpreter's functions; without them arenas are not recorded. */
void sg_arena_hooks_prepare(void);
void sg_arena_hooks_install(void);
/* Remove the hook, unless another tool has put its own above it. */
void sg_arena_hooks_remove(void);

#endif
