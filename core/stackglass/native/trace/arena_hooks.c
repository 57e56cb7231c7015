/* Wraps the arena allocator: a map is recorded after the call below, an unmap before it. */
#include "trace/arena_hooks.h"

#include "interpreter/python_symbols.h"
#include "trace/hooks.h"
#include "trace/recorder.h"

/* PyObjectArenaAllocator, which the stable ABI does not declare. */
struct arena_allocator {
    void *context;
    void *(*alloc)(void *context, size_t size);
    void (*free)(void *context, void *arena, size_t size);
};

/* NULL = the interpreter does not export them; sg_trace_arena_hooks_prepare writes them under the
 * GIL. */
static void (*get_arena_allocator)(struct arena_allocator *allocator);
static void (*set_arena_allocator)(const struct arena_allocator *allocator);
/* Guarded by the GIL. `below_arenas`, the allocator that the hooks call, is written while the hooks
 * are not installed. Hooks below another tool's count as installed: they are still called. */
static struct arena_allocator below_arenas;
static bool is_installed;

static void *alloc_arena(void *context, size_t size) {
    const void *state;
    bool is_nested;
    void *arena = below_arenas.alloc(context, size);
    struct sg_trace_lane *lane = arena ? sg_trace_hooks_enter_nested(&state, &is_nested) : NULL;
    if (lane)
        sg_trace_recorder_span(lane, state, SG_TRACE_OBJ, arena, size);
    if (lane && !is_nested)
        sg_trace_hooks_leave(lane);
    return arena;
}

static void free_arena(void *context, void *arena, size_t size) {
    const void *state;
    bool is_nested;
    struct sg_trace_lane *lane = sg_trace_hooks_enter_nested(&state, &is_nested);
    if (lane)
        sg_trace_recorder_mark(lane, SG_MARK_SPAN_FREE, SG_TRACE_OBJ, (uintptr_t)arena, size);
    if (lane && !is_nested)
        sg_trace_hooks_leave(lane);
    below_arenas.free(context, arena, size);
}

void sg_trace_arena_hooks_prepare(void) {
    sg_python_symbols_look_up("PyObject_GetArenaAllocator", &get_arena_allocator);
    sg_python_symbols_look_up("PyObject_SetArenaAllocator", &set_arena_allocator);
}

void sg_trace_arena_hooks_install(void) {
    struct arena_allocator top;
    if (!get_arena_allocator || !set_arena_allocator || is_installed)
        return;
    get_arena_allocator(&top);
    below_arenas = top;
    set_arena_allocator(&(struct arena_allocator){top.context, alloc_arena, free_arena});
    is_installed = true;
}

void sg_trace_arena_hooks_remove(void) {
    struct arena_allocator top;
    if (!get_arena_allocator || !set_arena_allocator)
        return;
    get_arena_allocator(&top);
    if (top.alloc == alloc_arena) {
        set_arena_allocator(&below_arenas);
        is_installed = false;
    }
}
