/* Where a frame keeps its variables and its evaluation stack, and how much of that stack is live,
 * in each version of Python. The offsets are those of CPython's structs, which no header of the
 * stable ABI declares. */
#include "frames/frame_values.h"

#include <Python.h>

#include "frames/python_frames.h"
#include "frames/walk.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"

enum {
    /* PyFrameObject, 3.9 and 3.10. */
    OBJECT_STACK = 64,             /* f_valuestack */
    OBJECT_N_BLOCKS_9 = 112,       /* f_iblock, int; 3.9 */
    OBJECT_N_BLOCKS_10 = 104,      /* the same in 3.10 */
    FROM_N_BLOCKS_TO_BLOCKS = 8,   /* f_blockstack */
    MOST_BLOCKS = 20,              /* CO_MAXBLOCKS */
    BLOCK_INTS = 3,                /* PyTryBlock: b_type, b_handler, b_level */
    BLOCK_LEVEL = 2,               /* b_level: the depth to which the stack is cut */
    FROM_STACK_SIZE_TO_LINE_9 = 8, /* PyCodeObject: from co_stacksize to co_firstlineno */
    /* PyCodeObject, 3.11 on. */
    FIRST_WITH_STRUCTS = 11,
    CODE_EXCEPTIONS = 40,        /* co_exceptiontable */
    FROM_STACK_SIZE_TO_LINE = 4, /* from co_stacksize to co_firstlineno */
    FROM_LINE_TO_N_LOCALS = 4,   /* from there to co_nlocalsplus: variables and cells */

    MOST_VALUES = 1 << 16, /* no frame has more: a larger number was not read from a frame */
};

/* ---- 3.9 and 3.10 ---- */

static bool read_object(struct sg_frame_values *values) {
    uintptr_t frame = values->frame;
    int32_t blocks_at = sg_debug_offsets.minor == 9 ? OBJECT_N_BLOCKS_9 : OBJECT_N_BLOCKS_10;
    int32_t n_blocks = sg_memory_load_int(frame + blocks_at);
    const int32_t *blocks = (const int32_t *)(frame + blocks_at + FROM_N_BLOCKS_TO_BLOCKS);
    values->stack = (const uint64_t *)sg_memory_load(frame + OBJECT_STACK);
    if (values->stack < values->locals || n_blocks < 0 || n_blocks > MOST_BLOCKS)
        return false;
    values->n_locals = (uint32_t)(values->stack - values->locals);
    values->n_stack = (uint32_t)sg_memory_load_int(values->code + sg_debug_offsets.co_firstlineno -
                                                   FROM_STACK_SIZE_TO_LINE_9);
    values->n_live = n_blocks ? (uint32_t)blocks[(n_blocks - 1) * BLOCK_INTS + BLOCK_LEVEL] : 0;
    return true;
}

/* ---- 3.11 on ---- */

/* Read a number of the exception table: six bits in each byte, the highest first; bit 6 of a byte
 * says that another byte follows. Returns the position behind the number. */
static const uint8_t *read_number(const uint8_t *at, const uint8_t *end, uint32_t *number) {
    *number = 0;
    while (at < end) {
        uint8_t byte = *at++;
        *number = *number << 6 | (byte & 63);
        if (!(byte & 64))
            break;
    }
    return at;
}

/* Return the depth to which the stack is cut if the instruction at `unit` (two bytes each) raises;
 * 0 = the instruction is in no `try` and no `with`. An entry of the exception table consists of
 * start, size, handler, and depth × 2 + a flag. */
static uint32_t find_depth(uintptr_t code, uint32_t unit) {
    PyObject *table = (PyObject *)sg_memory_load(code + CODE_EXCEPTIONS); /* borrowed */
    if (!table || !PyBytes_CheckExact(table))
        return 0;
    const uint8_t *at = (const uint8_t *)PyBytes_AsString(table), *end = at + PyBytes_Size(table);
    while (at < end) {
        uint32_t start, size, handler, depth;
        at = read_number(at, end, &start);
        at = read_number(at, end, &size);
        at = read_number(at, end, &handler);
        at = read_number(at, end, &depth);
        if (unit < start)
            return 0; /* the entries are in order */
        if (unit < start + size)
            return depth >> 1; /* the flag (push-lasti): the handler gets lasti as well */
    }
    return 0;
}

static void read_struct(struct sg_frame_values *values) {
    uintptr_t line = values->code + sg_debug_offsets.co_firstlineno;
    values->n_locals = (uint32_t)sg_memory_load_int(line + FROM_LINE_TO_N_LOCALS);
    values->n_stack = (uint32_t)sg_memory_load_int(line - FROM_STACK_SIZE_TO_LINE);
    values->stack = values->locals + values->n_locals;
    values->n_live = values->lasti < 0 ? 0 : find_depth(values->code, (uint32_t)values->lasti / 2);
}

/* ---- All versions ---- */

static bool read_values(struct sg_frame_values *values) {
    uintptr_t frame = values->frame;
    bool are_objects = sg_debug_offsets.minor < FIRST_WITH_STRUCTS;
    if (!frame || (are_objects &&
                   sg_memory_load(frame + SG_OB_TYPE) != (uintptr_t)sg_python_symbols.frame_type))
        return false;
    values->code = (uintptr_t)sg_python_frame_code(frame);
    values->id = sg_walk_identify(values->code);
    values->locals = sg_python_frame_locals(frame);
    if (values->id == SG_NO_CODE || !values->locals)
        return false;
    values->lasti = sg_python_frame_lasti(frame);
    if (!are_objects)
        read_struct(values);
    else if (!read_object(values))
        return false;
    return values->n_locals <= MOST_VALUES && values->n_stack <= MOST_VALUES &&
           values->n_live <= values->n_stack;
}

bool sg_frame_values_first(const void *thread, struct sg_frame_values *values) {
    values->frame = sg_python_frame(thread);
    return read_values(values);
}

bool sg_frame_values_next(struct sg_frame_values *values) {
    values->frame = sg_python_frame_caller(values->frame);
    return read_values(values);
}
