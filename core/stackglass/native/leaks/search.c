/* A reachability analysis, iterated until nothing changes, as Go's leak profile does it.
 *
 *     explain   subtract the references from frames of waiting threads and from their C calls
 *     roots     objects with references that are still unexplained, and all they reach, are LIVE
 *     wake      if a thread waits for a LIVE lock, all that its frames hold becomes LIVE; repeat
 *     dead      other objects are HELD by waiting threads, or GARBAGE; what callbacks of weak
 *               references to mortal objects lead to is LIVE; a thread that waits for garbage is
 *               woken, since a finalizer may wake it; repeat from `wake`
 *     report    threads that were never woken; tasks that are not LIVE, after all that finalizers
 *               of garbage reach was marked LIVE
 *
 * Some references are not followed (SG_OBJECT_FILTERED): a Thread that is not live is not reached
 * through the lists that threading keeps, nor its lock through the arguments that the Thread was
 * started with. */
#include "leaks/search.h"

#include <stdlib.h>

#include "leaks/bookkeeping.h"
#include "leaks/graph.h"
#include "leaks/references.h"
#include "leaks/thread_references.h"

/* A thread that may turn out to be leaked. */
struct waiter {
    struct sg_leak_thread *row;
    struct sg_kept_thread kept;
    size_t first, end; /* its rows in `references`: first <= row < end */
    bool is_live;      /* it may be woken */
    /* Bound methods of its lock that are not explained, if it is the first that waits for it. */
    uint32_t n_enters, n_exits;
};

struct state {
    struct sg_leak_search *search;
    struct sg_graph graph;
    struct sg_books books;
    struct sg_thread_references references; /* of all waiters */
    struct waiter *waiters;                 /* (n_waiters,); owned */
    size_t n_waiters;
};

/* ---- Edges ---- */

/* One visit of a FILTERED object; passes the references that are followed on to `visit`. */
struct filter {
    const struct state *state;
    const struct waiter *waiter; /* the object is its Thread; NULL = it is threading._active */
    visitproc visit;
    void *argument;
    /* Each start value is left out only once, because other attributes may have the same value. */
    bool is_left_out[SG_N_START_VALUES];
};

static const struct waiter *find_waiter(const struct state *state, const PyObject *object) {
    for (size_t i = 0; i < state->n_waiters; i++) {
        const struct waiter *waiter = &state->waiters[i];
        if (object && (waiter->kept.thread == object || waiter->kept.attributes == object))
            return waiter;
    }
    return NULL;
}

static int visit_filtered(PyObject *object, void *context) {
    struct filter *filter = context;
    if (!filter->waiter) {
        const struct waiter *listed =
            sg_graph_has(&filter->state->graph, object, SG_OBJECT_FILTERED)
                ? find_waiter(filter->state, object)
                : NULL;
        return listed && !listed->is_live ? 0 : filter->visit(object, filter->argument);
    }
    for (int i = 0; object && i < SG_N_START_VALUES; i++) {
        if (filter->waiter->kept.start[i] == object && !filter->is_left_out[i]) {
            filter->is_left_out[i] = true;
            return 0;
        }
    }
    return filter->visit(object, filter->argument);
}

static void visit_edges(void *context, PyObject *object, visitproc visit, void *argument) {
    const struct state *state = context;
    struct filter filter = {.state = state, .visit = visit, .argument = argument};
    if (!sg_graph_has(&state->graph, object, SG_OBJECT_FILTERED)) {
        /* A weak reference leads to its object only if it is live itself, and not if it is only in
         * a set of all threads or tasks. */
        bool is_live = state->graph.flag == SG_OBJECT_LIVE;
        PyObject *callback, *weak = is_live ? sg_references_weak(object, &callback) : NULL;
        sg_references_visit(object, visit, argument);
        if (weak)
            visit(weak, argument);
        return;
    }
    if (sg_bookkeeping_has_weak_set(&state->books, object))
        return;
    filter.waiter = find_waiter(state, object);
    bool is_filtered = filter.waiter ? !filter.waiter->is_live : object == state->books.active;
    if (is_filtered)
        sg_references_visit(object, visit_filtered, &filter);
    else
        sg_references_visit(object, visit, argument);
}

static void filter_edges_of(struct state *state, PyObject *object) {
    struct sg_object_entry *entry = sg_graph_find(&state->graph, object);
    if (entry)
        entry->flags |= SG_OBJECT_FILTERED;
}

/* ---- What waiting threads hold ---- */

static bool add_waiters(struct state *state) {
    struct sg_leak_search *search = state->search;
    state->waiters = calloc(search->n_threads + 1, sizeof *state->waiters);
    for (size_t i = 0; state->waiters && i < search->n_threads; i++) {
        struct waiter waiter = {.row = &search->threads[i], .first = state->references.n};
        if (!sg_thread_references_add(&state->references, waiter.row->thread)) {
            state->references.n = waiter.first;
            continue;
        }
        waiter.end = state->references.n;
        waiter.kept = sg_bookkeeping_find_thread(&state->books, waiter.row->ident);
        state->waiters[state->n_waiters++] = waiter;
    }
    return state->waiters != NULL;
}

