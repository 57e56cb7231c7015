/* The probe makes a generator and tries its fields one after another. The frame is the field whose
 * code object is the generator's and, from 3.11 on, whose owner is a generator. Then the probe
 * compares a byte before the frame while the generator has not begun, runs, and is suspended. */
#include "tasks/coroutine_frames.h"

#include <Python.h>

#include "frames/frame_fields.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "interpreter/probe_code.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

enum {
    /* up to 3.10 frames are objects, and a generator points to its frame */
    LAST_MINOR_OF_OBJECTS = 10,
    LAST_FRAME_AT = 160, /* largest offset that is tried, exclusive */
};

/* Written under the GIL, before any handler reads; then constant. */
static int32_t frame_at; /* offset in a generator; 0 = not known */
static bool has_state;

uintptr_t sg_coroutine_frames_of(uintptr_t coroutine) {
    uintptr_t at = coroutine + (uintptr_t)frame_at;
    if (!frame_at)
        return 0;
    return sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS ? sg_memory_load(at) : at;
}

int32_t sg_coroutine_frames_at(bool *is_pointer) {
    *is_pointer = sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS;
    return frame_at;
}

bool sg_coroutine_frames_have_state(void) { return has_state; }

static const char SOURCE[] = "def chain():\n"
                             "    check(one)\n"
                             "    yield\n"
                             "one = chain()\n"
                             "check(one)\n"
                             "for each in one:\n"
                             "    check(one)\n"
                             "    break\n";
enum { N_STATES = 3 };
static int8_t states[N_STATES]; /* of the probe's generator at each check. Guarded by the GIL. */
static int n_states;

static bool is_frame(uintptr_t frame, uintptr_t code) {
    uintptr_t word;
    uint8_t owner;
    if (!sg_memory_read(frame + (uintptr_t)sg_debug_offsets.code, &word, sizeof word) ||
        sg_frame_fields_untag(word) != code)
        return false;
    return sg_debug_offsets.owner < 0 ||
           (sg_memory_read(frame + (uintptr_t)sg_debug_offsets.owner, &owner, sizeof owner) &&
            owner == SG_OWNED_BY_GENERATOR);
}

static PyObject *check(PyObject *self, PyObject *generator) {
    (void)self;
    PyObject *code = sg_python_text_attribute(generator, "gi_code");
    for (int32_t at = SG_FIRST_FIELD; code && !frame_at && at < LAST_FRAME_AT; at += 8) {
        uintptr_t frame = (uintptr_t)generator + (uintptr_t)at;
        if (sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS)
            frame = sg_memory_load(frame);
        if (frame && is_frame(frame, (uintptr_t)code))
            frame_at = at;
    }
    if (frame_at && n_states < N_STATES)
        states[n_states++] =
            *(const int8_t *)((uintptr_t)generator + (uintptr_t)frame_at - SG_FROM_STATE_TO_FRAME);
    Py_XDECREF(code);
    PyErr_Clear();
    Py_RETURN_NONE;
}

static PyMethodDef CHECK = {"check", check, METH_O, NULL}; /* constant */

bool sg_coroutine_frames_prepare(void) {
    PyObject *names = frame_at ? NULL : PyDict_New();
    if (names) {
        n_states = 0;
        sg_probe_code_run(SOURCE, &CHECK, names);
        has_state = sg_debug_offsets.minor > LAST_MINOR_OF_OBJECTS && n_states == N_STATES &&
                    states[0] != states[1] && states[0] != states[2] && states[1] != states[2];
    }
    sg_probe_code_forget(names);
    return frame_at != 0;
}
