/* Interprets instructions path by path, like the data-flow analysis of a compiler.
 *
 *     pass ─▶ follow: visit, step, visit, step … ─▶ a return: leave
 *               │           └─ conditional jump: a branch for later
 *               └─ an instruction visited before: meet
 *
 * Where two paths meet with different values in a register, the register is marked as unknown
 * there, and the pass is repeated, because instructions behind that place may have used the
 * value. */
#include "unwind/forward_walk.h"

#include <string.h>

#include "unwind/instruction.h"
#include "unwind/register_effect.h"

enum {
    WORD_BYTES = 8,
    MOST_PASSES = 12, /* each but the last adds merges; the walk fails if the code needs more */
};

static const struct sg_value UNKNOWN = {.kind = SG_VALUE_UNKNOWN};

/* ---- Visits ---- */

static uint16_t *find_place(struct sg_forward_walk *walk, uintptr_t address) {
    enum { N_PLACES = 2 * SG_FORWARD_INSTRUCTIONS };
    uint32_t place = (uint32_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 40) % N_PLACES;
    while (walk->index[place] && walk->visits[walk->index[place] - 1].address != address)
        place = (place + 1) % N_PLACES;
    return &walk->index[place];
}

static struct sg_forward_merge *find_merge(struct sg_forward_walk *walk, uintptr_t address) {
    for (uint32_t i = 0; i < walk->n_merges; i++)
        if (walk->merges[i].address == address)
            return &walk->merges[i];
    return NULL;
}

static void visit(struct sg_forward_walk *walk, uintptr_t address, struct sg_machine_state *state,
                  bool is_behind_call) {
    struct sg_forward_visit *visit = &walk->visits[walk->n_visits++];
    const struct sg_forward_merge *merge = find_merge(walk, address);
    for (int i = 0; merge && i < SG_N_GENERAL_REGISTERS; i++)
        if (merge->registers >> i & 1)
            state->registers[i] = UNKNOWN;
    const struct sg_stored_word *saved = sg_machine_state_find_saved(state, SG_RBP);
    visit->address = address;
    memcpy(visit->registers, state->registers, sizeof visit->registers);
    visit->saved_base = saved ? saved->base : SG_NO_REGISTER;
    visit->saved_offset = saved ? saved->offset : 0;
    visit->is_behind_call = is_behind_call;
}

/* Merge the state of another path that has come to a visited instruction. If the stack pointers
 * differ, the walk fails. */
static void meet(struct sg_forward_walk *walk, const struct sg_forward_visit *visit,
                 const struct sg_machine_state *state) {
    unsigned unlike = 0; /* a bit for each register with different values */
    for (unsigned i = 0; i < SG_N_GENERAL_REGISTERS; i++)
        if (visit->registers[i].kind != SG_VALUE_UNKNOWN &&
            !sg_value_is_equal(visit->registers[i], state->registers[i]))
            unlike |= 1u << i;
    if (!unlike)
        return;
    struct sg_forward_merge *merge = find_merge(walk, visit->address);
    if (unlike >> SG_RSP & 1 || (!merge && walk->n_merges == SG_FORWARD_MERGES)) {
        walk->is_refused = true;
        return;
    }
    if (!merge) {
        merge = &walk->merges[walk->n_merges++];
        *merge = (struct sg_forward_merge){.address = visit->address};
    }
    walk->is_unstable |= unlike & (unsigned)~merge->registers;
    merge->registers |= (uint16_t)unlike;
}

/* ---- Exits ---- */

static void leave(struct sg_forward_walk *walk, struct sg_value cfa,
                  struct sg_value frame_pointer) {
    /* A return to an address that was pushed since the start is a jump. */
    bool is_below = cfa.kind == SG_VALUE_REGISTER && cfa.base == SG_RSP && cfa.offset < WORD_BYTES;
    bool is_known = cfa.kind == SG_VALUE_REGISTER || cfa.kind == SG_VALUE_WORD;
    if (!is_known || is_below)
        return;
    if (!walk->has_exit) {
        walk->cfa = cfa;
        walk->frame_pointer = frame_pointer;
    } else if (!sg_value_is_equal(walk->cfa, cfa)) {
        walk->is_refused = true;
    } else if (!sg_value_is_equal(walk->frame_pointer, frame_pointer)) {
        walk->frame_pointer = UNKNOWN;
    }
    walk->has_exit = true;
}

static void leave_by_return(struct sg_forward_walk *walk, const struct sg_machine_state *state) {
    leave(walk, sg_value_add(state->registers[SG_RSP], WORD_BYTES), state->registers[SG_RBP]);
}

/* End a path at a jump into code with a row, which gives the caller's frame. */
static void leave_by_row(struct sg_forward_walk *walk, const struct sg_machine_state *state,
                         const struct sg_unwind_rule *row) {
    bool is_known = row->cfa == SG_CFA_OF_STACK_POINTER || row->cfa == SG_CFA_OF_FRAME_POINTER;
    uint8_t base = row->cfa == SG_CFA_OF_STACK_POINTER ? SG_RSP : SG_RBP;
    if (!is_known)
        return;
    struct sg_value cfa = sg_value_add(state->registers[base], row->cfa_offset);
    struct sg_value frame_pointer = UNKNOWN;
    if (row->frame_pointer == SG_SAVED_NOT)
        frame_pointer = state->registers[SG_RBP];
    else if (row->frame_pointer == SG_SAVED_AT_CFA)
        frame_pointer = sg_machine_state_load(state, cfa, row->frame_pointer_offset);
    leave(walk, cfa, frame_pointer);
}

