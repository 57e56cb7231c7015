/* Variables and evaluation stacks of frames, by version. */
#include "frames/frame_values.h"

#include <Python.h>

#include "frames/python_frames.h"
#include "frames/walk.h"
#include "interpreter/python_symbols.h"

enum {
    /* 3.9 and 3.10: frame objects. */
    OBJECT_STACK = 64,
    OBJECT_BLOCKS_9 = 112, /* int: their number; then for each {type, handler, level} */
    OBJECT_BLOCKS_10 = 104,
    OBJECT_BLOCK_LIST_BEHIND = 8,
    MOST_BLOCKS = 20,
    BLOCK_INTS = 3,
    CODE_STACK_SIZE_BEFORE_LINE = 8, /* int, before co_firstlineno */
    /* 3.11 on. */
    FIRST_WITH_STRUCTS = 11,
    CODE_HANDLERS = 40, /* bytes object: the table of handlers */
    CODE_STACK_SIZE_BEFORE = 4,
    CODE_N_LOCALS_BEHIND = 4, /* int: variables and cells */
    MOST_VALUES = 1 << 16,
};

/* ---- 3.9 and 3.10 ---- */

static bool read_object(struct sg_frame_values *values) {
    uintptr_t frame = values->frame;
    int32_t blocks_at = sg_debug_offsets.minor == 9 ? OBJECT_BLOCKS_9 : OBJECT_BLOCKS_10;
    int32_t n_blocks = sg_memory_load_int(frame + blocks_at);
    const int32_t *blocks = (const int32_t *)(frame + blocks_at + OBJECT_BLOCK_LIST_BEHIND);
    values->stack = (const uint64_t *)sg_memory_load(frame + OBJECT_STACK);
    if (values->stack < values->locals || n_blocks < 0 || n_blocks > MOST_BLOCKS)
        return false;
    values->n_locals = (uint32_t)(values->stack - values->locals);
    values->n_stack = (uint32_t)sg_memory_load_int(values->code + sg_debug_offsets.co_firstlineno -
                                                   CODE_STACK_SIZE_BEFORE_LINE);
    values->n_live = n_blocks ? (uint32_t)blocks[(n_blocks - 1) * BLOCK_INTS + 2] : 0;
    return true;
}

/* ---- 3.11 on ---- */

/* A number in bytes of six bits, the highest first; bit 6: another byte follows. */
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

/* The stack's depth for the handler of the instruction at `unit`; 0 = there is none. */
static uint32_t find_depth(uintptr_t code, uint32_t unit) {
    PyObject *table = (PyObject *)sg_memory_load(code + CODE_HANDLERS); /* borrowed: the code's */
    if (!table || !PyBytes_CheckExact(table))
        return 0;
    const uint8_t *at = (const uint8_t *)PyBytes_AsString(table), *end = at + PyBytes_Size(table);
    while (at < end) {
        uint32_t start, size, target, depth;
        at = read_number(at, end, &start);
        at = read_number(at, end, &size);
        at = read_number(at, end, &target);
        at = read_number(at, end, &depth);
        if (unit < start)
            return 0; /* the entries are in order */
        if (unit < start + size)
            return depth >> 1; /* bit 0: whether the handler pushes the instruction */
    }
    return 0;
}

static void read_struct(struct sg_frame_values *values) {
    uintptr_t line = values->code + sg_debug_offsets.co_firstlineno;
    values->n_locals = (uint32_t)sg_memory_load_int(line + CODE_N_LOCALS_BEHIND);
    values->n_stack = (uint32_t)sg_memory_load_int(line - CODE_STACK_SIZE_BEFORE);
    values->stack = values->locals + values->n_locals;
    values->n_live = values->lasti < 0 ? 0 : find_depth(values->code, (uint32_t)values->lasti / 2);
}

/* ---- Both ---- */

static bool read_values(struct sg_frame_values *values) {
    uintptr_t frame = values->frame;
    bool are_objects = sg_debug_offsets.minor < FIRST_WITH_STRUCTS;
    if (!frame ||
        (are_objects && sg_memory_load(frame + 8) != (uintptr_t)sg_python_symbols.frame_type))
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
