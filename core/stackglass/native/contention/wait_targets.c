/* The object that a waiting thread called a method of: the first local variable, `self`, of the
 * outermost primitive's frame.
 *
 *     lock.acquire ← Condition.wait ← Queue.get ← work       n_primitives = 2: Queue.get's frame
 *
 * Only instances of classes made in Python (heap types) are taken; they can be tracked to their
 * death by a weak reference. */
#include "contention/wait_targets.h"

#include "contention/primitive_functions.h"
#include "frames/python_frames.h"
#include "objects/tracked_objects.h"

static void (*on_death)(const void *address); /* guarded by the GIL */

static void report_death(uint32_t number, const void *address) {
    (void)number;
    on_death(address);
}

static struct sg_tracked_objects table = {.died = report_death}; /* guarded by the GIL */

static uint32_t traits_of(uintptr_t frame) {
    return sg_primitive_functions_find(sg_code_ids_find(sg_python_frame_code(frame)));
}

PyObject *sg_wait_targets_find(const void *thread, uint32_t n_primitives, enum sg_primitive *type) {
    uintptr_t frame = n_primitives ? sg_python_frame(thread) : 0;
    while (frame && --n_primitives)
        frame = sg_python_frame_caller(frame);
    uintptr_t caller = frame ? sg_python_frame_caller(frame) : 0;
    if (!frame || (caller && traits_of(caller) & SG_FUNCTION_KEEPS))
        return NULL;
    enum sg_primitive found = sg_primitive_function_object(traits_of(frame));
    PyObject *self = found != SG_PRIMITIVE_NONE ? sg_python_frame_local(frame, 0) : NULL;
    /* Future.result sets its `self` to None at its end. */
    if (!self || !(PyType_GetFlags(Py_TYPE(self)) & Py_TPFLAGS_HEAPTYPE))
        return NULL;
    *type = found;
    return self;
}

bool sg_wait_targets_track(PyObject *object) { return sg_tracked_objects_add(&table, object); }

const void *sg_wait_targets_of(uint32_t n_primitives, enum sg_primitive *type) {
    PyObject *object = sg_wait_targets_find(PyThreadState_Get(), n_primitives, type);
    return object && sg_wait_targets_track(object) ? object : NULL;
}

int sg_wait_targets_prepare(void (*died)(const void *address)) {
    on_death = died;
    return sg_tracked_objects_prepare(&table);
}

void sg_wait_targets_discard(void) { sg_tracked_objects_discard(&table); }

void sg_wait_targets_abandon(void) { sg_tracked_objects_abandon(&table); }