static void explain_waiters(struct state *state) {
    struct sg_graph *graph = &state->graph;
    for (size_t i = 0; i < state->n_waiters; i++) {
        struct waiter *waiter = &state->waiters[i];
        for (size_t at = waiter->first; at < waiter->end; at++)
            sg_graph_explain(graph, (PyObject *)state->references.at[at]);
        filter_edges_of(state, waiter->kept.thread);
        filter_edges_of(state, waiter->kept.attributes);
    }
    filter_edges_of(state, state->books.active);
    for (int i = 0; i < SG_N_WEAK_SETS; i++)
        filter_edges_of(state, state->books.weak_sets[i]);
}

/* Return the first thread that waits for `lock`; NULL = none. */
static struct waiter *find_first_of(const struct state *state, const PyObject *lock) {
    for (size_t i = 0; i < state->n_waiters; i++) {
        if (state->waiters[i].row->lock == lock)
            return &state->waiters[i];
    }
    return NULL;
}

static struct sg_object_entry *next_object(const struct state *state, size_t *at) {
    return sg_hash_table_next(&state->graph.objects, at);
}

static void explain_call(struct sg_object_entry *entry) {
    entry->unexplained = 0;
    entry->flags |= SG_OBJECT_CALLED;
}

/* Explain the __exit__ of threads that wait in a `with`. A thread that runs the block of a `with`
 * has one, too: it will release the lock. So there must not be more of them than of __enter__. */
static void explain_exits(struct state *state) {
    struct sg_object_entry *entry;
    PyObject *lock;
    for (size_t at = 0; (entry = next_object(state, &at));) {
        if (entry->unexplained != 1 ||
            sg_bookkeeping_lock_method((PyObject *)entry->object, &lock) != SG_LOCK_EXITS)
            continue;
        const struct waiter *waiter = find_first_of(state, lock);
        if (waiter && waiter->n_exits <= waiter->n_enters)
            explain_call(entry);
    }
}

/* Explain the bound methods to which only C code refers: Thread._bootstrap of a waiting thread, and
 * the methods by which a thread acquires the lock that it waits for. */
static void explain_calls(struct state *state) {
    struct sg_object_entry *entry;
    for (size_t at = 0; (entry = next_object(state, &at));) {
        PyObject *object = (PyObject *)entry->object, *lock;
        if (entry->unexplained != 1)
            continue;
        enum sg_lock_method method = sg_bookkeeping_lock_method(object, &lock);
        struct waiter *waiter = method ? find_first_of(state, lock) : NULL;
        if (waiter) {
            waiter->n_enters += method == SG_LOCK_ENTERS;
            waiter->n_exits += method == SG_LOCK_EXITS;
        }
        if ((waiter && method != SG_LOCK_EXITS) ||
            find_waiter(state, sg_bookkeeping_started_by(&state->books, object)))
            explain_call(entry);
    }
    explain_exits(state);
}

/* ---- Marking ---- */

static void mark_roots(struct state *state) {
    const struct sg_object_entry *entry;
    for (size_t at = 0; (entry = next_object(state, &at));)
        if (entry->unexplained)
            sg_graph_mark(&state->graph, (PyObject *)entry->object, SG_OBJECT_LIVE, 0);
}

static void mark_held(struct state *state, const struct waiter *waiter, uint32_t flag,
                      uint32_t stops_at) {
    for (size_t at = waiter->first; at < waiter->end; at++)
        sg_graph_mark(&state->graph, (PyObject *)state->references.at[at], flag, stops_at);
    for (int i = 0; i < SG_N_START_VALUES; i++)
        sg_graph_mark(&state->graph, waiter->kept.start[i], flag, stops_at);
    sg_graph_mark(&state->graph, waiter->kept.thread, flag, stops_at);
}

/* Wake the threads that wait for a lock with one of the `flags`: mark what they hold LIVE, and
 * repeat until no further thread is woken. Returns whether any thread was woken. */
static bool wake(struct state *state, uint32_t flags) {
    bool is_any = false, is_new;
    do {
        is_new = false;
        for (size_t i = 0; i < state->n_waiters; i++) {
            struct waiter *waiter = &state->waiters[i];
            if (waiter->is_live || !sg_graph_has(&state->graph, waiter->row->lock, flags))
                continue;
            waiter->is_live = is_new = is_any = true;
            mark_held(state, waiter, SG_OBJECT_LIVE, 0);
        }
    } while (is_new && !state->graph.problem);
    return is_any;
}

static void clear_flags(struct state *state, uint32_t flags) {
    struct sg_object_entry *entry;
    for (size_t at = 0; (entry = next_object(state, &at));)
        entry->flags &= ~flags;
}

/* Mark HELD what only leaked threads hold, and GARBAGE what nothing holds: the next collection
 * frees such objects, and their finalizers may wake a thread. */
