/* Incremental walk of the collector's lists.
 *
 *     marks   end = [sign], place = []: Python lists of the engine, moved by relinking their nodes
 *
 *     walk_part, from `place` to `end`
 *         SLICE_ENDS     `place` moves to just before the object that comes next
 *         LIST_ENDS      if `sign` is still before `end`, the next list follows. If not, this list
 *                        was collected: a younger list is gone; in the oldest, `end` moves on
 *                        (extend)
 *         LIST_IS_GONE   a list's head was met, so `end` is in another list: the next list follows,
 *                        but the oldest list is walked again
 *
 * The MAX_ constants bound everything that is repeated. */
#include "objects/collector_walk.h"

#include <Python.h>

#include <string.h>

#include "interpreter/debug_offsets.h"
#include "platform/time.h"

enum {
    MAX_RESTARTS = 8,   /* of the oldest list, from its head */
    MAX_COLLECTED = 64, /* full collections while the oldest list is walked */
    MAX_ROUNDS = 4,     /* through the old lists of an incremental collector */
    MAX_IDLE = 2000,    /* slices in a row that found a collection running */
    STEPS_A_LOOK = 32,  /* between two readings of the clock */
    FIRST_OLD_LIST = 1,
    LAST_MINOR_WITHOUT_PAUSE = 9, /* on 3.9 a job cannot pause the collector */
};

bool sg_collector_walk_step(struct sg_collector_walk *walk) {
    if (!walk->n_left)
        return false;
    walk->n_left--;
    return walk->n_left % STEPS_A_LOOK || sg_time_mono_ns() < walk->deadline_ns;
}

void sg_collector_walk_hurry(struct sg_collector_walk *walk) {
    if (walk->n_left)
        walk->n_left -= (walk->n_left - 1) % STEPS_A_LOOK;
}

bool sg_collector_walk_is_among_old(const struct sg_collector_walk *walk) {
    return walk->list >= FIRST_OLD_LIST;
}

/* ---- The walk's marks in the lists ---- */

/* Make the list [content], or an empty list; NULL if memory runs out. */
static PyObject *make_mark(PyObject *content) {
    PyObject *mark = PyList_New(content != NULL);
    if (mark && content) {
        Py_INCREF(content);
        PyList_SetItem(mark, 0, content); /* steals it */
    }
    return mark;
}

static bool make_marks(struct sg_collector_walk *walk) {
    PyObject *place = make_mark(NULL);
    PyObject *sign = walk->lists.is_incremental ? place : make_mark(NULL);
    PyObject *end = place && sign ? make_mark(sign) : NULL;
    if (sign != place)
        Py_XDECREF(sign);
    if (!end) {
        Py_XDECREF(place);
        PyErr_Clear();
        return false;
    }
    walk->place_mark = place;
    walk->sign_mark = sign;
    walk->end_mark = end;
    if (sign == place)
        Py_DECREF(place); /* the end mark keeps it */
    return true;
}

void sg_collector_walk_abandon(struct sg_collector_walk *walk) {
    PyObject *end = walk->end_mark;
    PyObject *place = walk->place_mark == walk->sign_mark ? NULL : walk->place_mark;
    walk->end_mark = walk->place_mark = walk->sign_mark = NULL;
    Py_XDECREF(end);
    Py_XDECREF(place);
}

/* Whether the marks are as they were made. The program may have found and changed them. */
static bool has_marks(const struct sg_collector_walk *walk) {
    return walk->end_mark && PyList_Size(walk->end_mark) == 1 &&
           PyList_GetItem(walk->end_mark, 0) == walk->sign_mark;
}

/* ---- The lists, one after the other ---- */

static void finish(struct sg_collector_walk *walk, const char *problem) {
    sg_collector_walk_abandon(walk);
    walk->problem = problem;
    walk->is_over = true;
}

static void begin_list(struct sg_collector_walk *walk, int list) {
    walk->list = list;
    sg_collector_lists_move_node(sg_collector_list_node(walk->end_mark), walk->lists.heads[list]);
    sg_collector_lists_move_node(sg_collector_list_node(walk->sign_mark),
                                 sg_collector_list_node(walk->end_mark));
    sg_collector_lists_move_node(sg_collector_list_node(walk->place_mark),
                                 sg_collector_list_next(walk->lists.heads[list]));
}

const char *sg_collector_walk_begin(struct sg_collector_walk *walk) {
    memset(walk, 0, sizeof *walk);
    walk->is_whole = true;
    const char *problem = sg_collector_lists_find(&walk->lists);
    if (problem)
        return problem;
    if (!make_marks(walk))
        return "there is no memory for a walk of the objects";
    /* The mark made last is the youngest object: this proves that these are the lists. */
    const struct sg_collector_node *young = walk->lists.heads[0];
    if (young->prev != (uintptr_t)sg_collector_list_node(walk->end_mark)) {
        sg_collector_walk_abandon(walk);
        return "the collector's lists are not where they are expected";
    }
    begin_list(walk, 0);
    return NULL;
}

