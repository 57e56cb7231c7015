/* Reference names: how an object refers to another one, as a program would write it. Runs no code
 * of the program.
 *
 *     ._lock      an attribute        ['eu']  [3]   an item of a dict, a list, a tuple, a deque
 *     {…}         a member of a set, or a key of a dict
 *
 * Caller holds the GIL. Texts are malloc'ed. */
#ifndef STACKGLASS_OBJECTS_REFERENCE_NAMES_H
#define STACKGLASS_OBJECTS_REFERENCE_NAMES_H

#include <Python.h>

#include <stdbool.h>

/* Whether `object` is a deque, or a list, tuple, dict, set, frozenset or an instance of a subclass
 * of these. */
bool sg_reference_names_is_container(PyObject *object);
/* Whether `object` is a dict or a tuple that the collector does not track, because it holds only
 * objects that are not tracked, such as strings (in 3.9 also locks). It can be traversed all the
 * same. */
bool sg_reference_names_is_untracked_container(PyObject *object);
/* An item of a container. */
struct sg_item {
    PyObject *value; /* borrowed from the container */
    PyObject *key;   /* borrowed from the container; NULL = the item has an index */
    Py_ssize_t at;   /* index; -1 = `value` is a key */
};
/* Visit at most SG_MOST_ITEMS items of a list, a tuple, a deque or a dict, and a dict's keys. Lists
 * and tuples are visited from the end, as the collector traverses them. */
enum { SG_MOST_ITEMS = 2000 };
typedef void sg_item_fn(void *context, const struct sg_item *item);
void sg_reference_names_visit_items(PyObject *container, sg_item_fn *visit, void *context);
char *sg_reference_names_item(const struct sg_item *item); /* "['eu']" */
/* The members of a set have no index, so all of them have the same text. */
bool sg_reference_names_is_set(PyObject *object);
char *sg_reference_names_member(void);

/* ".lock" */
char *sg_reference_names_attribute(PyObject *attribute);

/* Whether `object` is a Python function. */
bool sg_reference_names_is_function(PyObject *object);
/* Read closure variable number `at` of an object that is_function has accepted. Returns false if
 * there is none with this number. `value` is borrowed from the function; NULL = the variable has no
 * value. */
bool sg_reference_names_closure_value(PyObject *function, Py_ssize_t at, PyObject **value);
/* Return the name of closure variable number `at`, "app.make_counter.<locals>.lock"; NULL if it
 * cannot be read. */
char *sg_reference_names_closure(PyObject *function, Py_ssize_t at);

#endif
