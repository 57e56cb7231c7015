/* Atexit slots: removes the empty slot that an unregistered atexit callback leaves, up to 3.13.
 *
 *     callbacks ──▶ │ program's │ engine's │ program's │      n = 3
 *     unregister:   │ program's │   NULL   │ program's │      n = 3, one more with each session
 *     closed:       │ program's │ program's │                 n = 2
 */
#ifndef STACKGLASS_WORKER_ATEXIT_SLOTS_H
#define STACKGLASS_WORKER_ATEXIT_SLOTS_H

#include <Python.h>

#include <stdint.h>

struct sg_atexit_slot {
    uintptr_t list; /* address of the list; 0 = not found: nothing is closed */
    int at;         /* position of the engine's */
};

/* Find the slot of `callback`, which is registered with `atexit`. Caller holds the GIL. */
struct sg_atexit_slot sg_atexit_slot_find(PyObject *atexit, PyObject *callback);
/* After it was unregistered, and with the GIL held since the find: close the gap. */
void sg_atexit_slot_close(const struct sg_atexit_slot *slot);

#endif
