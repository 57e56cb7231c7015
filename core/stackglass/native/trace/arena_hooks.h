/* Arena hooks of the memory trace. An arena is a large block from which the domain OBJ carves its
 * small blocks.
 *
 * An arena is usually mapped within a call of OBJ that a hook is recording. So its event goes into
 * the lane that this hook has entered (sg_trace_hooks_enter_nested).
 *
 * The caller holds the GIL, or this is a forked child. */
#ifndef STACKGLASS_TRACE_ARENA_HOOKS_H
#define STACKGLASS_TRACE_ARENA_HOOKS_H

/* Find the interpreter's functions that get and set the arena allocator. Without them arenas are
 * not recorded. */
void sg_arena_hooks_prepare(void);
/* Install the hook, unless it is still there below another tool's. */
void sg_arena_hooks_install(void);
/* Remove the hook, unless another tool has installed its own above it. */
void sg_arena_hooks_remove(void);

#endif
