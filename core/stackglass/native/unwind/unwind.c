/* Makes, maintains and frees the tables of this room. */
#include "unwind/unwind.h"

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

void sg_unwind_set_wanted(bool wanted) {
    is_wanted = wanted;
    if (!wanted || is_open) /* existing tables stay until sg_unwind_discard */
        return;
    const char *refused = sg_unwinder_problem();
    if (!refused && (sg_merge_prepare() || sg_unwind_tables_open() || sg_unwind_forward_open()))
        refused = "there is no memory for the tables of native stacks";
    problem = refused ? refused : "";
    is_open = !refused;
    sg_unwind_stack_prepare();
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
    bool has_more = sg_unwind_tables_maintain();
    if (!is_loop_known && sg_unwind_tables_are_ready())
        learn_loop();
    sg_unwind_forward_maintain(sg_time_mono_ns());
    return has_more;
}

bool sg_unwind_is_ready(void) { return is_wanted && is_open && is_loop_known; }

const char *sg_unwind_problem(void) { return is_wanted ? problem : ""; }

void sg_unwind_discard(void) {
    is_wanted = is_open = is_loop_known = false;
    sg_loop_forget();
    problem = "";
    /* else a reader is still inside, and the rest must stay mapped */
    if (sg_unwind_tables_close()) {
        sg_unwind_forward_close();
        sg_merge_discard();
    }
}

void sg_unwind_after_fork_in_child(void) {
    sg_unwind_tables_after_fork_in_child();
    sg_unwind_forward_close();
    sg_merge_discard();
    is_wanted = is_open = is_loop_known = false;
    sg_loop_forget();
    problem = "";
}
