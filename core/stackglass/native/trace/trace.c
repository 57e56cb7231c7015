/* Begin, end, types and regions of the memory trace.
 *
 *     begin:   pools ──▶ tables ──▶ hooks, which pass calls on ──▶ snapshot ──▶ hooks record
 *
 * All of this happens in one hold of the GIL, so that the first event changes the state that the
 * snapshot has.
 *
 * An object has no type yet when its block is allocated. So the worker later reads the types of the
 * objects that still exist, one page of fresh_objects.h after the other, and writes a mark with the
 * type into the lane of its GIL. If a pass has learned types, another pass follows, for objects
 * that the first one skipped. */
#include "trace/trace.h"

#include <Python.h>

#include <stdatomic.h>
#include <string.h>

#include "frames/stack_depth.h"
#include "interpreter/collector_callbacks.h"
#include "interpreter/debug_offsets.h"
#include "platform/futex.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"
#include "platform/time.h"
#include "trace/arena_hooks.h"
#include "trace/hooks.h"
#include "trace/lanes.h"
#include "trace/names.h"
#include "trace/reader.h"
#include "trace/recorder.h"
#include "trace/types.h"

/* Each pass learns types that the next pass needs: a type, then the types that became recognisable
 * by it. */
enum { MOST_PASSES = 4 };
enum { PAUSE_NS = 100 * 1000, N_PAUSES = 10000 }; /* sg_trace_settle waits a second */

/* Guarded by the GIL, except `is_there`. The writer also reads `status`, without the GIL: a count
 * may then be old. */
static _Atomic bool is_there; /* tables exist */
static struct sg_pools pools;
static struct sg_trace_status status;

/* Fresh objects that are being read. The worker owns them from sg_trace_hand_over until they are
 * done. */
static _Atomic(struct sg_fresh_objects *) handed_over; /* NULL = none; then the writer's */
static uint32_t next_page, n_passes;
static bool has_learned; /* a type was learned since the first page of this pass */
static _Atomic bool are_types_wanted;

static const char NO_MEMORY[] = "there is no memory for the memory trace's tables";

static void record_collection(bool is_start, const struct sg_collection *collection) {
    const void *state;
    struct sg_trace_lane *lane = sg_trace_hooks_enter(&state);
    if (!lane)
        return;
    sg_trace_recorder_mark(lane, is_start ? SG_MARK_COLLECTION_BEGIN : SG_MARK_COLLECTION_END,
                           SG_TRACE_OBJ, collection->generation, 0);
    lane->collector = is_start ? sg_thread_ids_self() : 0;
    sg_trace_hooks_leave(lane);
}

static void discard(void) {
    sg_trace_reader_discard();
    sg_trace_snapshot_discard();
    sg_trace_types_discard();
    sg_trace_names_discard();
    sg_trace_lanes_discard();
    atomic_store(&is_there, false);
}

static const char *make_tables(uint32_t depth) {
    if (sg_trace_lanes_prepare(depth) || sg_trace_names_prepare() || sg_trace_reader_prepare(depth))
        return NO_MEMORY;
    return sg_trace_types_prepare(pools.arenas ? pools.pool_bytes : 0);
}

/* Discard the trace of an engine that has left. That engine could not do so itself if a thread was
 * inside a hook at that moment, or if it never got the GIL, which the caller holds. */
static void discard_earlier(void) {
    if (atomic_load(&is_there) && !sg_trace_hooks_are_recording()) {
        sg_trace_end();
        sg_trace_discard();
    }
}

const char *sg_trace_begin(int64_t start_mono_ns, uint32_t depth) {
    discard_earlier();
    if (atomic_load(&is_there))
        return "an earlier memory trace of this process has not ended yet";
    if (!sg_debug_offsets.minor)
        return "the sampler has to be prepared before the memory trace";
    depth = sg_stack_depth_clamp(depth);
    memset(&status, 0, sizeof status);
    status.pools_problem = sg_pools_find(&pools);
    const char *problem = sg_trace_hooks_prepare();
    sg_trace_arena_hooks_prepare();
    if (!problem) {
        atomic_store(&is_there, true);
        problem = make_tables(depth);
    }
    if (problem) {
        discard();
        return problem;
    }
    sg_trace_recorder_prepare(start_mono_ns, pools.arenas != 0);
    sg_trace_hooks_install();
    sg_trace_arena_hooks_install();
    /* if it fails, no free counts as the collector's */
    sg_collector_callbacks_listen(record_collection);
    if (!sg_trace_snapshot_take(&pools) && !status.pools_problem)
        status.pools_problem = "the pools of this interpreter's allocator contradict themselves";
    status.snapshot = sg_trace_snapshot_counts();
    status.start_ns = sg_trace_recorder_now_ns();
    sg_trace_hooks_set_recording(true);
    return NULL;
}

void sg_trace_unhook(void) {
    sg_trace_hooks_remove();
    sg_trace_arena_hooks_remove();
}

void sg_trace_end(void) {
    sg_trace_unhook();
    sg_collector_callbacks_stop(record_collection);
    sg_trace_lanes[0].collector = 0;
}

bool sg_trace_settle(void) {
    for (int i = 0; !sg_trace_lanes_are_idle() && i < N_PAUSES; i++)
        sg_futex_sleep_ns(PAUSE_NS);
    return sg_trace_lanes_are_idle();
}

void sg_trace_pass_through(void) { sg_trace_hooks_set_recording(false); }

bool sg_trace_discard(void) {
    if (sg_trace_hooks_are_recording() || !sg_trace_lanes_are_idle())
        return false;
    atomic_store(&handed_over, NULL);
    atomic_store(&are_types_wanted, false);
    discard();
    return true;
}

