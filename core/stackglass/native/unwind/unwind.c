/* Makes, maintains and frees the tables of this room. */
#include "unwind/unwind.h"

#include <stdatomic.h>

#include "platform/time.h"
#include "unwind/forward.h"
#include "unwind/loop.h"
#include "unwind/merge.h"
#include "unwind/stack.h"
#include "unwind/tables.h"
#include "unwind/unwinder.h"

/* Used by the writer, and at the end by a job of the worker. The loop is CPython's evaluation
 * loop. */
static bool is_wanted, is_open, is_loop_known;
static const char *problem = "";
/* Whether the tables are being changed. A child that is forked meanwhile may find a pointer to
 * unmapped memory, where another thread has mapped its own since: the child unmaps nothing. */
static _Atomic bool is_changing;

static void begin_change(void) {
    atomic_store(&is_changing, true);
    atomic_signal_fence(memory_order_seq_cst);
}

static void end_change(void) {
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store(&is_changing, false);
}

static void open_tables(void) {
    const char *refused = sg_unwinder_problem();
    if (!refused && (sg_merge_prepare() || sg_unwind_tables_open() || sg_unwind_forward_open()))
        refused = "there is no memory for the tables of native stacks";
    problem = refused ? refused : "";
    is_open = !refused;
    sg_unwind_stack_prepare();
}

void sg_unwind_set_wanted(bool wanted) {
    is_wanted = wanted;
    if (!wanted || is_open) /* existing tables stay until sg_unwind_discard */
        return;
    begin_change();
    open_tables();
    end_change();
}

/* Find CPython's evaluation loop; called when the tables are ready. */
static void learn_loop(void) {
    const struct sg_unwind_map *map = sg_unwind_tables_enter();
    if (!map)
        return;
    sg_loop_learn(map);
    sg_unwind_tables_leave();
    is_loop_known = true;
}

bool sg_unwind_maintain(void) {
    if (!is_wanted || !is_open)
        return false;
    bool has_more = false;
    if (sg_unwind_tables_are_due()) {
        begin_change();
        has_more = sg_unwind_tables_maintain();
        end_change();
    }
    if (!is_loop_known && sg_unwind_tables_are_ready())
        learn_loop();
    /* This unmaps nothing but an index of rules, which clears its pointer first. */
    sg_unwind_forward_maintain(sg_time_mono_ns());
    return has_more;
}

bool sg_unwind_is_ready(void) { return is_wanted && is_open && is_loop_known; }

const char *sg_unwind_problem(void) { return is_wanted ? problem : ""; }

static void forget_state(void) {
    is_wanted = is_open = is_loop_known = false;
    sg_loop_forget();
    problem = "";
}

void sg_unwind_discard(void) {
    forget_state();
    begin_change();
    /* else a reader is still inside, and the rest must stay mapped */
    if (sg_unwind_tables_close()) {
        sg_unwind_forward_close();
        sg_merge_discard();
    }
    end_change();
}

void sg_unwind_after_fork_in_child(void) {
    bool is_whole = !atomic_exchange(&is_changing, false);
    sg_unwind_tables_after_fork_in_child(is_whole);
    if (is_whole) {
        sg_unwind_forward_close();
        sg_merge_discard();
    } else {
        sg_unwind_forward_forget();
        sg_merge_forget();
    }
    forget_state();
}
