/* Decides in which lane, and in which order, a call is recorded.
 *
 *     calling thread holds the main GIL ──▶ lane 0, which that GIL guards
 *                          another GIL  ──▶ the lane of its interpreter, marked as busy meanwhile
 *                          no GIL       ──▶ the thread's own lane; each row has its time
 *
 * A free is recorded before the call below, an allocation after it. So no row says that a block is
 * in use while its address belongs to the allocator, which may give it to any thread. A
 * reallocation has a row before and a row after the call.
 *
 * Allocations that the allocator below makes itself are not recorded a second time: `inside` names
 * the thread that is in such a call, and a lane that is marked as busy cannot be entered. Arenas
 * are the exception: they are mapped within a call, and recorded there (arena_hooks.h). */
#include "trace/hooks.h"

#include "interpreter/allocator_patch.h"
#include "interpreter/calling_thread.h"
#include "interpreter/gil_search.h"
#include "interpreter/interpreters.h"
#include "platform/hints.h"
#include "trace/recorder.h"
#include "trace/types.h"

enum { LAST_MINOR_OF_ONE_GIL = 11 };

static void set_trial(bool is_on);
static const struct sg_allocator HOOKS_OF[SG_N_ALLOCATORS][SG_N_HOOK_SETS];
static struct sg_allocator_patch patch = {.hooks = HOOKS_OF, .set_trial = set_trial};

/* What the hooks do, as bits; 0 = they pass calls on. allocator_patch.h explains trials.
 * Lock-free. */
enum { IS_RECORDING = 1, IS_TRIAL = 2 };
static _Atomic uint32_t state_of_hooks;

/* sg_trace_hooks_prepare writes them under the GIL; then constant. */
static uintptr_t home; /* the interpreter of the main lane */
static uintptr_t gil;  /* that interpreter's GIL */
/* offset of the pointer to the GIL in an interpreter; 0 = one GIL for all, or not known */
static int32_t gil_at;

/* ---- Lanes ---- */

/* Return the lane of an interpreter that is not `home`: the main lane if both share a GIL. NULL =
 * there is none left. */
SG_COLD static struct sg_trace_lane *find_lane(uintptr_t interpreter) {
    if (sg_debug_offsets.minor <= LAST_MINOR_OF_ONE_GIL)
        return &sg_trace_lanes[0];
    uintptr_t own = gil_at ? sg_memory_load(interpreter + (uintptr_t)gil_at) : 0;
    if (own == gil && gil_at)
        return &sg_trace_lanes[0];
    for (int i = 1; gil_at && i < SG_N_GIL_LANES; i++) {
        struct sg_trace_lane *lane = &sg_trace_lanes[i];
        uintptr_t owner = 0;
        if (atomic_compare_exchange_strong(&lane->owner, &owner, interpreter))
            lane->gil = own;
        else if (owner != interpreter || lane->gil != own)
            continue;
        return lane;
    }
    return NULL;
}

/* Mark the lane as busy; the main lane needs no mark. Returns false if the lane is busy or
 * recording has ended. Threads with another GIL continue while recording ends, so the buffers
 * stay until no lane is busy (sg_trace_discard). */
static inline bool begin(struct sg_trace_lane *lane) {
    if (SG_LIKELY(lane == &sg_trace_lanes[0]))
        return true;
    if (atomic_exchange(&lane->is_busy, true))
        return false;
    if (atomic_load(&state_of_hooks) & IS_RECORDING)
        return true;
    sg_trace_lanes_leave(lane);
    return false;
}

/* Return the lane for the calling thread, and set `state` to its thread state. NULL = the thread
 * holds no GIL, its interpreter has no lane, or recording is off. */
static inline struct sg_trace_lane *find(const void **state) {
    if (!(atomic_load_explicit(&state_of_hooks, memory_order_relaxed) & IS_RECORDING))
        return NULL;
    *state = sg_calling_thread_with_gil();
    if (!SG_LIKELY(*state))
        return NULL;
    uintptr_t interpreter =
        sg_memory_load((uintptr_t)*state + (uintptr_t)sg_debug_offsets.thread_interp);
    struct sg_trace_lane *lane = &sg_trace_lanes[0];
    if (!SG_LIKELY(interpreter == home) && !(lane = find_lane(interpreter)))
        sg_trace_lanes_add_without_lane(SG_TRACE_OBJ); /* which counts for MEM, too */
    return lane;
}

static inline struct sg_trace_lane *enter(const void **state) {
    struct sg_trace_lane *lane = find(state);
    return lane && begin(lane) ? lane : NULL;
}

