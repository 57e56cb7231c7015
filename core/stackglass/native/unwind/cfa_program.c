/* One function for each group of call frame instructions. The opcodes are DWARF's (DW_CFA_…), and
 * two of GNU's. */
#include "unwind/cfa_program.h"

enum {
    /* The opcode is in the upper two bits, an operand in the lower six. */
    CFA_ADVANCE = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
    CFA_OPERAND = 0x3f,

    CFA_NOP = 0x00,
    CFA_SET_PC = 0x01,
    CFA_ADVANCE_1 = 0x02,
    CFA_ADVANCE_2 = 0x03,
    CFA_ADVANCE_4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEFINE = 0x0c,
    CFA_DEFINE_REGISTER = 0x0d,
    CFA_DEFINE_OFFSET = 0x0e,
    CFA_DEFINE_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_SIGNED = 0x11,
    CFA_DEFINE_SIGNED = 0x12,
    CFA_DEFINE_OFFSET_SIGNED = 0x13,
    CFA_VALUE_OFFSET = 0x14,
    CFA_VALUE_OFFSET_SIGNED = 0x15,
    CFA_VALUE_EXPRESSION = 0x16,
    CFA_GNU_ARGUMENTS_SIZE = 0x2e,
    CFA_GNU_OFFSET_NEGATIVE = 0x2f,

    /* Limits: larger values occur only in damaged tables. */
    MOST_REMEMBERED = 16, /* nested DW_CFA_remember_state */
    LARGEST_OFFSET = 1 << 30,
};

/* A program while it runs. */
struct machine {
    struct sg_cfa_program *program;
    struct sg_cfa_row *row;
    struct sg_cfa_row remembered[MOST_REMEMBERED];
    unsigned n_remembered;
    bool is_bad;
};

static bool is_small(int64_t value) { return value > -LARGEST_OFFSET && value < LARGEST_OFFSET; }

/* Return the register with this DWARF number, or NULL if the row does not track it. */
static struct sg_saved_register *find(struct sg_cfa_row *row, uint64_t number) {
    if (number == SG_DWARF_FRAME_POINTER)
        return &row->frame_pointer;
    return number == SG_DWARF_RETURN_ADDRESS ? &row->return_address : NULL;
}

static void set(struct machine *machine, uint64_t number, struct sg_saved_register saved) {
    struct sg_saved_register *found = find(machine->row, number);
    if (found)
        *found = saved;
}

static void set_how(struct machine *machine, uint64_t number, int how) {
    set(machine, number, (struct sg_saved_register){.how = how});
}

static void save_at(struct machine *machine, uint64_t number, int64_t factored, int64_t factor) {
    if (!is_small(factored) || !is_small(factored * factor)) {
        machine->is_bad = true;
        return;
    }
    set(machine, number,
        (struct sg_saved_register){
            .how = SG_REGISTER_SAVED,
            .place = {.base = SG_UNWIND_REGISTER_CFA, .offset = factored * factor},
        });
}

static void restore(struct machine *machine, uint64_t number) {
    if (!machine->program->initial) {
        machine->is_bad = true;
        return;
    }
    struct sg_cfa_row initial = *machine->program->initial;
    const struct sg_saved_register *found = find(&initial, number);
    if (found)
        set(machine, number, *found);
}

/* Set the CFA to a register plus an offset. */
static void define_cfa(struct machine *machine, uint64_t number, int64_t offset) {
    machine->is_bad |= !is_small(offset);
    machine->row->is_unknown = number >= SG_UNWIND_REGISTER_CFA;
    machine->row->cfa = (struct sg_unwind_expression){.base = (uint8_t)number, .offset = offset};
}

/* Return a cursor over an expression's block, and skip the block: its length, then that many
 * bytes. */
static struct sg_unwind_cursor take_block(struct sg_unwind_cursor *code) {
    uint64_t n_bytes = sg_unwind_cursor_uleb(code);
    struct sg_unwind_cursor block = *code;
    sg_unwind_cursor_skip(code, n_bytes);
    block.end = code->is_bad ? block.at : block.at + n_bytes;
    return block;
}

static void save_by_expression(struct machine *machine, uint64_t number) {
    struct sg_saved_register saved = {.how = SG_REGISTER_SAVED};
    struct sg_unwind_cursor block = take_block(&machine->program->code);
    if (!sg_unwind_expression_read(block, true, &saved.place) || saved.place.is_loaded)
        saved.how = SG_REGISTER_LOST;
    set(machine, number, saved);
}

/* Read an offset in units of the CIE's data alignment factor, and return it in bytes. An offset
 * that is too large becomes one that define_cfa refuses. */
static int64_t take_factored(struct machine *machine) {
    int64_t factored = sg_unwind_cursor_sleb(&machine->program->code);
    return is_small(factored) ? factored * machine->program->data_factor : LARGEST_OFFSET;
}

