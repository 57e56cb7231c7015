/* Arena hooks of the memory trace: they record the arenas that pymalloc maps and unmaps. An arena
 * is the large block from which pymalloc, the allocator of the domain OBJ, takes its small blocks.
 * (native_memory/arenas.h is about another kind: address space that libraries reserve.)
 *
 * pymalloc usually maps an arena within a call that the hook on OBJ is recording (hooks.h). That
 * hook has entered its lane, a list of buffers (lanes.h), and the arena's event goes into the same
 * lane (sg_trace_hooks_enter_nested). If there is no lane for the thread, the event is lost.
 *
 * The caller holds the GIL; sg_trace_arena_hooks_remove is also called in a forked child. */
#ifndef STACKGLASS_TRACE_ARENA_HOOKS_H
#define STACKGLASS_TRACE_ARENA_HOOKS_H

/* Find the interpreter's functions that get and set the arena allocator. CPython 3.9 to 3.15 export
 * both. If an interpreter does not, the trace has no events of arenas, and no status says so. */
void sg_trace_arena_hooks_prepare(void);
/* Install the hooks. If they are still installed, because sg_trace_arena_hooks_remove found another
 * tool's hooks above them, this does nothing: they are called through that tool's hooks. */
void sg_trace_arena_hooks_install(void);
/* Remove the hooks, unless another tool has installed its own above them. Then they stay, and pass
 * calls on while nothing is recorded. */
void sg_trace_arena_hooks_remove(void);

#endif
