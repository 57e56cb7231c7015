/* Stored words are kept in a list. A store that overlaps an earlier word makes that word
 * unknown. */
#include "unwind/machine_state.h"

#include <stddef.h>
#include <string.h>

enum {
    WORD_BYTES = 8,
    RED_ZONE_BYTES = 128, /* memory below the stack pointer that a function may use */
};

static const struct sg_value UNKNOWN = {.kind = SG_VALUE_UNKNOWN};

void sg_machine_state_begin(struct sg_machine_state *state) {
    memset(state, 0, sizeof *state);
    for (uint8_t i = 0; i < SG_N_GENERAL_REGISTERS; i++)
        state->registers[i] = (struct sg_value){.kind = SG_VALUE_REGISTER, .base = i};
}

struct sg_value sg_machine_state_load(const struct sg_machine_state *state, struct sg_value at,
                                      int32_t offset) {
    struct sg_value place = sg_value_add(at, offset);
    if (place.kind == SG_VALUE_WORD) {
        place.kind = SG_VALUE_FAR_WORD;
        return place;
    }
    if (place.kind != SG_VALUE_REGISTER)
        return UNKNOWN;
    for (uint32_t i = 0; i < state->n_stored; i++) {
        const struct sg_stored_word *word = &state->stored[i];
        if (word->base == place.base && word->offset == place.offset)
            return word->value;
        if (word->base == place.base && word->offset > place.offset - WORD_BYTES &&
            word->offset < place.offset + WORD_BYTES)
            return UNKNOWN;
    }
    /* Memory below the red zone did not belong to the stack at the start. */
    if (state->has_forgotten || (place.base == SG_RSP && place.offset < -RED_ZONE_BYTES))
        return UNKNOWN;
    return (struct sg_value){.kind = SG_VALUE_WORD, .base = place.base, .offset = place.offset};
}

static void store(struct sg_machine_state *state, struct sg_value at, int32_t offset,
                  struct sg_value value) {
    struct sg_value place = sg_value_add(at, offset);
    if (place.kind != SG_VALUE_REGISTER)
        return; /* assumed not to be on the stack */
    for (uint32_t i = 0; i < state->n_stored; i++) {
        struct sg_stored_word *word = &state->stored[i];
        bool is_same = word->offset == place.offset;
        if (word->base != place.base || word->offset <= place.offset - WORD_BYTES ||
            word->offset >= place.offset + WORD_BYTES)
            continue;
        word->value = is_same ? value : UNKNOWN;
        if (is_same)
            return;
    }
    bool is_of_stack = place.base == SG_RSP || place.base == SG_RBP;
    if (!is_of_stack && !sg_value_is_initial(value, SG_RBP))
        return;
    if (state->n_stored == SG_MOST_STORED_WORDS) {
        state->has_forgotten = true;
        return;
    }
    state->stored[state->n_stored++] =
        (struct sg_stored_word){.base = place.base, .offset = place.offset, .value = value};
}

static struct sg_value value_of(const struct sg_machine_state *state, uint8_t number) {
    return number == SG_NO_REGISTER ? UNKNOWN : state->registers[number];
}

static void pop(struct sg_machine_state *state, uint8_t to) {
    struct sg_value *sp = &state->registers[SG_RSP];
    struct sg_value value = sg_machine_state_load(state, *sp, 0);
    *sp = sg_value_add(*sp, WORD_BYTES);
    if (to != SG_NO_REGISTER)
        state->registers[to] = value;
}

static void push(struct sg_machine_state *state, uint8_t from) {
    struct sg_value value = value_of(state, from);
    state->registers[SG_RSP] = sg_value_add(state->registers[SG_RSP], -WORD_BYTES);
    store(state, state->registers[SG_RSP], 0, value);
}

void sg_machine_state_apply(struct sg_machine_state *state,
                            const struct sg_register_effect *effect) {
    struct sg_value *registers = state->registers;
    switch ((enum sg_effect_kind)effect->kind) {
    case SG_EFFECT_MOVE:
        registers[effect->to] = registers[effect->from];
        break;
    case SG_EFFECT_ADD:
        registers[effect->to] = sg_value_add(registers[effect->from], effect->amount);
        break;
    case SG_EFFECT_LOAD:
        registers[effect->to] =
            sg_machine_state_load(state, registers[effect->from], effect->amount);
        break;
    case SG_EFFECT_STORE:
        store(state, registers[effect->to], effect->amount, value_of(state, effect->from));
        break;
    case SG_EFFECT_PUSH:
        push(state, effect->from);
        break;
    case SG_EFFECT_POP:
        pop(state, effect->to);
        break;
    case SG_EFFECT_LEAVE:
        registers[SG_RSP] = registers[SG_RBP];
        pop(state, SG_RBP);
        break;
    default:
        break;
    }
    for (int i = 0; effect->written >> i; i++)
        if (effect->written >> i & 1)
            registers[i] = UNKNOWN;
}

const struct sg_stored_word *sg_machine_state_find_saved(const struct sg_machine_state *state,
                                                         uint8_t number) {
    for (uint32_t i = 0; i < state->n_stored; i++)
        if (sg_value_is_initial(state->stored[i].value, number))
            return &state->stored[i];
    return NULL;
}
