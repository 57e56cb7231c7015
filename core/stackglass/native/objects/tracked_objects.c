/* A chained hash table of tracked objects. The index of an entry is the object's number; entries
 * with the same hash of the address form a chain, and so do free entries.
 *
 * All weak references have the same callback function, bound to an int that holds the table's
 * address and the number. It may be called when the table is empty, or when the entry belongs to
 * another object (after a detach, in a forked child). Then the entry's reference is not the one
 * that calls, and the call is ignored. */
#include "objects/tracked_objects.h"

#include <string.h>

#include "platform/memory.h"

static uint32_t chain_of(const void *address) {
    return (uint32_t)((uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15) >>
                      (64 - SG_TRACKED_CHAIN_BITS));
}

/* ---- Weak references ---- */

/* The callback of a weak reference; `bound` holds the table's address and the number. */
static PyObject *hear_death(PyObject *bound, PyObject *reference) {
    uint64_t both = PyLong_AsUnsignedLongLong(bound);
    struct sg_tracked_objects *table =
        (struct sg_tracked_objects *)(uintptr_t)(both >> SG_TRACKED_BITS);
    uint32_t at = both & (SG_TRACKED_OBJECTS - 1);
    if (!table->objects || at > table->n_touched || table->objects[at].reference != reference)
        Py_RETURN_NONE; /* a reference from before a detach or a fork */
    struct sg_tracked_object *dead = &table->objects[at];
    table->died(at, dead->address);
    uint32_t *link = &table->chains[chain_of(dead->address)];
    while (*link != at)
        link = &table->objects[*link].next;
    *link = dead->next;
    *dead = (struct sg_tracked_object){.next = table->first_free};
    table->first_free = at;
    Py_DECREF(reference);
    Py_RETURN_NONE;
}

static PyMethodDef HEAR_DEATH = {"died", hear_death, METH_O, NULL}; /* constant */

bool sg_tracked_objects_is_callback(PyObject *callback) {
    return PyCFunction_Check(callback) && PyCFunction_GetFunction(callback) == hear_death;
}

static PyObject *make_reference(struct sg_tracked_objects *table, uint32_t at, PyObject *object) {
    uint64_t both = (uint64_t)(uintptr_t)table << SG_TRACKED_BITS | at;
    PyObject *bound = PyLong_FromUnsignedLongLong(both);
    PyObject *callback = bound ? PyCFunction_New(&HEAR_DEATH, bound) : NULL;
    PyObject *reference = callback ? PyWeakref_NewRef(object, callback) : NULL;
    Py_XDECREF(callback);
    Py_XDECREF(bound);
    return reference;
}

/* ---- Numbers ---- */

uint32_t sg_tracked_objects_find(const struct sg_tracked_objects *table, const void *object) {
    uint32_t at = table->objects ? table->chains[chain_of(object)] : SG_NOT_TRACKED;
    while (at && table->objects[at].address != object)
        at = table->objects[at].next;
    return at;
}

static uint32_t take_number(struct sg_tracked_objects *table) {
    uint32_t at = table->first_free;
    if (at)
        table->first_free = table->objects[at].next;
    else if (table->n_touched + 1 < SG_TRACKED_OBJECTS)
        at = ++table->n_touched;
    return at;
}

static uint32_t add_entry(struct sg_tracked_objects *table, PyObject *object) {
    uint32_t at = take_number(table);
    if (!at)
        return SG_NOT_TRACKED;
    PyObject *reference = make_reference(table, at, object);
    if (!table->objects) { /* a finalizer has forked, or the engine has detached meanwhile */
        Py_XDECREF(reference);
        return SG_NOT_TRACKED;
    }
    uint32_t *next = reference ? &table->chains[chain_of(object)] : &table->first_free;
    table->objects[at] = (struct sg_tracked_object){object, reference, *next};
    *next = at;
    return reference ? at : SG_NOT_TRACKED;
}

uint32_t sg_tracked_objects_add(struct sg_tracked_objects *table, PyObject *object) {
    PyObject *type, *value, *traceback;
    uint32_t at = sg_tracked_objects_find(table, object);
    if (at || !table->objects)
        return at;
    PyErr_Fetch(&type, &value, &traceback);
    at = add_entry(table, object);
    PyErr_Restore(type, value, traceback);
    return at;
}

const void *sg_tracked_objects_address(const struct sg_tracked_objects *table, uint32_t number) {
    return number && table->objects ? table->objects[number].address : NULL;
}

/* ---- The table ---- */

int sg_tracked_objects_prepare(struct sg_tracked_objects *table) {
    if (!table->objects)
        table->objects = sg_memory_map(SG_TRACKED_OBJECTS * sizeof *table->objects);
    return table->objects ? 0 : -1;
}

void sg_tracked_objects_abandon(struct sg_tracked_objects *table) {
    SG_MEMORY_DROP(table->objects, SG_TRACKED_OBJECTS * sizeof *table->objects);
    table->first_free = table->n_touched = 0;
    memset(table->chains, 0, sizeof table->chains);
}

void sg_tracked_objects_discard(struct sg_tracked_objects *table) {
    for (uint32_t i = 1; table->objects && i <= table->n_touched; i++)
        Py_CLEAR(
            table->objects[i].reference); /* a weak reference: only its callback is freed with it */
    sg_tracked_objects_abandon(table);
}
