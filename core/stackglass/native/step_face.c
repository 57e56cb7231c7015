/* Steps of the engine that are races in real life, one call each, for tests: what a handler, a
 * waiter or a releaser does between two steps of another thread. The engine never calls these. */
#define PY_SSIZE_T_CLEAN
#include "faces.h"

#include <stdlib.h>
#include <time.h>

#include "arming.h"
#include "clients.h"
#include "engine_threads.h"
#include "face_values.h"
#include "gil_waits.h"
#include "lock_sampling.h"
#include "lock_waits.h"
#include "primitives.h"
#include "sample_log.h"
#include "signals.h"
#include "threads.h"

/* ---- The sample log ---- */

static PyObject *log_active(PyObject *self, PyObject *args) {
    return PyLong_FromUnsignedLong(sg_sample_log_active());
}

static PyObject *log_try_enter(PyObject *self, PyObject *args) {
    unsigned int half;
    if (!PyArg_ParseTuple(args, "I", &half))
        return NULL;
    return PyBool_FromLong(sg_sample_log_try_enter(half % 2));
}

static PyObject *log_leave(PyObject *self, PyObject *args) {
    unsigned int half;
    if (!PyArg_ParseTuple(args, "I", &half))
        return NULL;
    sg_sample_log_leave(half % 2);
    return sg_face_none();
}

static PyObject *log_turn(PyObject *self, PyObject *args) {
    return PyBool_FromLong(sg_sample_log_turn());
}

/* ---- A signal that arrives late ---- */

/* A tick for the slot of one thread, sent to another one. False if there is no such slot. */
static PyObject *tick_send(PyObject *self, PyObject *args) {
    int to_tid, slot_tid;
    if (!PyArg_ParseTuple(args, "ii", &to_tid, &slot_tid))
        return NULL;
    sg_threads_lock();
    struct sg_slot *slot = sg_threads_find(slot_tid);
    sg_threads_unlock();
    if (slot)
        sg_signals_send(to_tid, sg_arming_signal(), slot);
    return PyBool_FromLong(slot != NULL);
}

static uint64_t n_ticks; /* guarded by sg_threads_lock */

static void add_ticks(struct sg_slot *slot) { n_ticks += atomic_load(&slot->n_ticks); }

/* Ticks that handlers have taken, of threads that are still there. */
static PyObject *tick_count(PyObject *self, PyObject *args) {
    sg_threads_lock();
    n_ticks = 0;
    sg_threads_each(add_ticks);
    unsigned long long n = n_ticks;
    sg_threads_unlock();
    return PyLong_FromUnsignedLongLong(n);
}

/* ---- Waiters of a lock, and holds, at any time ---- */

static const void *lock_at(unsigned long long address) {
    return (const void *)(uintptr_t)address; /* never dereferenced */
}

static PyObject *wait_begin(PyObject *self, PyObject *args) {
    unsigned long long address;
    long long since_mono_ns;
    if (!PyArg_ParseTuple(args, "KL", &address, &since_mono_ns))
        return NULL;
    struct sg_lock_wait wait = {
        .lock = lock_at(address),
        .primitive = SG_PRIMITIVE_LOCK_ACQUIRE,
        .thread = PyThreadState_Get(),
        .since_mono_ns = since_mono_ns,
        .is_charged = true,
    };
    return PyLong_FromUnsignedLong(sg_lock_waits_begin(&wait));
}

static PyObject *wait_end(PyObject *self, PyObject *args) {
    unsigned int entry;
    if (!PyArg_ParseTuple(args, "I", &entry))
        return NULL;
    sg_lock_waits_end(entry);
    return sg_face_none();
}

static PyObject *wait_charge(PyObject *self, PyObject *args) {
    static struct sg_contention_waiter charges[SG_LOCK_CHARGES]; /* guarded by the GIL */
    unsigned long long address;
    long long began_mono_ns, now_mono_ns;
    if (!PyArg_ParseTuple(args, "KLL", &address, &began_mono_ns, &now_mono_ns))
        return NULL;
    size_t n = sg_lock_waits_charge(lock_at(address), began_mono_ns, now_mono_ns, charges);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < n; i++)
        sg_face_append(&list, PyLong_FromLongLong(charges[i].delay_ns));
    return list;
}

static PyObject *hold_first(PyObject *self, PyObject *args) {
    unsigned long long address;
    if (!PyArg_ParseTuple(args, "K", &address))
        return NULL;
    sg_lock_hold_is_first(sg_lock_slot(lock_at(address)), lock_at(address));
    return sg_face_none();
}

