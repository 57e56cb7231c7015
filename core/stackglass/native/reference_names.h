/* By what an object refers to another one, as a program would write it, without running anything of
 * the program's.
 *
 *     ._lock      an attribute        ['eu']  [3]   an item of a dict, a list, a tuple, a deque
 *     {…}         a member of a set, or a key of a dict
 *
 * Caller holds the GIL. Texts are malloc'ed. */
#ifndef STACKGLASS_REFERENCE_NAMES_H
#define STACKGLASS_REFERENCE_NAMES_H

#include <Python.h>

#include <stdbool.h>

/* Is it one whose items are looked at: a list, tuple, dict, set, deque, or derived from one? */
bool sg_is_container(PyObject *object);
/* Could the collector have let go of it, as it does with what has nothing to collect in it? */
bool sg_is_untracked_container(PyObject *object);
/* "['eu']"; NULL = `container` is none, or `value` is not among the SG_MOST_ITEMS looked at. */
enum { SG_MOST_ITEMS = 2000 };
char *sg_item_text(PyObject *container, PyObject *value);

/* ".lock" */
char *sg_attribute_text(PyObject *attribute);

/* Is it a function of Python code? */
bool sg_is_function(PyObject *object);
/* The variables that a function has from around it, by number; false = no more of them. `value` is
 * borrowed from the function, or NULL. */
bool sg_closure_value(PyObject *function, Py_ssize_t at, PyObject **value);
/* "app.make_counter.<locals>.lock", what number `at` of them is called. */
char *sg_closure_text(PyObject *function, Py_ssize_t at);

#endif
