/* Reference counts less the references that are found, as the collector computes them.
 *
 *     add        every listed container, with its reference count
 *     explain    tp_traverse of each: every visit lowers the object's `unexplained` by one, and
 *                adds the object if it is an untracked container
 *     mark       depth-first from an object, with a stack of its own (pending), not by recursion
 *
 * The tp_traverse of a generator also visits references that the generator only borrows; they are
 * not in the objects' counts, so `take_back` undoes their effect. The CPU clock is read every 1024
 * steps. If `problem` is set, the graph is incomplete and must not be used. */
#include "leaks/graph.h"

#include "leaks/references.h"
#include "objects/collector_lists.h"
#include "objects/reference_names.h"
#include "platform/time.h"

enum { STEPS_PER_LOOK = 1024 /* between two readings of the clock */ };

static const char NO_MEMORY[] = "memory ran out", TOO_LONG[] = "it took too long",
                  TOO_MANY[] = "there are too many objects";

static bool goes_on(struct sg_graph *graph) {
    if (++graph->n_steps % STEPS_PER_LOOK == 0 && !graph->problem &&
        (int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) >= graph->end_cpu_ns)
        graph->problem = TOO_LONG;
    return !graph->problem;
}

static void push(struct sg_graph *graph, PyObject *object) {
    if (!SG_ROWS_ADD(&graph->pending, object))
        graph->problem = NO_MEMORY;
}

static PyObject *pop(struct sg_graph *graph) { return graph->pending.at[--graph->pending.n]; }

/* ---- Building ---- */

struct sg_object_entry *sg_graph_find(const struct sg_graph *graph, const void *object) {
    return sg_hash_table_find(&graph->objects, (uintptr_t)object);
}

struct sg_object_entry *sg_graph_add(struct sg_graph *graph, PyObject *object) {
    struct sg_object_entry *entry = sg_graph_find(graph, object);
    if (entry)
        return entry;
    entry = sg_hash_table_add(&graph->objects, (uintptr_t)object);
    if (entry)
        entry->unexplained = sg_references_count(object);
    else
        graph->problem = NO_MEMORY;
    return entry;
}

static struct sg_object_entry *find_or_discover(struct sg_graph *graph, PyObject *object) {
    struct sg_object_entry *entry = sg_graph_find(graph, object);
    if (entry || !sg_reference_names_is_untracked_container(object))
        return entry;
    entry = sg_graph_add(graph, object);
    if (entry) {
        entry->flags |= SG_OBJECT_CONTAINER;
        push(graph, object);
    }
    return entry;
}

static int explain(PyObject *object, void *context) {
    struct sg_object_entry *entry = object ? find_or_discover(context, object) : NULL;
    if (entry)
        entry->unexplained--;
    return 0;
}

/* Undo `explain` for a reference that a generator borrows: no reference count includes it. */
static int take_back(PyObject *object, void *context) {
    struct sg_object_entry *entry = find_or_discover(context, object);
    if (entry)
        entry->unexplained++;
    return 0;
}

static void explain_from(struct sg_graph *graph, PyObject *object) {
    sg_references_visit(object, explain, graph);
    sg_references_visit_borrowed(object, take_back, graph);
}

static void explain_pending(struct sg_graph *graph) {
    while (graph->pending.n && goes_on(graph))
        explain_from(graph, pop(graph));
}

void sg_graph_explain(struct sg_graph *graph, PyObject *object) {
    explain(object, graph);
    explain_pending(graph);
}

static size_t count(const struct sg_collector_lists *lists) {
    size_t n = 0;
    for (int i = 0; i < SG_N_COLLECTOR_LISTS; i++) {
        const struct sg_collector_node *head = lists->heads[i], *at = sg_collector_list_next(head);
        for (; at != head; at = sg_collector_list_next(at))
            n++;
    }
    return n;
}

static void visit_all(struct sg_graph *graph, const struct sg_collector_lists *lists,
                      void (*visit)(struct sg_graph *graph, PyObject *object)) {
    for (int i = 0; i < SG_N_COLLECTOR_LISTS; i++) {
        struct sg_collector_node *head = lists->heads[i], *at = sg_collector_list_next(head);
        for (; at != head && goes_on(graph); at = sg_collector_list_next(at))
            visit(graph, sg_collector_list_object(at));
    }
}

static void add_container(struct sg_graph *graph, PyObject *object) {
    struct sg_object_entry *entry = sg_graph_add(graph, object);
    if (entry)
        entry->flags |= SG_OBJECT_CONTAINER;
}

bool sg_graph_build(struct sg_graph *graph, int64_t end_cpu_ns) {
    struct sg_collector_lists lists;
    graph->end_cpu_ns = end_cpu_ns;
    graph->problem = sg_collector_lists_find(&lists);
    if (graph->problem)
        return true;
    if (*lists.collecting)
        return false;
    size_t n = count(&lists);
    if (n > SG_GRAPH_MOST_OBJECTS)
        graph->problem = TOO_MANY;
    else if (!sg_hash_table_reserve(&graph->objects, n))
        graph->problem = NO_MEMORY;
    if (graph->problem)
        return true;
    sg_references_prepare();
    visit_all(graph, &lists, add_container);
    visit_all(graph, &lists, explain_from);
    explain_pending(graph);
    return true;
}

/* ---- Marking ---- */

static int mark_one(PyObject *object, void *context) {
    struct sg_graph *graph = context;
    struct sg_object_entry *entry = sg_graph_find(graph, object);
    if (!entry || entry->flags & (graph->flag | graph->stops_at))
        return 0;
    entry->flags |= graph->flag;
    if (entry->flags & SG_OBJECT_CONTAINER)
        push(graph, object);
    return 0;
}

void sg_graph_mark(struct sg_graph *graph, PyObject *object, uint32_t flag, uint32_t stops_at) {
    graph->flag = flag;
    graph->stops_at = stops_at;
    mark_one(object, graph);
    while (graph->pending.n && goes_on(graph))
        graph->visit(graph->context, pop(graph), mark_one, graph);
}

bool sg_graph_has(const struct sg_graph *graph, const void *object, uint32_t flags) {
    const struct sg_object_entry *entry = sg_graph_find(graph, object);
    return entry && entry->flags & flags;
}

void sg_graph_free(struct sg_graph *graph) {
    sg_hash_table_free(&graph->objects);
    SG_ROWS_FREE(&graph->pending);
    *graph = (struct sg_graph){0};
}