/* ---- Paths ---- */

static void add_branch(struct sg_forward_walk *walk, uintptr_t address,
                       const struct sg_machine_state *state) {
    if (walk->n_branches < SG_FORWARD_BRANCHES)
        walk->branches[walk->n_branches++] =
            (struct sg_forward_branch){.address = address, .state = *state};
}

/* Return whether the jump goes through a word at a fixed address, as in the PLT. It is a tail call
 * of another library's function, which returns to the caller of this frame. */
static bool is_stub_jump(const struct sg_instruction *instruction) {
    return instruction->is_relative;
}

/* Return whether the instruction is padding, which compilers put behind a call that does not
 * return. */
static bool is_filler(const struct sg_instruction *instruction) {
    enum { NOP = 0x90, LONG_NOP = 0x1f, TRAP = 0xcc };
    bool is_primary = instruction->map == SG_MAP_PRIMARY;
    return (is_primary && (instruction->opcode == NOP || instruction->opcode == TRAP)) ||
           (instruction->map == SG_MAP_0F && !instruction->is_vector &&
            instruction->opcode == LONG_NOP);
}

struct place {
    uintptr_t address;
    bool is_jump;        /* reached by a jump */
    bool is_behind_call; /* the instruction before it is a call */
};

/* Interpret one instruction, and advance `place`. Returns false if the path ends. */
static bool step(struct sg_forward_walk *walk, struct place *place,
                 struct sg_machine_state *state) {
    uint8_t bytes[SG_INSTRUCTION_BYTES];
    struct sg_instruction instruction;
    size_t n = sg_code_bytes_copy(walk->code, place->address, bytes, sizeof bytes);
    if (!sg_instruction_decode(bytes, n, &instruction))
        return false;
    if (place->is_behind_call && is_filler(&instruction))
        return false;
    struct sg_register_effect effect = sg_register_effect_find(&instruction);
    uintptr_t next = place->address + instruction.length;
    uintptr_t target = next + (uintptr_t)(intptr_t)effect.amount;
    sg_machine_state_apply(state, &effect);
    *place = (struct place){.address = next, .is_behind_call = effect.kind == SG_EFFECT_CALL};
    switch ((enum sg_effect_kind)effect.kind) {
    case SG_EFFECT_RETURN:
        leave_by_return(walk, state);
        return false;
    case SG_EFFECT_JUMP_ANYWHERE:
        if (is_stub_jump(&instruction))
            leave_by_return(walk, state);
        return false;
    case SG_EFFECT_END:
        return false;
    case SG_EFFECT_JUMP:
        *place = (struct place){.address = target, .is_jump = true};
        return true;
    case SG_EFFECT_JUMP_IF:
        add_branch(walk, target, state);
        return true;
    default:
        return true;
    }
}

static void follow(struct sg_forward_walk *walk, struct place place,
                   struct sg_machine_state *state) {
    while (!walk->is_refused) {
        uint16_t *number = find_place(walk, place.address);
        if (*number) {
            meet(walk, &walk->visits[*number - 1], state);
            return;
        }
        /* If the path was not jumping, code with a row is the next function: the path ran past a
         * call that does not return. */
        const struct sg_unwind_rule *row =
            walk->n_visits ? walk->find_row(walk->context, place.address) : NULL;
        if (row && place.is_jump)
            leave_by_row(walk, state, row);
        if (row || walk->n_visits == SG_FORWARD_INSTRUCTIONS)
            return;
        visit(walk, place.address, state, place.is_behind_call);
        *number = (uint16_t)walk->n_visits;
        if (!step(walk, &place, state))
            return;
    }
}

static void pass(struct sg_forward_walk *walk, struct place start) {
    struct sg_machine_state state;
    walk->n_visits = walk->n_branches = 0;
    walk->is_unstable = walk->is_refused = walk->has_exit = false;
    memset(walk->index, 0, sizeof walk->index);
    sg_machine_state_begin(&state);
    follow(walk, start, &state);
    while (walk->n_branches && !walk->is_refused) {
        struct sg_forward_branch *branch = &walk->branches[--walk->n_branches];
        state = branch->state;
        follow(walk, (struct place){.address = branch->address, .is_jump = true}, &state);
    }
}

bool sg_forward_walk_run(struct sg_forward_walk *walk, struct sg_code_bytes *code,
                         sg_forward_row_fn *find_row, void *context, uintptr_t pc,
                         bool is_behind_call) {
    struct place start = {.address = pc, .is_behind_call = is_behind_call};
    walk->code = code;
    walk->find_row = find_row;
    walk->context = context;
    walk->n_merges = 0;
    for (int i = 0; i < MOST_PASSES; i++) {
        pass(walk, start);
        if (walk->is_refused || !walk->is_unstable)
            return walk->has_exit && !walk->is_refused;
    }
    return false;
}
