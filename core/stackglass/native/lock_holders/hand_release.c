/* A linear scan of a function's bytecode, up to the last instruction that may have run, for loads
 * of an attribute whose name releases locks (RELEASING). The object that has the attribute is
 * ignored.
 *
 *     with LOCK:
 *         while True:      ◀─┐
 *             work()         │ ◀── the current instruction
 *             LOCK.release() │     may have run, in an earlier round
 *         …  ────────────────┘ a jump backward, to the current instruction or further up
 *
 * The scan may cover more than has run: it includes branches that were not taken, and it takes
 * every backward jump for a loop that has run. */
#include "lock_holders/hand_release.h"

#include <Python.h>

#include <string.h>

#include "contention/primitive_functions.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_text.h"

enum { LAST_WITH_ABSOLUTE_JUMPS = 10, FIRST_WITH_FLAGGED_NAMES = 12, UNIT_BYTES = 2 };

/* Opcodes by minor version, 3.9 first, from the module `opcode` of each; 0 = there is none. */
static const struct opcodes {
    uint8_t attribute, method, extended; /* LOAD_ATTR, LOAD_METHOD, EXTENDED_ARG */
    uint8_t jumps[6]; /* jumps that may lead backward: absolute up to 3.10, then *JUMP_BACKWARD* */
} OPCODES[SG_LAST_MINOR - SG_FIRST_MINOR + 1] = {
    {106, 160, 144, {111, 112, 113, 114, 115, 121}},
    {106, 160, 144, {111, 112, 113, 114, 115, 121}},
    {106, 160, 144, {134, 140, 173, 174, 175, 176}},
    {106, 0, 144, {134, 140}},
    {82, 0, 71, {77, 78}},
    {80, 0, 69, {75, 76}},
    {79, 0, 67, {74, 75}},
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

/* An instruction; `argument` includes the arguments of the EXTENDED_ARGs in front of it. */
struct instruction {
    int32_t at; /* offset in bytes, as lasti */
    uint8_t opcode;
    uint32_t argument;
};

struct code {
    const struct opcodes *opcodes;
    const uint8_t *bytes;
    int32_t n;
};

/* Read the instruction at `*at`, and advance `*at` to the next one. Returns false at the end of the
 * code. */
static bool read_instruction(const struct code *code, int32_t *at, struct instruction *read) {
    read->argument = 0;
    for (; *at + 1 < code->n; *at += UNIT_BYTES) {
        read->at = *at;
        read->opcode = code->bytes[*at];
        read->argument = read->argument << 8 | code->bytes[*at + 1];
        if (read->opcode == code->opcodes->extended)
            continue;
        *at += UNIT_BYTES;
        return true;
    }
    return false;
}

/* Return the offset that `jump` leads to. From 3.11 on these jumps are relative; since the jump's
 * inline caches are not counted, the result may be below the true target. */
static int32_t find_target(const struct instruction *jump) {
    int minor = sg_debug_offsets.minor;
    if (minor <= LAST_WITH_ABSOLUTE_JUMPS)
        return (int32_t)(minor == LAST_WITH_ABSOLUTE_JUMPS ? UNIT_BYTES * jump->argument
                                                           : jump->argument);
    return jump->at + UNIT_BYTES - (int32_t)(UNIT_BYTES * jump->argument);
}

/* Return the offset of the last instruction that may have run: `lasti`, or the last backward jump
 * of the loops around it. */
static int32_t find_last_run(const struct code *code, int32_t lasti) {
    struct instruction jump;
    for (int32_t at = 0; read_instruction(code, &at, &jump);)
        if (jump.opcode && jump.at > lasti && find_target(&jump) <= lasti &&
            memchr(code->opcodes->jumps, jump.opcode, sizeof code->opcodes->jumps))
            lasti = jump.at;
    return lasti;
}

static bool loads_attribute(const struct code *code, const struct instruction *load) {
    return load->opcode &&
           (load->opcode == code->opcodes->attribute || load->opcode == code->opcodes->method);
}

/* Whether a load of a releasing attribute may have run. `bytes` and `names` are a code object's
 * co_code and co_names. */
static bool is_mentioned(PyObject *bytes, PyObject *names, int32_t lasti) {
    const struct code code = {
        .opcodes = &OPCODES[sg_debug_offsets.minor - SG_FIRST_MINOR],
        .bytes = (const uint8_t *)PyBytes_AsString(bytes),
        .n = (int32_t)PyBytes_Size(bytes),
    };
    bool is_flagged = sg_debug_offsets.minor >= FIRST_WITH_FLAGGED_NAMES;
    int32_t last = find_last_run(&code, lasti);
    struct instruction load;
    for (int32_t at = 0; at <= last && read_instruction(&code, &at, &load);) {
        Py_ssize_t name = is_flagged ? load.argument >> 1 : load.argument;
        if (loads_attribute(&code, &load) && name < PyTuple_Size(names) &&
            is_releasing(PyTuple_GetItem(names, name)))
            return true;
    }
    return false;
}

bool sg_hand_release_is_mentioned(const struct sg_frame_values *values) {
    PyObject *object = (PyObject *)values->code; /* borrowed from the frame */
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
