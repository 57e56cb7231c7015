/* Label block: the type behind `with stackglass.labels(…)`, in C because programs enter such blocks
 * with each request.
 *
 *     __enter__   adds the block's labels to the label set in a context variable; the new set
 *                 comes from the first of these that has it:
 *                   memos   direct-mapped, for one plain label; found by the identity of parent,
 *                           name and value
 *                   cache   a dict with (parent, name, value, …) as key
 *                   add     a Python function, which makes the set
 *     __exit__    restores the variable's former value by its token
 *
 * Most blocks have one plain label: for these a memo saves the dictionary and the key. Where `with`
 * would make bound methods, a block is its own (`self_method`), which saves a quarter of the time.
 * What a call of a block does is then known by the number of arguments:
 *
 *     block()                      __enter__, once one of both methods has been looked up
 *     block(kind, error, trace)    __exit__, once one of both has been looked up
 *     block(function)              decorates the function */
#include "bindings/label_block.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <structmember.h>

#include "bindings/method_tables.h"
#include "bindings/self_method.h"
#include "interpreter/python_symbols.h"

/* CPython has this flag since 3.7, but its limited API only since 3.10. */
#ifndef METH_FASTCALL
#define METH_FASTCALL 0x0080
#endif
/* The same since 3.8, and 3.12. */
#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif

/* From this version on `with` calls methods without binding them. */
enum { FIRST_UNBOUND = 14 };

/* The number of arguments may have a flag in its highest bit. */
typedef PyObject *call_fn(PyObject *self, PyObject *const *args, size_t n, PyObject *names);

struct block {
    struct sg_self_bound base;
    call_fn *call;                      /* call_block; the interpreter finds it by its offset */
    struct sg_label_block_state *state; /* of the module, which the type keeps alive */
    PyObject *name, *value; /* the one label, if it is plain (is_plain), else NULL; owned */
    PyObject *labels;       /* dict; NULL until it is needed; owned */
    PyObject *token;        /* token of the variable while the block is entered; owned */
};

/* Functions of CPython's API that its limited API of 3.9 does not have. Written when a type is
 * made, with the GIL held, always with the same values. */
static int (*get_variable)(PyObject *variable, PyObject *fallback, PyObject **value);
static PyObject *(*set_variable)(PyObject *variable, PyObject *value);
static int (*reset_variable)(PyObject *variable, PyObject *token);
static void *(*find_state)(PyTypeObject *type);
static PyObject *(*call_by_vector)(PyObject *self, PyObject *args, PyObject *named);
static sg_new_type_fn *new_type;

static call_fn call_block;

static bool find_function(const char *name, void *function) {
    if (sg_python_symbols_look_up(name, function))
        return true;
    PyErr_Format(PyExc_ImportError, "this interpreter has no %s", name);
    return false;
}

/* Whether both are of plain types: such objects cannot change, and refer to no other object. */
static bool is_plain(PyObject *name, PyObject *value) {
    return PyUnicode_CheckExact(name) && (PyUnicode_CheckExact(value) || PyLong_CheckExact(value));
}

/* Store the labels in the block: one plain label, as most blocks have, in `name` and `value`,
 * others in a dictionary. Returns false with an exception set if memory is short. */
static bool put_labels(struct block *block, PyObject *const *values, PyObject *names) {
    Py_ssize_t n = names ? PyTuple_Size(names) : 0;
    PyObject *name = n == 1 ? PyTuple_GetItem(names, 0) : NULL;
    if (name && is_plain(name, values[0])) {
        Py_INCREF(name);
        Py_INCREF(values[0]);
        block->name = name;
        block->value = values[0];
        return true;
    }
    block->labels = PyDict_New();
    for (Py_ssize_t i = 0; block->labels && i < n; i++)
        if (PyDict_SetItem(block->labels, PyTuple_GetItem(names, i), values[i]))
            return false;
    return block->labels;
}

/* The function `stackglass.labels`: returns a new block of `type` with the keyword arguments as
 * labels. It is a function because a call of the type would make a dictionary of them. */
static PyObject *make_block(PyObject *type, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    if (n) {
        PyErr_SetString(PyExc_TypeError, "labels are given by name: labels(route=\"/a\")");
        return NULL;
    }
    PyTypeObject *block_type = (PyTypeObject *)type;
    struct block *block = (struct block *)PyType_GenericAlloc(block_type, 0);
    if (!block)
        return NULL;
    block->call = call_block;
    block->state = find_state(block_type);
    if (!put_labels(block, args, names))
        Py_CLEAR(block);
    return (PyObject *)block;
}