static inline void leave(struct sg_trace_lane *lane) {
    if (!SG_LIKELY(lane == &sg_trace_lanes[0]))
        sg_trace_lanes_leave(lane);
}

struct sg_trace_lane *sg_trace_hooks_enter(const void **state) {
    return enter(state);
}

void sg_trace_hooks_leave(struct sg_trace_lane *lane) { leave(lane); }

bool sg_trace_hooks_are_recording(void) { return atomic_load(&state_of_hooks) & IS_RECORDING; }

struct sg_trace_lane *sg_trace_hooks_enter_nested(const void **state, bool *is_nested) {
    struct sg_trace_lane *lane = find(state);
    *is_nested = lane && lane->inside == sg_thread_ids_self();
    return lane && (*is_nested || begin(lane)) ? lane : NULL;
}

/* ---- Calls without the GIL ---- */

/* Return the calling thread's own lane, marked as busy; NULL = it has none, or recording is off. */
static struct sg_trace_lane *enter_own(int domain) {
    struct sg_trace_lane *lane = sg_trace_lanes_enter_own();
    bool is_recording = atomic_load(&state_of_hooks) & IS_RECORDING;
    if (lane && is_recording)
        return lane;
    if (lane)
        sg_trace_lanes_leave(lane);
    else if (is_recording)
        sg_trace_lanes_add_without_lane((enum sg_trace_domain)domain);
    return NULL;
}

static bool is_without_gil(void) {
    return atomic_load_explicit(&state_of_hooks, memory_order_relaxed) & IS_RECORDING &&
           !sg_calling_thread_with_gil();
}

SG_COLD static void record_alloc_without_gil(int domain, const void *block, size_t size) {
    struct sg_trace_lane *lane = is_without_gil() ? enter_own(domain) : NULL;
    if (!lane)
        return;
    sg_trace_recorder_timed_alloc(lane, NULL, (enum sg_trace_domain)domain, block, size);
    sg_trace_lanes_leave(lane);
}

SG_COLD static void record_free_without_gil(int domain, const void *block) {
    struct sg_trace_lane *lane = is_without_gil() ? enter_own(domain) : NULL;
    if (!lane)
        return;
    sg_trace_recorder_timed_free(lane, (enum sg_trace_domain)domain, block, false);
    sg_trace_lanes_leave(lane);
}

/* ---- Hooks ---- */

/* Return whether the hook only passes the call on, because recording is off or the call is part of
 * a trial. */
static inline bool is_passed(void) {
    uint32_t state = atomic_load_explicit(&state_of_hooks, memory_order_relaxed);
    return SG_LIKELY(state == IS_RECORDING) ? false
           : state & IS_TRIAL ? sg_allocator_patch_is_trial_call(&patch) || state == IS_TRIAL
                              : true;
}

/* Mark that this thread is in a call of the allocator below. Returns false if it is in one already:
 * then the allocator below is allocating, and the outer call is recorded. */
static inline bool begin_inside(struct sg_trace_lane *lane) {
    uintptr_t self = sg_thread_ids_self();
    if (lane->inside == self)
        return false;
    lane->inside = self;
    return true;
}

static inline void *record(struct sg_trace_lane *lane, const void *state, int domain, void *block,
                           size_t size) {
    lane->inside = 0;
    if (SG_LIKELY(block))
        sg_trace_recorder_alloc(lane, state, (enum sg_allocator_domain)domain, block, size);
    leave(lane);
    return block;
}

static inline void *hook_malloc(const struct sg_allocator *below, int domain, void *context,
                                size_t size) {
    const void *state;
    if (is_passed())
        return below->malloc(context, size);
    struct sg_trace_lane *lane = enter(&state);
    if (SG_LIKELY(lane && begin_inside(lane)))
        return record(lane, state, domain, below->malloc(context, size), size);
    if (lane)
        leave(lane);
    void *block = below->malloc(context, size);
    if (!lane && block)
        record_alloc_without_gil(domain, block, size);
    return block;
}

static inline void *hook_calloc(const struct sg_allocator *below, int domain, void *context,
                                size_t n, size_t size) {
    const void *state;
    if (is_passed())
        return below->calloc(context, n, size);
    struct sg_trace_lane *lane = enter(&state);
    if (SG_LIKELY(lane && begin_inside(lane))) /* the interpreter refuses products that overflow */
        return record(lane, state, domain, below->calloc(context, n, size), n * size);
    if (lane)
        leave(lane);
    void *block = below->calloc(context, n, size);
    if (!lane && block)
        record_alloc_without_gil(domain, block, n * size);
    return block;
}