bool sg_trace_is_recording(void) { return sg_trace_hooks_are_recording(); }

void sg_trace_check_hooks(void) {
    if (!sg_trace_hooks_are_recording() || sg_trace_hooks_check())
        return;
    sg_trace_lanes_lose(&sg_trace_lanes[0], SG_TRACE_MEM);
    sg_trace_lanes_lose(&sg_trace_lanes[0], SG_TRACE_OBJ);
    status.n_displaced++;
}

static bool record_region(enum sg_row_mark mark, const char *text, uint64_t number) {
    const void *state;
    uint32_t name = sg_trace_names_add(text);
    struct sg_trace_lane *lane = name ? sg_trace_hooks_enter(&state) : NULL;
    if (lane) {
        sg_trace_recorder_mark(lane, mark, SG_TRACE_OBJ, name, number);
        sg_trace_hooks_leave(lane);
    }
    return lane;
}

uint64_t sg_trace_region_begin(const char *name) {
    static _Atomic uint64_t n_regions;
    if (!sg_trace_hooks_are_recording())
        return 0;
    uint64_t number = atomic_fetch_add(&n_regions, 1) + 1;
    return record_region(SG_MARK_REGION_BEGIN, name, number) ? number : 0;
}

void sg_trace_region_end(const char *name, uint64_t number) {
    if (number && sg_trace_hooks_are_recording())
        record_region(SG_MARK_REGION_END, name, number);
}

void sg_trace_after_fork_in_child(void) {
    if (!atomic_load(&is_there))
        return;
    sg_trace_unhook();
    sg_collector_callbacks_discard();
    atomic_store(&handed_over, NULL);
    atomic_store(&are_types_wanted, false);
    /* The writer may have been in the middle of any change, so none of its memory is freed. */
    sg_trace_reader_after_fork_in_child();
    sg_trace_snapshot_after_fork_in_child();
    sg_trace_types_after_fork_in_child();
    sg_trace_names_after_fork_in_child();
    sg_trace_lanes_after_fork_in_child();
    atomic_store(&is_there, false);
}

struct sg_trace_status sg_trace_status(void) {
    status.pool_bytes = pools.pool_bytes;
    status.arena_bytes = pools.arena_bytes;
    status.n_without_lane = 0;
    for (int domain = 0; domain < SG_TRACE_N_DOMAINS; domain++)
        status.n_without_lane += sg_trace_lanes_without_lane((enum sg_trace_domain)domain);
    return status;
}

/* ---- Types of live objects ---- */

bool sg_trace_wants_types(void) {
    return atomic_load(&are_types_wanted) || sg_trace_types_have_candidates();
}

bool sg_trace_hand_over(void) {
    if (atomic_load(&handed_over))
        return false;
    next_page = n_passes = 0;
    has_learned = false;
    atomic_store(&are_types_wanted, true); /* before the worker can be done with them */
    atomic_store(&handed_over, sg_trace_reader_take_fresh());
    return true;
}

/* Write the types of the objects in a page, as marks in the lane of the thread that holds the GIL.
 * Objects with a mark are removed from the page. A page lies in one pool, which does not change
 * meanwhile. */
static void read_page(struct sg_trace_lane *lane, struct sg_fresh_page *page) {
    const uintptr_t begin = page->number << SG_FRESH_PAGE_BITS;
    struct sg_pool_blocks blocks;
    if (!sg_pools_find_blocks(&pools, begin, &blocks))
        return;
    for (unsigned bit = 0; bit < SG_FRESH_WORDS * 64; bit++) {
        uintptr_t block = begin | bit << SG_FRESH_UNIT_BITS;
        if (!(page->bits[bit / 64] >> bit % 64 & 1) || block < blocks.first || block >= blocks.end)
            continue;
        uint32_t offset = (uint32_t)(block - blocks.first) % blocks.block_bytes;
        uint32_t type =
            offset == pools.front_bytes
                ? sg_trace_types_of_live((const void *)block,
                                         blocks.block_bytes - offset - pools.front_bytes / 2)
                : 0;
        if (!type)
            continue;
        page->bits[bit / 64] &= ~(UINT64_C(1) << bit % 64);
        sg_trace_recorder_mark(lane, SG_MARK_TYPE, SG_TRACE_OBJ, block, type);
    }
}

void sg_trace_read_types(int64_t budget_ns) {
    const void *state;
    int64_t until_ns = sg_time_mono_ns() + budget_ns;
    struct sg_fresh_objects *fresh = atomic_load(&handed_over);
    if (fresh)
        has_learned |= sg_trace_types_have_candidates();
    sg_trace_types_learn_candidates(fresh && !next_page && !n_passes);
    if (!fresh)
        return; /* the writer may be handing over the next ones */
    struct sg_trace_lane *lane = sg_trace_hooks_enter(&state);
    if (lane && pools.arenas) {
        sg_pools_refresh(&pools);
        while (next_page < fresh->n && sg_time_mono_ns() < until_ns)
            read_page(lane, &fresh->pages[next_page++]);
        sg_trace_hooks_leave(lane);
        if (next_page < fresh->n)
            return;
        next_page = 0;
        bool is_again = has_learned || sg_trace_types_have_candidates();
        has_learned = false;
        if (is_again && ++n_passes < MOST_PASSES)
            return;
    }
    /* In this order: from the second store on, the writer may hand over the next ones. */
    atomic_store(&are_types_wanted, false);
    atomic_store(&handed_over, NULL);
}
