/* By what an object refers to another one, as a program would write it, without running anything of
 * the program's.
 *
 *     ._lock      an attribute        ['eu']  [3]   an item of a dict, a list, a tuple, a deque
 *     {…}         a member of a set, or a key of a dict
 *
 * Caller holds the GIL. Texts are malloc'ed. */
#ifndef STACKGLASS_OBJECTS_REFERENCE_NAMES_H
#define STACKGLASS_OBJECTS_REFERENCE_NAMES_H

#include <Python.h>

#include <stdbool.h>

/* Is it one whose items are looked at: a list, tuple, dict, set, deque, or derived from one? */
bool sg_reference_names_is_container(PyObject *object);
/* Could the collector have let go of it, as it does with what has nothing to collect in it? */
bool sg_reference_names_is_untracked_container(PyObject *object);
/* What a container has in one place. */
struct sg_item {
    PyObject *value; /* borrowed: the container's */
    PyObject *key;   /* likewise; NULL = it has a number */
    Py_ssize_t at;   /* its number; -1 = `value` is a key itself */
};
/* `visit` the items of a list, a tuple, a deque, a dict; of a dict its keys as well. Those looked
 * at are SG_MOST_ITEMS: of lists and tuples, which the collector tells from their ends, the last.
 */
enum { SG_MOST_ITEMS = 2000 };
typedef void sg_item_fn(void *context, const struct sg_item *item);
void sg_reference_names_visit_items(PyObject *container, sg_item_fn *visit, void *context);
char *sg_reference_names_item(const struct sg_item *item); /* "['eu']" */
/* Members of a set, which have no places: all have one text. */
bool sg_reference_names_is_set(PyObject *object);
char *sg_reference_names_member(void);

/* ".lock" */
char *sg_reference_names_attribute(PyObject *attribute);

/* Is it a function of Python code? */
bool sg_reference_names_is_function(PyObject *object);
/* The variables that a function has from around it, by number; false = no more of them. `value` is
 * borrowed from the function, or NULL. */
bool sg_reference_names_closure_value(PyObject *function, Py_ssize_t at, PyObject **value);
/* "app.make_counter.<locals>.lock", what number `at` of them is called. */
char *sg_reference_names_closure(PyObject *function, Py_ssize_t at);

#endif
