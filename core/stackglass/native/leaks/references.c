/* References, read from memory: counts, tp_traverse, weak references, generators' borrowed values.
 * The types that the stable ABI does not declare are found by their exported symbols. */
#include "leaks/references.h"

#include <string.h>

#include "frames/frame_fields.h"
#include "frames/python_frames.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "objects/tracked_objects.h"
#include "platform/memory.h"
#include "tasks/coroutine_frames.h"

enum {
    FIRST_MINOR_WITH_IMMORTALS = 12,
    IMMORTAL = INT32_MAX / 2,
    FRAME_STACK_BEHIND = 8, /* 3.14 on: from the frame's instruction to its stack pointer */
};

/* Static in the interpreter; NULL = not found. Guarded by the GIL. */
static PyTypeObject *reference_types[3], *generator_types[3];

void sg_references_prepare(void) {
    static const char *const REFERENCES[] = {"_PyWeakref_RefType", "_PyWeakref_ProxyType",
                                             "_PyWeakref_CallableProxyType"};
    static const char *const GENERATORS[] = {"PyGen_Type", "PyCoro_Type", "PyAsyncGen_Type"};
    for (int i = 0; i < 3; i++) {
        reference_types[i] = sg_python_symbols_address(REFERENCES[i]);
        generator_types[i] = sg_python_symbols_address(GENERATORS[i]);
    }
    sg_coroutine_frames_prepare();
}

int32_t sg_references_count(PyObject *object) {
    if (sg_debug_offsets.minor >= FIRST_MINOR_WITH_IMMORTALS) {
        int32_t low = sg_memory_load_int((uintptr_t)object);
        return low < 0 || low > IMMORTAL ? IMMORTAL : low;
    }
    int64_t count = (int64_t)sg_memory_load((uintptr_t)object);
    return count > IMMORTAL ? IMMORTAL : (int32_t)count;
}

void sg_references_visit(PyObject *container, visitproc visit, void *context) {
    uint64_t word = sg_memory_load((uintptr_t)Py_TYPE(container) + SG_TP_TRAVERSE);
    traverseproc traverse;
    memcpy(&traverse, &word, sizeof traverse);
    if (traverse)
        traverse(container, visit, context);
}

static bool is_generator(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    return type == generator_types[0] || type == generator_types[1] || type == generator_types[2];
}

void sg_references_visit_borrowed(PyObject *container, visitproc visit, void *context) {
    if (sg_debug_offsets.minor < SG_FIRST_MINOR_WITH_TAGS || !is_generator(container))
        return;
    uintptr_t frame = sg_coroutine_frames_of((uintptr_t)container);
    const uint64_t *at = frame ? sg_python_frame_locals(frame) : NULL;
    const uint64_t *end =
        frame ? (const uint64_t *)sg_memory_load(frame + (uintptr_t)sg_debug_offsets.instruction +
                                                 FRAME_STACK_BEHIND)
              : NULL;
    for (; at && at < end; at++) {
        PyObject *object = (PyObject *)sg_frame_fields_value(*at);
        if (object && (*at & SG_KIND_TAGS))
            visit(object, context);
    }
}

PyObject *sg_references_weak(PyObject *container, PyObject **callback) {
    PyTypeObject *type = Py_TYPE(container);
    bool is_weak = false;
    for (int i = 0; i < 3 && !is_weak; i++)
        is_weak = reference_types[i] &&
                  (type == reference_types[i] || PyType_IsSubtype(type, reference_types[i]));
    *callback = NULL;
    if (!is_weak)
        return NULL;
    PyObject *object = (PyObject *)sg_memory_load((uintptr_t)container + SG_REFERENCE_OBJECT);
    PyObject *called = (PyObject *)sg_memory_load((uintptr_t)container + SG_REFERENCE_CALLBACK);
    bool is_own = called && sg_tracked_objects_is_callback(called);
    if (object == Py_None || is_own)
        return NULL;
    *callback = called;
    return object;
}

bool sg_references_has_finalizer(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    return !is_generator(object) && (PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) &&
           (sg_memory_load((uintptr_t)type + SG_TP_FINALIZE) ||
            sg_memory_load((uintptr_t)type + SG_TP_DEL));
}
