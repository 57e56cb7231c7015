/* Watching primitives: see asyncio_objects.h. */
#include "asyncio_objects.h"

#include "memory.h"

enum { N_CHAINS = 1 << 12 };

struct object {
    const void *address;
    PyObject *reference; /* weak; owned */
    uint32_t next;       /* in its chain, or among the free */
};

/* All guarded by the GIL. `objects[0]` is not used. */
static struct object *objects; /* (SG_ASYNCIO_OBJECTS,) */
static uint32_t chains[N_CHAINS];
static uint32_t first_free, n_touched;
static sg_asyncio_died_fn *tell_death;

static uint32_t *chain_of(const void *address) {
    return &chains[(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15) >> 52];
}
_Static_assert(N_CHAINS == 1 << (64 - 52), "a chain is chosen by the upper bits");

/* A weak reference's callback; `number` is bound to it. */
static PyObject *hear_death(PyObject *number, PyObject *reference) {
    uint32_t at = (uint32_t)PyLong_AsUnsignedLong(number);
    if (!objects || at > n_touched || objects[at].reference != reference)
        Py_RETURN_NONE; /* of a session that a fork has ended */
    tell_death(at);
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

static PyObject *watch(PyObject *object, uint32_t at) {
    PyObject *number = PyLong_FromUnsignedLong(at);
    PyObject *callback = number ? PyCFunction_New(&HEAR_DEATH, number) : NULL;
    PyObject *reference = callback ? PyWeakref_NewRef(object, callback) : NULL;
    Py_XDECREF(callback);
    Py_XDECREF(number);
    if (!reference)
        PyErr_Clear();
    return reference;
}

uint32_t sg_asyncio_objects_find(const void *object) {
    uint32_t at = objects ? *chain_of(object) : SG_NO_ASYNCIO_OBJECT;
    while (at && objects[at].address != object)
        at = objects[at].next;
    return at;
}

uint32_t sg_asyncio_objects_number(PyObject *object) {
    uint32_t at = sg_asyncio_objects_find(object);
    if (at || !objects || (!first_free && n_touched + 1 == SG_ASYNCIO_OBJECTS))
        return at;
    at = first_free ? first_free : n_touched + 1;
    if (at == first_free)
        first_free = objects[at].next;
    else
        n_touched++;
    PyObject *reference = watch(object, at);
    if (!objects) { /* a collection's finalizers have let the program fork, or us go */
        Py_XDECREF(reference);
        return SG_NO_ASYNCIO_OBJECT;
    }
    uint32_t *chain = chain_of(object);
    objects[at] = (struct object){object, reference, reference ? *chain : first_free};
    *(reference ? chain : &first_free) = at;
    return reference ? at : SG_NO_ASYNCIO_OBJECT;
}

const void *sg_asyncio_objects_address(uint32_t object) {
    return object && objects ? objects[object].address : NULL;
}

int sg_asyncio_objects_prepare(sg_asyncio_died_fn *died) {
    tell_death = died;
    if (!objects)
        objects = sg_memory_map(SG_ASYNCIO_OBJECTS * sizeof *objects);
    return objects ? 0 : -1;
}

void sg_asyncio_objects_abandon(void) {
    sg_memory_unmap(objects, SG_ASYNCIO_OBJECTS * sizeof *objects);
    objects = NULL;
    first_free = n_touched = 0;
    for (uint32_t i = 0; i < N_CHAINS; i++)
        chains[i] = SG_NO_ASYNCIO_OBJECT;
}

void sg_asyncio_objects_discard(void) {
    for (uint32_t i = 1; objects && i <= n_touched; i++)
        Py_CLEAR(objects[i].reference); /* a weak one: nothing dies with it but its callback */
    sg_asyncio_objects_abandon();
}