/* A release at `now_mono_ns`: (its draw, the time since which its hold is charged). */
static PyObject *hold_release(PyObject *self, PyObject *args) {
    unsigned long long address, fraction;
    long long now_mono_ns;
    if (!PyArg_ParseTuple(args, "KKL", &address, &fraction, &now_mono_ns))
        return NULL;
    struct sg_lock_slot *slot = sg_lock_slot(lock_at(address));
    uint32_t draw = sg_lock_draw(slot, lock_at(address), fraction);
    int64_t began_mono_ns = sg_lock_hold_began(slot, draw);
    sg_lock_hold_ends(slot, draw, now_mono_ns);
    return Py_BuildValue("(IL)", draw, (long long)began_mono_ns);
}

static PyObject *hold_weight(PyObject *self, PyObject *args) {
    long long began_mono_ns, now_mono_ns;
    unsigned long long fraction;
    if (!PyArg_ParseTuple(args, "LLK", &began_mono_ns, &now_mono_ns, &fraction))
        return NULL;
    return PyFloat_FromDouble(sg_lock_hold_weight(began_mono_ns, now_mono_ns, fraction));
}

/* ---- The GIL, held by the engine ---- */

/* Hold it as an engine's thread does: others wait for it meanwhile. */
static PyObject *gil_engine_holds(PyObject *self, PyObject *args) {
    long long duration_ns;
    if (!PyArg_ParseTuple(args, "L", &duration_ns))
        return NULL;
    uint64_t until_ns = sg_clock_ns(CLOCK_MONOTONIC) + (uint64_t)duration_ns;
    sg_gil_waits_engine_took();
    while (sg_clock_ns(CLOCK_MONOTONIC) < until_ns) {
        const struct timespec nap = {0, 1000 * 1000};
        nanosleep(&nap, NULL);
    }
    sg_gil_waits_engine_gives();
    return sg_face_none();
}

/* ---- A client that does not read ---- */

/* Queue so many bytes for a client with this descriptor, which is closed. Is it kept? */
static PyObject *client_flood(PyObject *self, PyObject *args) {
    static struct sg_clients clients; /* guarded by the GIL */
    int descriptor;
    unsigned long long n_bytes;
    if (!PyArg_ParseTuple(args, "iK", &descriptor, &n_bytes))
        return NULL;
    struct sg_client *client = sg_clients_add(&clients, descriptor);
    uint8_t *bytes = calloc(1, n_bytes);
    if (!client || !bytes) {
        free(bytes);
        return PyErr_NoMemory();
    }
    sg_put_raw(&client->out, bytes, n_bytes);
    free(bytes);
    sg_clients_settle(&clients, (int64_t)sg_clock_ns(CLOCK_MONOTONIC));
    size_t n = sg_clients_n_watching(&clients);
    sg_clients_close(&clients);
    return PyBool_FromLong(n != 0);
}

PyMethodDef sg_step_face[] = {
    {"log_active", log_active, METH_NOARGS, "The half of the sample log that is written to."},
    {"log_try_enter", log_try_enter, METH_VARARGS, "log_try_enter(half): is it active still?"},
    {"log_leave", log_leave, METH_VARARGS, "log_leave(half)"},
    {"log_turn", log_turn, METH_NOARGS, "False if a writer is in the half to be read."},
    {"tick_send", tick_send, METH_VARARGS, "(to tid, slot's tid): a tick for another's slot."},
    {"tick_count", tick_count, METH_NOARGS, "Ticks taken by handlers of threads that live."},
    {"lock_wait_begin", wait_begin, METH_VARARGS, "(address, since in ns): an entry."},
    {"lock_wait_end", wait_end, METH_VARARGS, "lock_wait_end(entry)"},
    {"lock_wait_charge", wait_charge, METH_VARARGS, "(address, began, now): [delay in ns]"},
    {"lock_hold_first", hold_first, METH_VARARGS, "(address): its first waiter is about to wait."},
    {"lock_hold_release", hold_release, METH_VARARGS, "(address, fraction, now): (draw, began)"},
    {"lock_hold_weight", hold_weight, METH_VARARGS, "(began, now, fraction)"},
    {"client_flood", client_flood, METH_VARARGS, "(descriptor, n bytes): is the client kept?"},
    {"gil_engine_holds", gil_engine_holds, METH_VARARGS, "(ns): as an engine's thread."},
    {NULL, NULL, 0, NULL},
};