/* Run an instruction that changes the CFA. */
static void change_cfa(struct machine *machine, uint8_t operation) {
    struct sg_unwind_cursor *code = &machine->program->code;
    struct sg_cfa_row *row = machine->row;
    uint64_t number = row->cfa.base;
    switch (operation) {
    case CFA_DEFINE:
        number = sg_unwind_cursor_uleb(code);
        define_cfa(machine, number, (int64_t)sg_unwind_cursor_uleb(code));
        break;
    case CFA_DEFINE_SIGNED:
        number = sg_unwind_cursor_uleb(code);
        define_cfa(machine, number, take_factored(machine));
        break;
    case CFA_DEFINE_REGISTER:
        define_cfa(machine, sg_unwind_cursor_uleb(code), row->cfa.offset);
        break;
    case CFA_DEFINE_OFFSET:
        define_cfa(machine, number, (int64_t)sg_unwind_cursor_uleb(code));
        break;
    case CFA_DEFINE_OFFSET_SIGNED:
        define_cfa(machine, number, take_factored(machine));
        break;
    default: /* CFA_DEFINE_EXPRESSION */
        row->is_unknown = !sg_unwind_expression_read(take_block(code), false, &row->cfa);
    }
}

/* Run an instruction that changes how a register is saved; the register's number is its first
 * operand. */
static void change_register(struct machine *machine, uint8_t operation) {
    struct sg_unwind_cursor *code = &machine->program->code;
    int64_t factor = machine->program->data_factor;
    uint64_t number = sg_unwind_cursor_uleb(code);
    switch (operation) {
    case CFA_OFFSET_EXTENDED:
        save_at(machine, number, (int64_t)sg_unwind_cursor_uleb(code), factor);
        break;
    case CFA_OFFSET_SIGNED:
        save_at(machine, number, sg_unwind_cursor_sleb(code), factor);
        break;
    case CFA_GNU_OFFSET_NEGATIVE:
        save_at(machine, number, (int64_t)sg_unwind_cursor_uleb(code), -factor);
        break;
    case CFA_RESTORE_EXTENDED:
        restore(machine, number);
        break;
    case CFA_UNDEFINED:
        set_how(machine, number, SG_REGISTER_UNDEFINED);
        break;
    case CFA_SAME_VALUE:
        set_how(machine, number, SG_REGISTER_SAME);
        break;
    case CFA_EXPRESSION:
        save_by_expression(machine, number);
        break;
    case CFA_VALUE_EXPRESSION:
        take_block(code);
        set_how(machine, number, SG_REGISTER_LOST);
        break;
    default: /* CFA_REGISTER, CFA_VALUE_OFFSET, CFA_VALUE_OFFSET_SIGNED: one more operand */
        sg_unwind_cursor_uleb(code);
        set_how(machine, number, SG_REGISTER_LOST);
    }
}

static void remember(struct machine *machine) {
    if (machine->n_remembered == MOST_REMEMBERED)
        machine->is_bad = true;
    else
        machine->remembered[machine->n_remembered++] = *machine->row;
}

static void restore_state(struct machine *machine) {
    if (!machine->n_remembered)
        machine->is_bad = true;
    else
        *machine->row = machine->remembered[--machine->n_remembered];
}

/* Return how far the instruction advances the address from which the next row is valid. */
static uint64_t advance(struct machine *machine, uint8_t operation, uint64_t pc) {
    struct sg_unwind_cursor *code = &machine->program->code;
    uint64_t factor = machine->program->code_factor;
    switch (operation) {
    case CFA_SET_PC:
        return sg_unwind_cursor_pointer(code, machine->program->pointer_encoding) - pc;
    case CFA_ADVANCE_1:
        return sg_unwind_cursor_fixed(code, 1) * factor;
    case CFA_ADVANCE_2:
        return sg_unwind_cursor_fixed(code, 2) * factor;
    case CFA_ADVANCE_4:
        return sg_unwind_cursor_fixed(code, 4) * factor;
    default:
        return (operation & CFA_OPERAND) * factor;
    }
}

static void execute(struct machine *machine, uint8_t operation) {
    struct sg_unwind_cursor *code = &machine->program->code;
    switch (operation) {
    case CFA_NOP:
        break;
    case CFA_REMEMBER:
        remember(machine);
        break;
    case CFA_RESTORE_STATE:
        restore_state(machine);
        break;
    case CFA_GNU_ARGUMENTS_SIZE:
        sg_unwind_cursor_uleb(code);
        break;
    case CFA_DEFINE:
    case CFA_DEFINE_REGISTER:
    case CFA_DEFINE_OFFSET:
    case CFA_DEFINE_EXPRESSION:
    case CFA_DEFINE_SIGNED:
    case CFA_DEFINE_OFFSET_SIGNED:
        change_cfa(machine, operation);
        break;
    case CFA_OFFSET_EXTENDED:
    case CFA_RESTORE_EXTENDED:
    case CFA_UNDEFINED:
    case CFA_SAME_VALUE:
    case CFA_REGISTER:
    case CFA_EXPRESSION:
    case CFA_OFFSET_SIGNED:
    case CFA_VALUE_OFFSET:
    case CFA_VALUE_OFFSET_SIGNED:
    case CFA_VALUE_EXPRESSION:
    case CFA_GNU_OFFSET_NEGATIVE:
        change_register(machine, operation);
        break;
    default:
        machine->is_bad = true;
    }
}

