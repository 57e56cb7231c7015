/* Values of frames, by version: see frame_values.h. */
#include "frame_values.h"

#include <Python.h>

#include "frames.h"
#include "layout.h"
#include "memory.h"
#include "python_symbols.h"

enum {
    /* 3.9 and 3.10: frame objects. */
    OBJECT_STACK = 64,
    OBJECT_BLOCKS_9 = 112, /* int: how many; then for each {type, handler, level} */
    OBJECT_BLOCKS_10 = 104,
    OBJECT_BLOCK_LIST_BEHIND = 8,
    OBJECT_LOCALS_BEHIND = 248, /* behind a list of 20 */
    MOST_BLOCKS = 20,
    BLOCK_INTS = 3,
    CODE_STACK_SIZE_BEFORE_LINE = 8, /* int, before co_firstlineno */
    /* 3.11 on. */
    FIRST_WITH_STRUCTS = 11,
    CODE_HANDLERS = 40, /* bytes object: the table of handlers */
    CODE_STACK_SIZE_BEFORE = 4,
    CODE_N_LOCALS_BEHIND = 4, /* int: variables and cells */
    FIRST_WITH_TAGS = 14,
    TAGS = 7,
    TAG_MASK = 3,
    TAGGED_NUMBER = 3,
    FIRST_SHIM_OWNER = 3,
    MOST_SHIMS = 2048,
    MOST_VALUES = 1 << 16,
};

uintptr_t sg_frame_value(uint64_t word) {
    if (sg_layout.minor < FIRST_WITH_TAGS)
        return (uintptr_t)word;
    return (word & TAG_MASK) == TAGGED_NUMBER ? 0 : (uintptr_t)(word & ~(uint64_t)TAGS);
}

/* ---- 3.9 and 3.10 ---- */

static bool read_object(struct sg_frame_values *values) {
    const struct sg_layout *at = &sg_layout;
    uintptr_t frame = values->frame;
    if (!frame || sg_load(frame + 8) != (uintptr_t)sg_python.frame_type)
        return false;
    int32_t blocks_at = at->minor == 9 ? OBJECT_BLOCKS_9 : OBJECT_BLOCKS_10;
    int32_t n_blocks = sg_load_int(frame + blocks_at);
    const int32_t *blocks = (const int32_t *)(frame + blocks_at + OBJECT_BLOCK_LIST_BEHIND);
    values->code = sg_load(frame + at->code);
    values->id = sg_frames_identify(values->code);
    values->lasti = sg_load_int(frame + at->instruction) * (at->minor == 10 ? 2 : 1);
    values->locals = (const uint64_t *)(frame + blocks_at + OBJECT_LOCALS_BEHIND);
    values->stack = (const uint64_t *)sg_load(frame + OBJECT_STACK);
    if (values->id == SG_NO_CODE || values->stack < values->locals || n_blocks < 0 ||
        n_blocks > MOST_BLOCKS)
        return false;
    values->n_locals = (uint32_t)(values->stack - values->locals);
    values->n_stack =
        (uint32_t)sg_load_int(values->code + at->co_firstlineno - CODE_STACK_SIZE_BEFORE_LINE);
    values->n_live = n_blocks ? (uint32_t)blocks[(n_blocks - 1) * BLOCK_INTS + 2] : 0;
    return true;
}

/* ---- 3.11 on ---- */

/* Numbers of six bits a byte, the first ones first; bit 6: there is more. */
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
    PyObject *table = (PyObject *)sg_load(code + CODE_HANDLERS); /* borrowed: the code's */
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
            return 0; /* they are in order */
        if (unit < start + size)
            return depth >> 1; /* bit 0 is the handler's own affair */
    }
    return 0;
}

static bool read_struct(struct sg_frame_values *values) {
    const struct sg_layout *at = &sg_layout;
    uintptr_t frame = values->frame;
    for (int i = 0; frame && i < MOST_SHIMS; i++, frame = sg_load(frame + at->previous)) {
        if (*(const uint8_t *)(frame + at->owner) < FIRST_SHIM_OWNER)
            break;
    }
    if (!frame)
        return false;
    values->frame = frame;
    values->code = sg_frame_value(sg_load(frame + at->code));
    values->id = sg_frames_identify(values->code);
    if (values->id == SG_NO_CODE)
        return false;
    intptr_t lasti = (intptr_t)(sg_load(frame + at->instruction) - values->code - at->co_adaptive);
    uintptr_t line = values->code + at->co_firstlineno;
    values->lasti = (int32_t)lasti;
    values->locals = (const uint64_t *)(frame + (((uintptr_t)at->owner + 8) & ~(uintptr_t)7));
    values->n_locals = (uint32_t)sg_load_int(line + CODE_N_LOCALS_BEHIND);
    values->n_stack = (uint32_t)sg_load_int(line - CODE_STACK_SIZE_BEFORE);
    values->stack = values->locals + values->n_locals;
    values->n_live = lasti < 0 ? 0 : find_depth(values->code, (uint32_t)lasti / 2);
    return true;
}

/* ---- Both ---- */

static bool read_values(struct sg_frame_values *values) {
    bool is_read = sg_layout.minor < FIRST_WITH_STRUCTS ? read_object(values) : read_struct(values);
    return is_read && values->n_locals <= MOST_VALUES && values->n_stack <= MOST_VALUES &&
           values->n_live <= values->n_stack;
}

bool sg_frame_values_first(const void *thread, struct sg_frame_values *values) {
    const struct sg_layout *at = &sg_layout;
    values->frame = sg_load((uintptr_t)thread + at->current_frame);
    if (at->cframe_frame >= 0)
        values->frame = sg_load(values->frame + at->cframe_frame);
    return read_values(values);
}

bool sg_frame_values_next(struct sg_frame_values *values) {
    values->frame = sg_load(values->frame + sg_layout.previous);
    return read_values(values);
}
