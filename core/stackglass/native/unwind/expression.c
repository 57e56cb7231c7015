/* Follows the operations one by one, and accepts at most one base, one load and sums of constants.
 * The opcodes are DWARF's (DW_OP_…). */
#include "unwind/expression.h"

enum {
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_CONST1S = 0x09,
    OP_CONST2U = 0x0a,
    OP_CONST2S = 0x0b,
    OP_CONST4U = 0x0c,
    OP_CONST4S = 0x0d,
    OP_CONSTU = 0x10,
    OP_CONSTS = 0x11,
    OP_MINUS = 0x1c,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8f,
    MOST_OPERATIONS = 16,
};

/* Read the expression that linkers write for the stubs of imported functions: breg7 (rsp) 8, breg16
 * (rip) 0, lit15, and, lit N, ge, lit3, shl, plus. */
static bool is_stub(struct sg_unwind_cursor code, struct sg_unwind_expression *found) {
    static const uint8_t HEAD[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a};
    static const uint8_t TAIL[] = {0x2a, 0x33, 0x24, 0x22};
    enum { STACK_POINTER = 7, BYTES = sizeof HEAD + 1 + sizeof TAIL };
    if (code.end - code.at != BYTES || memcmp(code.at, HEAD, sizeof HEAD) ||
        memcmp(code.at + sizeof HEAD + 1, TAIL, sizeof TAIL))
        return false;
    uint8_t limit = code.at[sizeof HEAD];
    if (limit < OP_LIT0 || limit > OP_LIT31)
        return false;
    *found = (struct sg_unwind_expression){
        .base = STACK_POINTER, .is_stub = true, .offset = 8, .addend = limit - OP_LIT0};
    return true;
}

static bool read_constant(struct sg_unwind_cursor *code, uint8_t operation, int64_t *constant) {
    if (operation >= OP_LIT0 && operation <= OP_LIT31) {
        *constant = operation - OP_LIT0;
        return true;
    }
    switch (operation) {
    case OP_CONST1U:
        *constant = (int64_t)sg_unwind_cursor_fixed(code, 1);
        return true;
    case OP_CONST1S:
        *constant = sg_unwind_cursor_signed(code, 1);
        return true;
    case OP_CONST2U:
        *constant = (int64_t)sg_unwind_cursor_fixed(code, 2);
        return true;
    case OP_CONST2S:
        *constant = sg_unwind_cursor_signed(code, 2);
        return true;
    case OP_CONST4U:
        *constant = (int64_t)sg_unwind_cursor_fixed(code, 4);
        return true;
    case OP_CONST4S:
        *constant = sg_unwind_cursor_signed(code, 4);
        return true;
    case OP_CONSTU:
        *constant = (int64_t)sg_unwind_cursor_uleb(code);
        return true;
    case OP_CONSTS:
        *constant = sg_unwind_cursor_sleb(code);
        return true;
    default:
        return false;
    }
}

/* Offsets of frames are far smaller; larger ones would overflow a rule. */
static bool is_small(int64_t value) { return value >= INT32_MIN / 2 && value <= INT32_MAX / 2; }

bool sg_unwind_expression_read(struct sg_unwind_cursor code, bool begins_with_cfa,
                               struct sg_unwind_expression *found) {
    bool has_base = begins_with_cfa, has_constant = false;
    int64_t constant = 0;
    if (!begins_with_cfa && is_stub(code, found))
        return true;
    *found = (struct sg_unwind_expression){.base = SG_UNWIND_REGISTER_CFA};
    for (int i = 0; code.at < code.end && i < MOST_OPERATIONS && !code.is_bad; i++) {
        uint8_t operation = sg_unwind_cursor_byte(&code);
        int64_t *sum = found->is_loaded ? &found->addend : &found->offset;
        if (operation >= OP_BREG0 && operation <= OP_BREG31) {
            if (found->base != SG_UNWIND_REGISTER_CFA || found->is_loaded || has_constant)
                return false;
            found->base = operation - OP_BREG0;
            found->offset = sg_unwind_cursor_sleb(&code);
            has_base = true;
        } else if (operation == OP_DEREF && has_base && !found->is_loaded && !has_constant) {
            found->is_loaded = true;
        } else if (operation == OP_PLUS_UCONST && has_base && !has_constant) {
            uint64_t plus = sg_unwind_cursor_uleb(&code);
            *sum += plus <= INT32_MAX ? (int64_t)plus : INT32_MAX;
        } else if ((operation == OP_PLUS || operation == OP_MINUS) && has_base && has_constant &&
                   is_small(constant)) {
            *sum += operation == OP_PLUS ? constant : -constant;
            has_constant = false;
        } else if (!has_constant && read_constant(&code, operation, &constant)) {
            has_constant = true;
        } else {
            return false;
        }
        if (!is_small(*sum))
            return false;
    }
    return !code.is_bad && code.at == code.end && has_base && !has_constant;
}