/* Return the labels as a dictionary, borrowed from the block, or NULL if memory is short. */
static PyObject *labels_of(struct block *block) {
    if (!block->labels)
        block->labels = PyDict_New();
    else
        return block->labels;
    if (block->labels && block->name && PyDict_SetItem(block->labels, block->name, block->value))
        Py_CLEAR(block->labels);
    return block->labels;
}

/* Without this, a call of the type would make a block without a state. */
static PyObject *refuse(PyTypeObject *type, PyObject *args, PyObject *named) {
    PyErr_SetString(PyExc_TypeError, "label blocks are made by stackglass.labels(route=\"/a\")");
    return NULL;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    struct block *block = (struct block *)self; /* name and value refer to nothing */
    Py_VISIT(block->labels);
    Py_VISIT(block->token);
    Py_VISIT((PyObject *)Py_TYPE(self));
    return 0;
}

static int clear(PyObject *self) {
    struct block *block = (struct block *)self;
    Py_CLEAR(block->name);
    Py_CLEAR(block->value);
    Py_CLEAR(block->labels);
    Py_CLEAR(block->token);
    return 0;
}

static void dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

/* Return a new tuple, the key of the cache. Returns NULL without an exception if a value is not of
 * a label's type: the cache must not find an equal one for it, as 1 for 1.0. */
static PyObject *make_key(PyObject *parent, PyObject *labels) {
    PyObject *name, *value; /* borrowed: the dictionary's */
    Py_ssize_t at = 0, n = 1;
    PyObject *key = PyTuple_New(1 + 2 * PyDict_Size(labels));
    if (!key)
        return NULL;
    Py_INCREF(parent);
    PyTuple_SetItem(key, 0, parent);
    while (PyDict_Next(labels, &at, &name, &value)) {
        if (!PyUnicode_Check(value) && !PyLong_Check(value)) {
            Py_DECREF(key);
            return NULL;
        }
        Py_INCREF(name);
        Py_INCREF(value);
        PyTuple_SetItem(key, n++, name);
        PyTuple_SetItem(key, n++, value);
    }
    return key;
}

/* Return `parent` with the labels added, from the cache or from `add`: a new reference. */
static PyObject *look_up(const struct sg_label_block_state *state, PyObject *parent,
                         PyObject *labels) {
    PyObject *key = make_key(parent, labels);
    PyObject *found = /* borrowed from the cache */
        key ? PyDict_GetItemWithError(state->cache, key) : NULL;
    Py_XINCREF(found);
    Py_XDECREF(key);
    if (!found && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return NULL;
        PyErr_Clear(); /* a value without a hash: `add` raises the error for it */
    }
    return found ? found : PyObject_CallFunctionObjArgs(state->add, parent, labels, NULL);
}

/* Return `parent` with the block's labels added: a new reference. */
static PyObject *add_labels(struct block *block, PyObject *parent) {
    struct sg_label_block_state *state = block->state;
    PyObject *found = NULL;
    if (block->name)
        found = sg_label_memos_find(&state->memos, parent, block->name, block->value);
    if (found) {
        Py_INCREF(found);
        return found;
    }
    PyObject *labels = labels_of(block);
    found = labels ? look_up(state, parent, labels) : NULL;
    if (found && block->name)
        sg_label_memos_keep(&state->memos, parent, block->name, block->value, found);
    return found;
}

static PyObject *enter(PyObject *self, PyObject *unused) {
    struct block *block = (struct block *)self;
    PyObject *variable = block->state->variable, *parent = NULL;
    if (block->token) {
        PyErr_SetString(PyExc_RuntimeError,
                        "these labels are in use already: make new ones for each block");
        return NULL;
    }
    if (get_variable(variable, NULL, &parent))
        return NULL;
    PyObject *found = add_labels(block, parent);
    if (found)
        block->token = set_variable(variable, found);
    Py_XDECREF(found);
    Py_XDECREF(parent);
    if (!block->token)
        return NULL;
    Py_RETURN_NONE;
}

/* End the block. In another context than it began in, as a generator may do, the block leaves that
 * context's labels as they are. */
static PyObject *leave(PyObject *self, PyObject *const *error, Py_ssize_t n) {
    struct block *block = (struct block *)self;
    PyObject *token = block->token;
    block->token = NULL;
    int failed = token ? reset_variable(block->state->variable, token) : 0;
    Py_XDECREF(token);
    if (failed) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError))
            return NULL;
        PyErr_Clear();
    }
    Py_RETURN_NONE;
}

static PyObject *decorate(struct block *block, PyObject *function) {
    PyObject *labels = labels_of(block);
    return labels ? PyObject_CallFunctionObjArgs(block->state->decorate, labels, function, NULL)
                  : NULL;
}

