/* Watching what is waited for: see waited_objects.h. */
#include "waited_objects.h"

#include "contention.h"
#include "memory.h"
#include "primitive_functions.h"
#include "python_frames.h"

enum { CHAIN_BITS = 12, N_CHAINS = 1 << CHAIN_BITS, NONE = 0 };

struct object {
    const void *address;
    PyObject *reference; /* weak; owned */
    uint32_t next;       /* in its chain, or among the free */
};

/* All guarded by the GIL. `objects[0]` is not used. */
static struct object *objects; /* (SG_WAITED_OBJECTS,) */
static uint32_t chains[N_CHAINS];
static uint32_t first_free, n_touched;

static uint32_t *chain_of(const void *address) {
    return &chains[(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15) >> (64 - CHAIN_BITS)];
}

/* A weak reference's callback; `number` is bound to it. */
static PyObject *hear_death(PyObject *number, PyObject *reference) {
    uint32_t at = (uint32_t)PyLong_AsUnsignedLong(number);
    if (!objects || at > n_touched || objects[at].reference != reference)
        Py_RETURN_NONE; /* of a session that a fork has ended */
    sg_contention_lock_died(objects[at].address);
    uint32_t *link = chain_of(objects[at].address);
    while (*link != at)
        link = &objects[*link].next;
    *link = objects[at].next;
    objects[at] = (struct object){.next = first_free};
    first_free = at;
    Py_DECREF(reference);
    Py_RETURN_NONE;
}

static PyMethodDef HEAR_DEATH = {"died", hear_death, METH_O, NULL}; /* constant */

static PyObject *make_reference(PyObject *object, uint32_t at) {
    PyObject *number = PyLong_FromUnsignedLong(at);
    PyObject *callback = number ? PyCFunction_New(&HEAR_DEATH, number) : NULL;
    PyObject *reference = callback ? PyWeakref_NewRef(object, callback) : NULL;
    Py_XDECREF(callback);
    Py_XDECREF(number);
    return reference;
}

static uint32_t what_is(uintptr_t frame) {
    return sg_primitive_functions_find(sg_code_ids_find(sg_python_frame_code(frame)));
}

PyObject *sg_waited_object(uint32_t n_primitives, enum sg_primitive *is) {
    uintptr_t frame = n_primitives ? sg_python_frame(PyThreadState_Get()) : 0;
    while (frame && --n_primitives)
        frame = sg_python_frame_caller(frame);
    uintptr_t caller = frame ? sg_python_frame_caller(frame) : 0;
    if (!frame || (caller && what_is(caller) & SG_FUNCTION_KEEPS))
        return NULL;
    enum sg_primitive what = sg_function_object(what_is(frame));
    PyObject *self = what != SG_PRIMITIVE_NONE ? sg_python_frame_local(frame, 0) : NULL;
    /* Future.result puts None in its place, at its very end. */
    if (!self || !(PyType_GetFlags(Py_TYPE(self)) & Py_TPFLAGS_HEAPTYPE))
        return NULL;
    *is = what;
    return self;
}

static bool watch(PyObject *object) {
    uint32_t at = first_free ? first_free : n_touched + 1;
    if (at == SG_WAITED_OBJECTS)
        return false;
    if (at == first_free)
        first_free = objects[at].next;
    else
        n_touched++;
    PyObject *reference = make_reference(object, at);
    if (!objects) { /* a collection's finalizers have let the program fork, or us go */
        Py_XDECREF(reference);
        return false;
    }
    uint32_t *chain = chain_of(object);
    objects[at] = (struct object){object, reference, reference ? *chain : first_free};
    *(reference ? chain : &first_free) = at;
    return reference != NULL;
}

bool sg_waited_objects_watch(PyObject *object) {
    PyObject *type, *value, *traceback;
    uint32_t at = objects ? *chain_of(object) : NONE;
    while (at && objects[at].address != object)
        at = objects[at].next;
    if (at || !objects)
        return at != NONE;
    PyErr_Fetch(&type, &value, &traceback);
    bool is_watched = watch(object);
    PyErr_Restore(type, value, traceback);
    return is_watched;
}

int sg_waited_objects_prepare(void) {
    if (!objects)
        objects = sg_memory_map(SG_WAITED_OBJECTS * sizeof *objects);
    return objects ? 0 : -1;
}

void sg_waited_objects_abandon(void) {
    sg_memory_unmap(objects, SG_WAITED_OBJECTS * sizeof *objects);
    objects = NULL;
    first_free = n_touched = 0;
    for (uint32_t i = 0; i < N_CHAINS; i++)
        chains[i] = NONE;
}

void sg_waited_objects_discard(void) {
    for (uint32_t i = 1; objects && i <= n_touched; i++)
        Py_CLEAR(objects[i].reference); /* a weak one: nothing dies with it but its callback */
    sg_waited_objects_abandon();
}