static inline void *hook_realloc(const struct sg_allocator *below, int domain, void *context,
                                 void *block, size_t size) {
    const void *state;
    if (!block)
        return hook_malloc(below, domain, context, size);
    if (is_passed())
        return below->realloc(context, block, size);
    struct sg_trace_lane *lane = enter(&state);
    if (SG_LIKELY(lane && begin_inside(lane))) {
        sg_trace_recorder_realloc(lane, (enum sg_allocator_domain)domain, block);
        void *moved = below->realloc(context, block, size);
        lane->inside = 0;
        sg_trace_recorder_realloced(lane, state, (enum sg_allocator_domain)domain, moved, size);
        leave(lane);
        return moved;
    }
    if (lane)
        leave(lane);
    else
        record_free_without_gil(domain, block);
    void *moved = below->realloc(context, block, size);
    if (!lane)
        record_alloc_without_gil(domain, moved ? moved : block, moved ? size : 0);
    return moved;
}

static inline void hook_free(const struct sg_allocator *below, int domain, void *context,
                             void *block) {
    const void *state;
    struct sg_trace_lane *lane = is_passed() || !block ? NULL : enter(&state);
    if (SG_LIKELY(lane)) {
        bool is_home = lane == &sg_trace_lanes[0];
        uint32_t type = domain == SG_ALLOCATOR_OBJ ? sg_trace_types_of_freed(block, is_home) : 0;
        if (lane->inside != sg_thread_ids_self())
            sg_trace_recorder_free(lane, (enum sg_allocator_domain)domain, block, type);
        leave(lane);
    } else if (block) {
        record_free_without_gil(domain, block);
    }
    below->free(context, block);
}

/* `context` belongs to the allocator below; see interpreter/allocator_patch.h. */
#define HOOKS(name, domain, set)                                                                   \
    static void *name##_malloc(void *context, size_t size) {                                       \
        return hook_malloc(&patch.below[domain][set], domain, context, size);                      \
    }                                                                                              \
    static void *name##_calloc(void *context, size_t n, size_t size) {                             \
        return hook_calloc(&patch.below[domain][set], domain, context, n, size);                   \
    }                                                                                              \
    static void *name##_realloc(void *context, void *block, size_t size) {                         \
        return hook_realloc(&patch.below[domain][set], domain, context, block, size);              \
    }                                                                                              \
    static void name##_free(void *context, void *block) {                                          \
        hook_free(&patch.below[domain][set], domain, context, block);                              \
    }

HOOKS(mem_0, SG_ALLOCATOR_MEM, 0)
HOOKS(mem_1, SG_ALLOCATOR_MEM, 1)
HOOKS(obj_0, SG_ALLOCATOR_OBJ, 0)
HOOKS(obj_1, SG_ALLOCATOR_OBJ, 1)

#define ALLOCATOR(name)                                                                            \
    { NULL, name##_malloc, name##_calloc, name##_realloc, name##_free }
static const struct sg_allocator HOOKS_OF[SG_N_ALLOCATORS][SG_N_HOOK_SETS] = {
    [SG_ALLOCATOR_MEM] = {ALLOCATOR(mem_0), ALLOCATOR(mem_1)},
    [SG_ALLOCATOR_OBJ] = {ALLOCATOR(obj_0), ALLOCATOR(obj_1)},
};

/* ---- Installing and removing ---- */

static void set_trial(bool is_on) {
    if (is_on)
        atomic_fetch_or(&state_of_hooks, IS_TRIAL);
    else
        atomic_fetch_and(&state_of_hooks, ~(uint32_t)IS_TRIAL);
}

const char *sg_trace_hooks_prepare(void) {
    const char *problem = sg_allocator_patch_prepare();
    if (!problem)
        problem = sg_calling_thread_prepare();
    if (problem)
        return problem;
    home = (uintptr_t)sg_interpreter_home();
    if (sg_gil_search(&gil, &gil_at))
        gil = gil_at = 0; /* then other interpreters are recorded only if they share the main GIL */
    return NULL;
}

void sg_trace_hooks_install(void) { sg_allocator_patch_apply(&patch); }

void sg_trace_hooks_remove(void) {
    sg_trace_hooks_set_recording(false);
    sg_allocator_patch_end_trial(&patch); /* for a forked child */
    sg_allocator_patch_restore(&patch);
}

bool sg_trace_hooks_check(void) {
    if (sg_allocator_patch_is_called(&patch))
        return true;
    sg_allocator_patch_apply(&patch);
    return false;
}

void sg_trace_hooks_set_recording(bool is_on) {
    if (is_on)
        atomic_fetch_or(&state_of_hooks, IS_RECORDING);
    else
        atomic_fetch_and(&state_of_hooks, ~(uint32_t)IS_RECORDING);
}