bool sg_cfa_program_run(struct sg_cfa_program *program, struct sg_cfa_row *row, uint64_t *pc,
                        sg_cfa_row_fn *emit, void *context) {
    struct machine machine = {.program = program, .row = row};
    struct sg_unwind_cursor *code = &program->code;
    while (code->at < code->end && !machine.is_bad && !code->is_bad) {
        uint8_t operation = sg_unwind_cursor_byte(code), kind = operation & (uint8_t)~CFA_OPERAND;
        if (kind == CFA_ADVANCE || (operation >= CFA_SET_PC && operation <= CFA_ADVANCE_4)) {
            uint64_t by = advance(&machine, operation, *pc);
            if (by >= LARGEST_OFFSET) /* unsigned, so a step backwards is too large as well */
                return false;
            if (by && !code->is_bad) {
                if (emit && !emit(context, *pc, row))
                    return false;
                *pc += by;
            }
        } else if (kind == CFA_OFFSET) {
            save_at(&machine, operation & CFA_OPERAND, (int64_t)sg_unwind_cursor_uleb(code),
                    program->data_factor);
        } else if (kind == CFA_RESTORE) {
            restore(&machine, operation & CFA_OPERAND);
        } else {
            execute(&machine, operation);
        }
    }
    return !machine.is_bad && !code->is_bad;
}

static void set_cfa(const struct sg_cfa_row *row, struct sg_unwind_rule *rule) {
    const struct sg_unwind_expression *cfa = &row->cfa;
    bool is_sp = cfa->base == SG_DWARF_STACK_POINTER, is_fp = cfa->base == SG_DWARF_FRAME_POINTER;
    rule->cfa = SG_CFA_UNKNOWN;
    if (row->is_unknown || cfa->base >= SG_UNWIND_REGISTER_CFA)
        return;
    rule->cfa_offset = (int32_t)cfa->offset;
    rule->cfa_addend = (int32_t)cfa->addend;
    if (cfa->is_stub)
        rule->cfa = SG_CFA_OF_STUB;
    else if (cfa->is_loaded)
        rule->cfa = is_sp   ? SG_CFA_AT_STACK_POINTER
                    : is_fp ? SG_CFA_AT_FRAME_POINTER
                            : SG_CFA_UNKNOWN;
    else
        rule->cfa = is_sp   ? SG_CFA_OF_STACK_POINTER
                    : is_fp ? SG_CFA_OF_FRAME_POINTER
                            : SG_CFA_OF_REGISTER;
    rule->cfa_register = rule->cfa == SG_CFA_OF_REGISTER ? cfa->base : 0;
}

static void set_frame_pointer(const struct sg_saved_register *saved, struct sg_unwind_rule *rule) {
    rule->frame_pointer = SG_SAVED_LOST;
    if (saved->how == SG_REGISTER_SAME)
        rule->frame_pointer = SG_SAVED_NOT;
    if (saved->how != SG_REGISTER_SAVED)
        return;
    uint8_t base = saved->place.base;
    if (base == SG_UNWIND_REGISTER_CFA)
        rule->frame_pointer = SG_SAVED_AT_CFA;
    else if (base == SG_DWARF_FRAME_POINTER)
        rule->frame_pointer = SG_SAVED_AT_FRAME_POINTER;
    else if (base == SG_DWARF_STACK_POINTER)
        rule->frame_pointer = SG_SAVED_AT_STACK_POINTER;
    else
        return;
    rule->frame_pointer_offset = (int32_t)saved->place.offset;
}

struct sg_unwind_rule sg_cfa_program_rule(const struct sg_cfa_row *row, bool is_signal_frame) {
    struct sg_unwind_rule rule = {.cfa = SG_CFA_UNKNOWN};
    const struct sg_saved_register *back = &row->return_address;
    enum { RETURN_ADDRESS_OFFSET = -8 };
    if (is_signal_frame)
        return (struct sg_unwind_rule){.cfa = SG_CFA_SIGNAL_FRAME};
    if (back->how == SG_REGISTER_UNDEFINED)
        return (struct sg_unwind_rule){.cfa = SG_CFA_OUTERMOST};
    if (back->how != SG_REGISTER_SAVED || back->place.base != SG_UNWIND_REGISTER_CFA ||
        back->place.offset != RETURN_ADDRESS_OFFSET)
        return rule;
    set_cfa(row, &rule);
    if (rule.cfa == SG_CFA_UNKNOWN)
        return (struct sg_unwind_rule){.cfa = SG_CFA_UNKNOWN};
    set_frame_pointer(&row->frame_pointer, &rule);
    return rule;
}