enum outcome { SLICE_ENDS, LIST_ENDS, LIST_IS_GONE };

/* Whether no collection has gone through the list that is walked. */
static bool is_in_order(const struct sg_collector_walk *walk) {
    return walk->sign_mark == walk->place_mark ||
           sg_collector_list_next(sg_collector_list_node(walk->sign_mark)) ==
               sg_collector_list_node(walk->end_mark);
}

/* Move the end mark behind unseen objects, which a full collection may have moved behind the mark.
 * Returns false if this has happened too often. */
static bool extend(struct sg_collector_walk *walk) {
    struct sg_collector_node *end = sg_collector_list_node(walk->end_mark);
    walk->n_restarts++;
    if (++walk->n_extended > MAX_COLLECTED) {
        walk->is_whole = false;
        return false;
    }
    sg_collector_lists_move_node(sg_collector_list_node(walk->place_mark), end);
    sg_collector_lists_move_node(end, walk->lists.heads[SG_OLDEST_LIST]);
    sg_collector_lists_move_node(sg_collector_list_node(walk->sign_mark), end);
    return true;
}

/* Walk from the place mark to the end mark. */
static enum outcome walk_part(struct sg_collector_walk *walk, sg_collector_see_fn *see,
                              void *context) {
    struct sg_collector_node *end = sg_collector_list_node(walk->end_mark),
                             *place = sg_collector_list_node(walk->place_mark),
                             *sign = sg_collector_list_node(walk->sign_mark);
    struct sg_collector_node *const *heads = walk->lists.heads;
    struct sg_collector_node *node = sg_collector_list_next(place);
    while (node != end) {
        if (node == heads[0] || node == heads[1] || node == heads[2] || node == heads[3])
            return LIST_IS_GONE;
        __builtin_prefetch(sg_collector_list_next(node));
        if (node != place && node != sign &&
            (!sg_collector_walk_step(walk) || !see(context, node))) {
            sg_collector_lists_move_node(place, node);
            return SLICE_ENDS;
        }
        node = sg_collector_list_next(node);
    }
    return LIST_ENDS;
}

static enum outcome walk_list(struct sg_collector_walk *walk, sg_collector_see_fn *see,
                              void *context) {
    for (;;) {
        enum outcome outcome = walk_part(walk, see, context);
        if (outcome != LIST_ENDS || is_in_order(walk))
            return outcome;
        if (walk->list < SG_OLDEST_LIST)
            return LIST_IS_GONE;
        if (!extend(walk))
            return LIST_ENDS;
    }
}

/* Return the next list to walk; -1 = none. */
static int choose_list(struct sg_collector_walk *walk, enum outcome outcome) {
    if (outcome == LIST_IS_GONE && walk->list >= SG_OLDEST_LIST) {
        walk->n_restarts++;
        if (++walk->n_begun_again <= MAX_RESTARTS)
            return walk->lists.is_incremental ? FIRST_OLD_LIST : SG_OLDEST_LIST;
        walk->is_whole = false;
    }
    if (walk->list < SG_FROZEN_LIST)
        return walk->list + 1;
    if (!walk->lists.is_incremental || !walk->n_new)
        return -1;
    bool is_last = ++walk->round == MAX_ROUNDS;
    walk->is_whole &= !is_last;
    walk->n_new = 0;
    return is_last ? -1 : FIRST_OLD_LIST;
}

void sg_collector_walk_set_limits(struct sg_collector_walk *walk, int64_t budget_ns,
                                  uint64_t max_steps) {
    walk->deadline_ns = sg_time_mono_ns() + budget_ns;
    walk->n_left = max_steps;
}

/* Keep collections from beginning, as if one was running, or let them begin again. A visit may make
 * an object that the collector tracks; a collection would then free objects in the middle of it. */
static void hold_collector(const struct sg_collector_walk *walk, bool is_held) {
    if (sg_debug_offsets.minor <= LAST_MINOR_WITHOUT_PAUSE)
        *walk->lists.collecting = is_held;
}

/* Walk until the slice ends. Returns whether the walk goes on after it. */
static bool walk_slice(struct sg_collector_walk *walk, sg_collector_see_fn *see, void *context) {
    for (;;) {
        enum outcome outcome = walk_list(walk, see, context);
        if (outcome == SLICE_ENDS)
            return true;
        int next = choose_list(walk, outcome);
        if (next < 0)
            return false;
        begin_list(walk, next);
    }
}

void sg_collector_walk_go_on(struct sg_collector_walk *walk, sg_collector_see_fn *see,
                             void *context) {
    if (*walk->lists.collecting) {
        if (++walk->n_idle > MAX_IDLE)
            finish(walk, "a garbage collection was running all the time");
        return;
    }
    if (!has_marks(walk)) {
        finish(walk, "the program has removed the marks that the walk puts among its objects");
        return;
    }
    walk->n_idle = 0;
    hold_collector(walk, true);
    bool goes_on = walk_slice(walk, see, context);
    hold_collector(walk, false);
    if (!goes_on)
        finish(walk, NULL);
}
