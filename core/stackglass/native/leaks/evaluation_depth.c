/* An abstract interpretation of stack depths, in one pass over the bytecode.
 *
 *     depths[0] = 0
 *     depths[next instruction] = depths[target of a forward jump] = depth + effect
 *
 * The pass ends at the wanted instruction. If two paths give different depths, the bytecode was
 * misread, and the result is SG_DEPTH_UNKNOWN. The depth of code that only an exception handler or
 * a backward jump reaches is unknown, too. A `dialect` lists the few opcodes of a Python version
 * that the pass has to know. */
#include "leaks/evaluation_depth.h"

#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "frames/frame_fields.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

enum {
    FIRST_WITH_STRUCTS = 11,  /* minor version: a frame is a _PyInterpreterFrame, not an object */
    FIRST_WITH_POINTERS = 14, /* the frame keeps its stack pointer during every call */
    STACK_BEHIND = 8,         /* bytes from the frame's instruction to its stack pointer or depth */
    MOST_UNITS = 1 << 18,     /* code units of one code object; longer code is not analysed */
    NOT_REACHED = INT32_MIN,
    UNIT_BYTES = 2, /* _Py_CODEUNIT: an opcode and its argument */
};

/* ---- Instructions, by version ---- */

enum jump { NO_JUMP, FORWARD, BACKWARD, ABSOLUTE };

struct dialect {
    uint8_t extended_arg, first_with_argument;
    uint8_t ends[7]; /* after these the next instruction does not run; 0 = unused, here and below */
    uint8_t forward[9], backward[6], absolute[6]; /* jumps, by how their argument is counted */
    uint8_t precall, call; /* 3.11: the stack changes at the second of the pair */
    uint8_t before_with;   /* 3.12, 3.13: it drops the context manager, and then calls __enter__ */
    /* 3.13: calls whose arguments have a scratch word before them; `scratch_kw` has names behind */
    uint8_t scratch, scratch_kw;
};

/* Opcodes by minor version, from the module `opcode` of each.
 *
 *     ends       RETURN_VALUE, RETURN_CONST, RAISE_VARARGS, RERAISE, JUMP_FORWARD, JUMP_ABSOLUTE,
 *                JUMP_BACKWARD, JUMP_BACKWARD_NO_INTERRUPT
 *     forward    FOR_ITER, JUMP_FORWARD, SEND, POP_JUMP_IF_*, JUMP_IF_*_OR_POP, SETUP_FINALLY,
 *                SETUP_WITH, SETUP_ASYNC_WITH
 *     backward   JUMP_BACKWARD, JUMP_BACKWARD_NO_INTERRUPT, POP_JUMP_BACKWARD_IF_*
 *     absolute   JUMP_ABSOLUTE, POP_JUMP_IF_*, JUMP_IF_*_OR_POP, JUMP_IF_NOT_EXC_MATCH
 *
 * No version has all of these opcodes. `before_with` is BEFORE_WITH, `scratch` and `scratch_kw` are
 * CALL and CALL_KW. */
static const struct dialect DIALECTS[] = {
    [9] = {.extended_arg = 144,
           .first_with_argument = 90,
           .ends = {83, 130, 48, 110, 113},
           .forward = {93, 110, 122, 143, 154},
           .absolute = {111, 112, 113, 114, 115, 121}},
    [10] = {.extended_arg = 144,
            .first_with_argument = 90,
            .ends = {83, 130, 119, 110, 113},
            .forward = {93, 110, 122, 143, 154},
            .absolute = {111, 112, 113, 114, 115, 121}},
    [11] = {.extended_arg = 144,
            .first_with_argument = 90,
            .ends = {83, 130, 119, 110, 134, 140},
            .forward = {93, 110, 111, 112, 114, 115, 123, 128, 129},
            .backward = {134, 140, 173, 174, 175, 176},
            .precall = 166,
            .call = 171},
    [12] = {.extended_arg = 144,
            .first_with_argument = 90,
            .ends = {83, 121, 130, 119, 110, 134, 140},
            .forward = {93, 110, 114, 115, 123, 128, 129},
            .backward = {134, 140},
            .before_with = 53},
    [13] = {.extended_arg = 71,
            .first_with_argument = 44,
            .ends = {36, 103, 101, 102, 79, 77, 78},
            .forward = {72, 79, 97, 98, 99, 100, 104},
            .backward = {77, 78},
            .before_with = 2,
            .scratch = 53,
            .scratch_kw = 57},
};
enum { N_DIALECTS = sizeof DIALECTS / sizeof *DIALECTS };

