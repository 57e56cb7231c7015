/* A linear scan of a function's bytecode up to the instruction that it is at: does it load an
 * attribute that releases locks (RELEASING), of whatever object? Jumps are not followed: a branch
 * that was not taken counts, and what a loop did beyond that instruction, in an earlier round, does
 * not. */
#include "lock_holders/hand_release.h"

#include <Python.h>

#include "contention/primitive_functions.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_text.h"

enum { FIRST_WITH_FLAGGED_NAMES = 12, UNIT_BYTES = 2 };

/* Instructions by version, from its opcode module; 0 = there is none. */
static const struct opcodes {
    uint8_t attribute, method, extended;
} OPCODES[SG_LAST_MINOR - SG_FIRST_MINOR + 1] = {
    {106, 160, 144}, {106, 160, 144}, {106, 160, 144}, {106, 0, 144},
    {82, 0, 71},     {80, 0, 69},     {79, 0, 67},
};

static const char *const RELEASING[] = {"release", "release_lock", "_release_save", "__exit__",
                                        "_at_fork_reinit"};

static bool is_releasing(PyObject *name) {
    for (size_t i = 0; name && i < sizeof RELEASING / sizeof *RELEASING; i++) {
        if (PyUnicode_CompareWithASCIIString(name, RELEASING[i]) == 0)
            return true;
    }
    return false;
}

/* `code` and `names`: a code object's co_code and co_names. */
static bool is_mentioned(PyObject *code, PyObject *names, int32_t lasti) {
    const struct opcodes *known = &OPCODES[sg_debug_offsets.minor - SG_FIRST_MINOR];
    const uint8_t *bytes = (const uint8_t *)PyBytes_AsString(code);
    Py_ssize_t n = PyBytes_Size(code), n_names = PyTuple_Size(names);
    uint32_t argument = 0;
    for (Py_ssize_t at = 0; at + 1 < n && at <= lasti; at += UNIT_BYTES) {
        uint8_t opcode = bytes[at];
        argument = argument << 8 | bytes[at + 1];
        if (opcode == known->extended)
            continue;
        if (opcode && (opcode == known->attribute || opcode == known->method)) {
            bool is_flagged = sg_debug_offsets.minor >= FIRST_WITH_FLAGGED_NAMES;
            Py_ssize_t name = is_flagged ? argument >> 1 : argument;
            if (name < n_names && is_releasing(PyTuple_GetItem(names, name)))
                return true;
        }
        argument = 0;
    }
    return false;
}

bool sg_hand_release_is_mentioned(const struct sg_frame_values *values) {
    PyObject *object = (PyObject *)values->code; /* borrowed: the frame's */
    PyObject *code = sg_python_text_attribute(object, "co_code");
    PyObject *names = sg_python_text_attribute(object, "co_names");
    bool is_readable = code && names && PyBytes_Check(code) && PyTuple_Check(names);
    bool is_so = !is_readable || is_mentioned(code, names, values->lasti);
    PyErr_Clear();
    Py_XDECREF(code);
    Py_XDECREF(names);
    return is_so;
}

bool sg_hand_release_sleeps(const struct sg_frame_values *values) {
    return sg_primitive_functions_find(values->id) & SG_FUNCTION_SLEEPS;
}