static void mark_dead(struct state *state) {
    const struct sg_object_entry *entry;
    clear_flags(state, SG_OBJECT_HELD | SG_OBJECT_GARBAGE);
    for (size_t i = 0; i < state->n_waiters; i++) {
        if (!state->waiters[i].is_live)
            mark_held(state, &state->waiters[i], SG_OBJECT_HELD, SG_OBJECT_LIVE);
    }
    for (size_t at = 0; (entry = next_object(state, &at));)
        if (!(entry->flags & (SG_OBJECT_LIVE | SG_OBJECT_HELD | SG_OBJECT_CALLED)))
            sg_graph_mark(&state->graph, (PyObject *)entry->object, SG_OBJECT_GARBAGE,
                          SG_OBJECT_LIVE);
}

/* Whether the object of a weak reference with these `flags` may die, so that the callback is
 * called: the program may drop what is live, and a collection frees garbage, but calls no callback
 * that is garbage itself. What only leaked threads hold stays. */
static bool may_die_first(const struct state *state, const void *object, uint32_t flags) {
    const struct sg_object_entry *entry = sg_graph_find(&state->graph, object);
    if (!entry || entry->flags & SG_OBJECT_LIVE)
        return true;
    return flags & SG_OBJECT_HELD && entry->flags & SG_OBJECT_GARBAGE;
}

/* Mark LIVE what the callbacks of weak references lead to: they are called when the reference's
 * object dies, also if nothing live refers to the reference. Returns whether any was marked. */
static bool mark_callbacks(struct state *state) {
    const struct sg_object_entry *entry;
    bool is_any = false;
    for (size_t at = 0; (entry = next_object(state, &at));) {
        PyObject *callback = NULL, *object;
        if (entry->flags & SG_OBJECT_LIVE || !(entry->flags & SG_OBJECT_CONTAINER))
            continue;
        object = sg_references_weak((PyObject *)entry->object, &callback);
        if (!callback || !sg_graph_find(&state->graph, callback) ||
            sg_graph_has(&state->graph, callback, SG_OBJECT_LIVE) ||
            !may_die_first(state, object, entry->flags))
            continue;
        is_any = true;
        sg_graph_mark(&state->graph, callback, SG_OBJECT_LIVE, 0);
    }
    return is_any;
}

static void judge_threads(struct state *state) {
    do {
        wake(state, SG_OBJECT_LIVE);
        mark_dead(state);
    } while (!state->graph.problem && (mark_callbacks(state) || wake(state, SG_OBJECT_GARBAGE)));
}

/* ---- Tasks ---- */

/* Mark LIVE what finalizers of garbage can reach: they may set the result that a task awaits. */
static void mark_finalized(struct state *state) {
    const struct sg_object_entry *entry;
    for (size_t at = 0; (entry = next_object(state, &at));)
        if (!(entry->flags & (SG_OBJECT_LIVE | SG_OBJECT_HELD)) &&
            entry->flags & SG_OBJECT_CONTAINER &&
            sg_bookkeeping_has_finalizer((PyObject *)entry->object))
            sg_graph_mark(&state->graph, (PyObject *)entry->object, SG_OBJECT_LIVE, 0);
}

static void report(struct state *state) {
    struct sg_leak_search *search = state->search;
    for (size_t i = 0; i < state->n_waiters; i++)
        state->waiters[i].row->is_leaked = !state->waiters[i].is_live;
    mark_finalized(state);
    for (size_t i = 0; i < search->n_tasks; i++) {
        struct sg_leak_task *row = &search->tasks[i];
        row->is_leaked = sg_graph_find(&state->graph, row->task) &&
                         !sg_graph_has(&state->graph, row->task, SG_OBJECT_LIVE);
    }
}

/* ---- The whole search ---- */

static void judge(struct state *state) {
    explain_waiters(state);
    explain_calls(state);
    mark_roots(state);
    judge_threads(state);
    if (!state->graph.problem)
        report(state);
}

bool sg_leak_search_run(struct sg_leak_search *search, int64_t end_cpu_ns) {
    search->problem = NULL;
    if (!search->n_threads && !search->n_tasks)
        return true;
    struct state state = {.search = search, .books = sg_bookkeeping_find()};
    state.graph.objects.entry_bytes = sizeof(struct sg_object_entry);
    state.graph.visit = visit_edges;
    state.graph.context = &state;
    search->problem = add_waiters(&state) ? NULL : "memory ran out";
    /* The locks are added before the build, because the collector does not list all of them. */
    for (size_t i = 0; i < state.n_waiters; i++)
        sg_graph_add(&state.graph, (PyObject *)state.waiters[i].row->lock);
    bool is_done = search->problem || sg_graph_build(&state.graph, end_cpu_ns);
    if (is_done && !search->problem && !state.graph.problem)
        judge(&state);
    if (!search->problem)
        search->problem = state.graph.problem;
    search->n_objects = state.graph.objects.n;
    for (size_t i = 0; search->problem && i < search->n_threads; i++)
        search->threads[i].is_leaked = false;
    sg_graph_free(&state.graph);
    free(state.references.at);
    free(state.waiters);
    return is_done;
}