typedef int stack_effect_fn(int opcode, int argument, int jump);

static enum jump find_jump(const struct dialect *dialect, uint8_t opcode) {
    if (!opcode)
        return NO_JUMP;
    if (memchr(dialect->forward, opcode, sizeof dialect->forward))
        return FORWARD;
    if (memchr(dialect->backward, opcode, sizeof dialect->backward))
        return BACKWARD;
    return memchr(dialect->absolute, opcode, sizeof dialect->absolute) ? ABSOLUTE : NO_JUMP;
}

static bool ends_block(const struct dialect *dialect, uint8_t opcode) {
    return opcode && memchr(dialect->ends, opcode, sizeof dialect->ends);
}

/* ---- Depths of all instructions up to the wanted one ---- */

struct analysis {
    const struct dialect *dialect;
    stack_effect_fn *effect;
    const uint8_t *bytes;
    int32_t n;       /* code units */
    int32_t *depths; /* (n,), before each unit; NOT_REACHED = no path to the unit is known yet */
    int32_t scratch; /* of the wanted instruction */
    bool is_broken;
};

static void reach(struct analysis *analysis, int32_t unit, int32_t depth) {
    if (unit < 0 || unit >= analysis->n || depth < 0)
        analysis->is_broken = true;
    else if (analysis->depths[unit] == NOT_REACHED)
        analysis->depths[unit] = depth;
    else if (analysis->depths[unit] != depth)
        analysis->is_broken = true;
}

static int32_t find_target(enum jump jump, int32_t next, int32_t argument) {
    int minor = sg_debug_offsets.minor;
    int32_t units = minor == 9 ? argument / UNIT_BYTES : argument;
    return jump == ABSOLUTE ? units : jump == BACKWARD ? next - units : next + units;
}

/* Return how an instruction changes the depth. In 3.11 CALL has the whole effect of the pair
 * PRECALL, CALL. */
static int32_t find_effect(const struct analysis *analysis, uint8_t opcode, int32_t argument,
                           bool jumps) {
    const struct dialect *dialect = analysis->dialect;
    if (dialect->precall && opcode == dialect->precall)
        return 0;
    if (dialect->call && opcode == dialect->call)
        return -1 - argument;
    return analysis->effect(opcode, opcode < dialect->first_with_argument ? 0 : argument, jumps);
}

/* Return the unit behind an instruction and its inline caches, which have opcode 0 (3.11 on). */
static int32_t find_next(const struct analysis *analysis, int32_t unit) {
    int32_t next = unit + 1;
    while (sg_debug_offsets.minor >= FIRST_WITH_STRUCTS && next < analysis->n &&
           !analysis->bytes[UNIT_BYTES * next])
        next++;
    return next;
}

static void step(struct analysis *analysis, int32_t unit, int32_t next, int32_t argument) {
    uint8_t opcode = analysis->bytes[UNIT_BYTES * unit];
    int32_t depth = analysis->depths[unit];
    enum jump jump = find_jump(analysis->dialect, opcode);
    if (jump) {
        /* Relative jumps count from behind the inline caches. That also holds before 3.12, where
         * only instructions without caches jump. */
        int32_t target = find_target(jump, next, argument);
        int32_t effect = find_effect(analysis, opcode, argument, true);
        if (jump != BACKWARD && (jump != ABSOLUTE || target > unit))
            reach(analysis, target, depth + effect);
    }
    if (!ends_block(analysis->dialect, opcode) && next < analysis->n)
        reach(analysis, next, depth + find_effect(analysis, opcode, argument, false));
}

/* Return the place of the scratch word of an instruction; SG_NO_SCRATCH = it has none. The stack is
 * callable, scratch word, arguments and, for CALL_KW, their names. */
static int32_t find_scratch(const struct dialect *dialect, uint8_t opcode, int32_t argument,
                            int32_t depth) {
    if (dialect->scratch && opcode == dialect->scratch)
        return depth - argument - 1;
    if (dialect->scratch_kw && opcode == dialect->scratch_kw)
        return depth - argument - 2;
    return SG_NO_SCRATCH;
}

