/* A walk of the collector's lists, in slices: see census.h. */
#include "census.h"

#include <Python.h>

#include <string.h>

#include "census_references.h"
#include "heap.h"
#include "memory.h"
#include "wakeup.h"

enum {
    OBJECT_TYPE = 8,
    MAX_RESTARTS = 8,
    MAX_ROUNDS = 4,    /* through the old lists of an incremental collector */
    MAX_IDLE = 2000,   /* slices that found a collection under way, one after the other */
    STEPS_A_LOOK = 32, /* between two looks at the clock */
    FIRST_OLD_LIST = 1,
};

struct sg_census sg_census; /* see census.h for whose it is when */

/* Guarded by the GIL. */
static PyObject *end_mark;   /* E: [C]; owned */
static PyObject *place_mark; /* C; borrowed: E's */

bool sg_census_step(struct sg_census *census) {
    if (!census->n_left)
        return false;
    census->n_left--;
    return census->n_left % STEPS_A_LOOK || sg_mono_ns() < census->deadline_ns;
}

/* ---- Our two objects ---- */

static bool make_marks(void) {
    PyObject *place = PyList_New(0);
    PyObject *end = place ? PyList_New(1) : NULL;
    if (!end) {
        Py_XDECREF(place);
        PyErr_Clear();
        return false;
    }
    PyList_SetItem(end, 0, place); /* steals it */
    end_mark = end;
    place_mark = place;
    return true;
}

void sg_census_abandon(void) {
    Py_CLEAR(end_mark);
    place_mark = NULL;
}

/* Could the program have got hold of them, and done something to them? */
static bool has_marks(void) {
    return end_mark && PyList_Size(end_mark) == 1 && PyList_GetItem(end_mark, 0) == place_mark;
}

/* ---- The walk ---- */

static void finish(struct sg_census *census, const char *problem) {
    sg_census_abandon();
    census->problem = problem;
    census->is_done = true;
    census->end_mono_ns = sg_mono_ns();
}

static void begin_list(struct sg_census *census, int list) {
    census->list = list;
    sg_node_move(sg_node_of(end_mark), census->lists.heads[list]);
    sg_node_move(sg_node_of(place_mark), sg_next_node(census->lists.heads[list]));
}

static const char *begin(struct sg_census *census) {
    struct sg_heap_status heap;
    memset(census, 0, sizeof *census);
    census->is_open = true;
    census->is_whole = true;
    census->start_mono_ns = sg_mono_ns();
    const char *problem = sg_collector_lists_find(&census->lists);
    if (!problem)
        problem = sg_census_types_prepare();
    if (problem)
        return problem;
    if (!make_marks())
        return "there is no memory for a census";
    /* What has just been made is the youngest there is: so these are the lists indeed. */
    const struct sg_collector_node *young = census->lists.heads[0];
    if (young->prev != (uintptr_t)sg_node_of(end_mark))
        return "the collector's lists are not where they should be";
    sg_heap_status(&heap);
    census->has_blocks = heap.is_hooked && heap.n_blocks;
    if (census->has_blocks)
        sg_census_blocks_prepare(&census->blocks, heap.n_blocks);
    begin_list(census, 0);
    return NULL;
}

/* False = the slice has to end, and comes back to this object. */
static bool see(struct sg_census *census, struct sg_collector_node *node) {
    void *object = sg_object_of(node);
    bool is_resumed = census->place.node == node;
    bool is_new = sg_address_set_add(&census->seen, (uintptr_t)node);
    if (!is_new && !is_resumed)
        return true;
    const struct sg_known_type *known =
        sg_census_type(&census->types, sg_load((uintptr_t)object + OBJECT_TYPE));
    if (is_new && known->row != SG_NO_TYPE) {
        struct sg_census_row *row = &census->types.rows[known->row];
        row->count++;
        row->bytes += sg_census_size(known, object);
        census->n_objects++;
        census->n_new += census->list >= FIRST_OLD_LIST;
    }
    if (!census->has_blocks)
        return true;
    if (!is_resumed)
        census->place = (struct sg_census_place){.node = node};
    if (!sg_census_follow(census, known, object))
        return false;
    census->place.node = NULL;
    return true;
}

enum outcome { SLICE_ENDS, LIST_ENDS, LIST_IS_GONE };

static enum outcome walk_list(struct sg_census *census) {
    struct sg_collector_node *end = sg_node_of(end_mark), *place = sg_node_of(place_mark);
    struct sg_collector_node *const *heads = census->lists.heads;
    struct sg_collector_node *node = sg_next_node(place);
    while (node != end) {
        if (node == heads[0] || node == heads[1] || node == heads[2] || node == heads[3])
            return LIST_IS_GONE;
        __builtin_prefetch(sg_next_node(node));
        if (node != place && (!sg_census_step(census) || !see(census, node))) {
            sg_node_move(place, node);
            return SLICE_ENDS;
        }
        node = sg_next_node(node);
    }
    return LIST_ENDS;
}

/* The list that is to be walked next; -1 = none. */
static int choose_list(struct sg_census *census, enum outcome outcome) {
    if (outcome == LIST_IS_GONE && census->list >= SG_OLDEST_LIST) {
        if (++census->n_restarts <= MAX_RESTARTS)
            return census->lists.is_incremental ? FIRST_OLD_LIST : SG_OLDEST_LIST;
        census->is_whole = false;
    }
    if (census->list < SG_FROZEN_LIST)
        return census->list + 1;
    if (!census->lists.is_incremental || !census->n_new)
        return -1;
    bool is_last = ++census->round == MAX_ROUNDS;
    census->is_whole &= !is_last;
    census->n_new = 0;
    return is_last ? -1 : FIRST_OLD_LIST;
}

static void walk(struct sg_census *census) {
    for (;;) {
        enum outcome outcome = walk_list(census);
        if (outcome == SLICE_ENDS)
            return;
        int next = choose_list(census, outcome);
        if (next < 0) {
            census->is_whole &= !census->seen.is_full;
            finish(census, NULL);
            return;
        }
        begin_list(census, next);
    }
}

void sg_census_go_on(int64_t budget_ns, uint64_t max_steps) {
    struct sg_census *census = &sg_census;
    int64_t now_ns = sg_mono_ns();
    const char *problem = census->is_open ? NULL : begin(census);
    if (problem || census->is_done) {
        finish(census, problem);
        return;
    }
    census->n_slices++;
    if (*census->lists.collecting) {
        if (++census->n_idle > MAX_IDLE)
            finish(census, "a collection has been under way all the time");
        return;
    }
    if (!has_marks()) {
        finish(census, "the program has taken our marks among its objects away");
        return;
    }
    census->n_idle = 0;
    census->deadline_ns = now_ns + budget_ns;
    census->n_left = max_steps;
    sg_census_types_begin_slice(&census->types);
    walk(census);
}

void sg_census_clear(void) {
    sg_address_set_clear(&sg_census.seen);
    sg_census_types_clear(&sg_census.types);
    sg_census_blocks_clear(&sg_census.blocks);
    memset(&sg_census, 0, sizeof sg_census);
}

void sg_census_after_fork_in_child(void) {
    memset(&sg_census, 0, sizeof sg_census);
    end_mark = NULL;
    place_mark = NULL;
}
