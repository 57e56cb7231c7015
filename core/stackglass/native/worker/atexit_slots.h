/* The empty slot that an unregistered atexit callback leaves behind, up to 3.13.
 *
 *     callbacks ──▶ │ theirs │ ours │ theirs │      n = 3
 *     unregister:   │ theirs │ NULL │ theirs │      n = 3, and one more with every visit of ours
 *     closed up:    │ theirs │ theirs │             n = 2
 */
#ifndef STACKGLASS_WORKER_ATEXIT_SLOTS_H
#define STACKGLASS_WORKER_ATEXIT_SLOTS_H

#include <Python.h>

#include <stdint.h>

struct sg_atexit_slot {
    uintptr_t list; /* where the interpreter keeps the list; 0 = not found, then nothing is done */
    int at;         /* ours */
};

/* Find the slot of `callback`, which is registered with `atexit`. Caller holds the GIL. */
struct sg_atexit_slot sg_atexit_slot_find(PyObject *atexit, PyObject *callback);
/* After it was unregistered, and with the GIL held since the find: close the gap. */
void sg_atexit_slot_close(const struct sg_atexit_slot *slot);

#endif