static int32_t analyse(struct analysis *analysis, int32_t wanted) {
    int32_t argument = 0;
    for (int32_t unit = 0, next; unit <= wanted && !analysis->is_broken; unit = next) {
        uint8_t opcode = analysis->bytes[UNIT_BYTES * unit];
        argument = argument << 8 | analysis->bytes[UNIT_BYTES * unit + 1];
        next = find_next(analysis, unit);
        if (analysis->depths[unit] != NOT_REACHED && unit == wanted) {
            uint8_t before_with = analysis->dialect->before_with;
            int32_t depth = analysis->depths[unit];
            analysis->scratch = find_scratch(analysis->dialect, opcode, argument, depth);
            return depth - (before_with && opcode == before_with);
        }
        if (opcode == analysis->dialect->extended_arg) {
            if (analysis->depths[unit] != NOT_REACHED)
                reach(analysis, next, analysis->depths[unit]);
            continue;
        }
        if (analysis->depths[unit] != NOT_REACHED)
            step(analysis, unit, next, argument);
        argument = 0;
    }
    return SG_DEPTH_UNKNOWN;
}

/* Return the depth at the unit `wanted` of co_code; SG_DEPTH_UNKNOWN if it cannot be determined.
 * That includes exception handlers: from 3.11 on only the exception table gives the depth at which
 * a handler begins, and the pass does not read this table. */
static int32_t analyse_bytes(PyObject *bytes, int32_t wanted, int32_t *scratch) {
    struct analysis analysis = {
        .dialect = &DIALECTS[sg_debug_offsets.minor],
        .bytes = (const uint8_t *)PyBytes_AsString(bytes),
        .n = (int32_t)(PyBytes_Size(bytes) / UNIT_BYTES),
        .scratch = SG_NO_SCRATCH,
    };
    if (!sg_python_symbols_look_up("PyCompile_OpcodeStackEffectWithJump", &analysis.effect) ||
        wanted < 0 || wanted >= analysis.n || analysis.n > MOST_UNITS)
        return SG_DEPTH_UNKNOWN;
    analysis.depths = malloc((size_t)analysis.n * sizeof *analysis.depths);
    if (!analysis.depths)
        return SG_DEPTH_UNKNOWN;
    for (int32_t unit = 0; unit < analysis.n; unit++)
        analysis.depths[unit] = unit ? NOT_REACHED : 0;
    int32_t depth = analyse(&analysis, wanted);
    free(analysis.depths);
    *scratch = analysis.scratch;
    return analysis.is_broken ? SG_DEPTH_UNKNOWN : depth;
}

static int32_t find_by_code(const struct sg_frame_values *values, int32_t *scratch) {
    int minor = sg_debug_offsets.minor;
    if (minor >= N_DIALECTS || !DIALECTS[minor].extended_arg || values->lasti < 0)
        return SG_DEPTH_UNKNOWN;
    PyObject *bytes = sg_python_text_plain_attribute((PyObject *)values->code, "co_code");
    int32_t depth = bytes && PyBytes_Check(bytes)
                        ? analyse_bytes(bytes, values->lasti / UNIT_BYTES, scratch)
                        : SG_DEPTH_UNKNOWN;
    Py_XDECREF(bytes);
    return depth;
}

int32_t sg_evaluation_depth_of(const struct sg_frame_values *values, int32_t *scratch) {
    uintptr_t at = values->frame + (uintptr_t)sg_debug_offsets.instruction + STACK_BEHIND;
    int64_t depth = SG_DEPTH_UNKNOWN;
    *scratch = SG_NO_SCRATCH;
    if (sg_debug_offsets.minor >= FIRST_WITH_POINTERS) {
        const uint64_t *top = (const uint64_t *)sg_memory_load(at);
        depth = top >= values->stack ? top - values->stack : SG_DEPTH_UNKNOWN;
    } else if (sg_debug_offsets.minor >= FIRST_WITH_STRUCTS && sg_memory_load_int(at) >= 0) {
        depth = sg_memory_load_int(at) - (int64_t)values->n_locals;
    } else {
        depth = find_by_code(values, scratch);
    }
    return depth >= 0 && depth <= values->n_stack ? (int32_t)depth : SG_DEPTH_UNKNOWN;
}
