/* The graph of all objects: which references of each are explained by another object.
 *
 *     unexplained = reference count − references of containers − references of waiting threads
 *
 * An object with unexplained references is held by C code, by a thread that may run, or by the
 * interpreter: it is a root. The garbage collector computes the same (gc_refs); here the frames of
 * threads that wait for locks count as containers, too.
 *
 * Nothing of the program runs, and no object is made or freed. Caller holds the GIL for the whole
 * life of a graph. */
#ifndef STACKGLASS_LEAKS_GRAPH_H
#define STACKGLASS_LEAKS_GRAPH_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/hash_table.h"
#include "platform/vector.h"

struct sg_graph;

enum {
    SG_OBJECT_CONTAINER = 1, /* it can be traversed */
    SG_OBJECT_LIVE = 2,      /* reachable from a root, or from a thread that may be woken */
    SG_OBJECT_HELD = 4,      /* reachable from a leaked thread */
    SG_OBJECT_GARBAGE = 8,   /* reachable from objects that are neither LIVE nor HELD */
    SG_OBJECT_FILTERED = 16, /* some of its references are not followed */
    SG_OBJECT_CALLED = 32,   /* only the C stack of a waiting thread refers to it */
};

/* An object of the graph. The graph owns no reference to the object. */
struct sg_object_entry {
    uintptr_t object;
    int32_t unexplained; /* references */
    uint32_t flags;
};

/* Visits the references of `object` while objects are marked, in place of sg_references_visit, so
 * that a caller can leave out some of them. */
typedef void sg_graph_visit_fn(void *context, PyObject *object, visitproc visit, void *argument);

struct sg_graph {
    struct sg_hash_table objects;          /* of struct sg_object_entry, by address */
    struct SG_ROWS_OF(PyObject *) pending; /* objects still to be traversed */
    sg_graph_visit_fn *visit;              /* used by sg_graph_mark */
    void *context;                         /* for `visit` */
    int64_t end_cpu_ns;                    /* limit, on the calling thread's CPU clock */
    uint32_t n_steps;
    uint32_t flag, stops_at; /* of the marking under way */
    const char *problem;     /* NULL = none; else the graph is not to be used */
};

enum { SG_GRAPH_MOST_OBJECTS = 4 * 1000 * 1000 };

/* Build the graph, at most until the calling thread's CPU clock reads `end_cpu_ns`. Returns false
 * if a collection is running: try again later. If it returns true, `problem` says whether it
 * failed. */
bool sg_graph_build(struct sg_graph *graph, int64_t end_cpu_ns);
/* Return the entry of `object`; NULL if the graph does not have the object. */
struct sg_object_entry *sg_graph_find(const struct sg_graph *graph, const void *object);
/* Return the entry of `object`, which may have any type. An object that is new to the graph is
 * added with its reference count. NULL if memory runs out. */
struct sg_object_entry *sg_graph_add(struct sg_graph *graph, PyObject *object);
/* Count one reference to `object` as explained: it comes from outside the graph, such as from a
 * thread's frame. */
void sg_graph_explain(struct sg_graph *graph, PyObject *object);

/* Set `flag` on `object` and on all objects that are reachable from it. Objects that have a flag of
 * `stops_at` are not marked, and their references are not followed. */
void sg_graph_mark(struct sg_graph *graph, PyObject *object, uint32_t flag, uint32_t stops_at);
/* Whether `object` has one of the `flags`. */
bool sg_graph_has(const struct sg_graph *graph, const void *object, uint32_t flags);
void sg_graph_free(struct sg_graph *graph);

#endif
