/* The graph of all objects: which references of each are explained by another object.
 *
 *     unexplained = reference count − references of containers − references of waiting threads
 *
 * An object with unexplained references is held by C code, by a thread that may run, or by the
 * interpreter: it is a root. That is the collector's own reckoning, with the frames of threads that
 * wait for locks as further containers.
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
    SG_OBJECT_LIVE = 2,      /* reachable by what runs, or may run */
    SG_OBJECT_HELD = 4,      /* reachable by a leaked thread */
    SG_OBJECT_GARBAGE = 8,   /* reachable by what nothing refers to */
    SG_OBJECT_FILTERED = 16, /* not all of its references lead on */
    SG_OBJECT_CALLED = 32,   /* only the C stack of a waiting thread holds it */
};

/* An object of the graph, which holds no reference to it. */
struct sg_object_entry {
    uintptr_t object;
    int32_t unexplained; /* references */
    uint32_t flags;
};

/* Visits what an object refers to in place of sg_references_visit: a caller may leave edges out. */
typedef void sg_graph_visit_fn(void *context, PyObject *object, visitproc visit, void *argument);

struct sg_graph {
    struct sg_hash_table objects;          /* of struct sg_object_entry, by address */
    struct SG_ROWS_OF(PyObject *) pending; /* to be traversed */
    sg_graph_visit_fn *visit;              /* edges of `mark` */
    void *context;
    int64_t end_cpu_ns;
    uint32_t n_steps;
    uint32_t flag, stops_at; /* of the marking under way */
    const char *problem;     /* NULL = none; else the graph is not to be used */
};

enum { SG_GRAPH_MOST_OBJECTS = 4 * 1000 * 1000 };

/* Build the graph, at most until the calling thread's CPU clock reads `end_cpu_ns`. False = a
 * collection is running: try again. Otherwise see `problem`. */
bool sg_graph_build(struct sg_graph *graph, int64_t end_cpu_ns);
/* Entry of an object; NULL = the graph does not have it. */
struct sg_object_entry *sg_graph_find(const struct sg_graph *graph, const void *object);
/* The same; adds an object of any type, with the number of its references; NULL if memory runs out.
 */
struct sg_object_entry *sg_graph_add(struct sg_graph *graph, PyObject *object);
/* A reference from outside the graph is explained. */
void sg_graph_explain(struct sg_graph *graph, PyObject *object);

/* Set `flag` on an object and all that it leads to, but not beyond objects with a flag of
 * `stops_at`. */
void sg_graph_mark(struct sg_graph *graph, PyObject *object, uint32_t flag, uint32_t stops_at);
bool sg_graph_has(const struct sg_graph *graph, const void *object, uint32_t flags);
void sg_graph_free(struct sg_graph *graph);

#endif