static PyObject *call_block(PyObject *self, PyObject *const *args, size_t flagged_n,
                            PyObject *names) {
    struct block *block = (struct block *)self;
    size_t n = flagged_n & SIZE_MAX >> 1;
    bool is_named = names && PyTuple_Size(names);
    bool is_method = block->base.is_bound && !is_named;
    if (n == 0 && is_method)
        return enter(self, NULL);
    if (n == 3 && is_method)
        return leave(self, args, 3);
    if (n == 1 && !is_named)
        return decorate(block, args[0]);
    PyErr_SetString(PyExc_TypeError, "labels decorate one function");
    return NULL;
}

static PyObject *call_with_tuple(PyObject *self, PyObject *args, PyObject *named) {
    return call_by_vector(self, args, named);
}

/* Never changed; not const, because the API takes pointers to non-const tables. */
static PyMethodDef methods[] = {
    {"__enter__", enter, METH_NOARGS, "Add the labels to those of the current context."},
    {"__exit__", (PyCFunction)(void (*)(void))leave, METH_FASTCALL,
     "Restore the labels from before the block."},
    {NULL, NULL, 0, NULL},
};
static PyMethodDef making = {
    "labels", (PyCFunction)(void (*)(void))make_block, METH_FASTCALL | METH_KEYWORDS,
    "labels(**labels)\n--\n\n"
    "A block of code, or a function, whose samples carry labels: labels(route=\"/a\").\n"
    "\n"
    "The labels are added to those of the code around the block. Values are text or whole\n"
    "numbers; entering raises TypeError if they are not. An object is for one block at a\n"
    "time. If a block ends in another context than it began in, as in a generator, the\n"
    "other context keeps its labels. Decorating a generator function raises TypeError."};
static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct block, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_new, refuse},           {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},          {Py_tp_dealloc, dealloc},
    {Py_tp_call, call_with_tuple}, {Py_tp_methods, methods},
    {Py_tp_members, members},      {0, NULL},
};
static PyType_Spec specification = {
    .name = "stackglass.label_block",
    .basicsize = sizeof(struct block),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = slots,
};

int sg_label_block_traverse(PyObject *module, visitproc visit, void *arg) {
    const struct sg_label_block_state *state = PyModule_GetState(module);
    if (!state)
        return 0;
    Py_VISIT(state->variable);
    Py_VISIT(state->cache);
    Py_VISIT(state->add);
    Py_VISIT(state->decorate);
    return sg_label_memos_traverse(&state->memos, visit, arg);
}

int sg_label_block_clear(PyObject *module) {
    struct sg_label_block_state *state = PyModule_GetState(module);
    if (state) {
        Py_CLEAR(state->variable);
        Py_CLEAR(state->cache);
        Py_CLEAR(state->add);
        Py_CLEAR(state->decorate);
        sg_label_memos_clear(&state->memos);
    }
    return 0;
}

void sg_label_block_free(void *module) { sg_label_block_clear(module); }

static PyObject *make_maker(PyObject *module, PyObject *args) {
    struct sg_label_block_state *state = PyModule_GetState(module);
    PyObject *variable, *cache, *add, *decorate;
    if (!PyArg_ParseTuple(args, "OO!OO", &variable, &PyDict_Type, &cache, &add, &decorate) ||
        !find_function("PyContextVar_Get", &get_variable) ||
        !find_function("PyContextVar_Set", &set_variable) ||
        !find_function("PyContextVar_Reset", &reset_variable) ||
        !find_function("PyType_GetModuleState", &find_state) ||
        !find_function("PyVectorcall_Call", &call_by_vector) ||
        !find_function("PyType_FromModuleAndSpec", &new_type))
        return NULL;
    Py_INCREF(variable);
    Py_INCREF(cache);
    Py_INCREF(add);
    Py_INCREF(decorate);
    sg_label_block_clear(module);
    *state = (struct sg_label_block_state){
        .variable = variable, .cache = cache, .add = add, .decorate = decorate};
    const char *const bound[] = {"__enter__", "__exit__", NULL};
    PyObject *type = new_type(module, &specification, NULL);
    if (type && sg_python_symbols_running_minor() < FIRST_UNBOUND &&
        sg_self_method_put(module, type, bound, new_type))
        Py_CLEAR(type);
    PyObject *function = type ? PyCFunction_NewEx(&making, type, NULL) : NULL;
    Py_XDECREF(type);
    return function;
}

PyMethodDef sg_label_block_bindings[] = {
    {"make_label_block", make_maker, METH_VARARGS,
     "make_label_block(variable, cache, add, decorate): return the function that makes label\n"
     "blocks."},
    {NULL, NULL, 0, NULL},
};
