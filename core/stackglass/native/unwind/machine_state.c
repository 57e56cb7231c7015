/* Stores are kept in a list, oldest first. A store replaces the earlier ones that it covers, and
 * makes those unknown that it overlaps. */
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

static bool overlaps(const struct sg_stored_word *word, struct sg_value place, int32_t width) {
    return word->base == place.base && word->offset < place.offset + width &&
           place.offset < word->offset + word->width;
}

/* Return whether the store has changed all of the `width` bytes at `place`. */
static bool covers(const struct sg_stored_word *word, struct sg_value place, int32_t width) {
    return word->base == place.base && word->offset <= place.offset &&
           place.offset + width <= word->offset + word->width;
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
    for (uint32_t i = state->n_stored; i-- > 0;) { /* the newest store counts */
        const struct sg_stored_word *word = &state->stored[i];
        if (overlaps(word, place, WORD_BYTES))
            return covers(word, place, WORD_BYTES) ? word->value : UNKNOWN;
    }
    /* Memory below the red zone did not belong to the stack at the start. */
    if (state->has_forgotten || (place.base == SG_RSP && place.offset < -RED_ZONE_BYTES))
        return UNKNOWN;
    return (struct sg_value){.kind = SG_VALUE_WORD, .base = place.base, .offset = place.offset};
}

/* Take what a store changes out of the list: remove the earlier stores that it covers, and make
 * those unknown that it overlaps. Returns whether there were any. */
static bool take_out(struct sg_machine_state *state, const struct sg_stored_word *now) {
    uint32_t n_kept = 0;
    bool has_changed = false;
    for (uint32_t i = 0; i < state->n_stored; i++) {
        struct sg_stored_word word = state->stored[i];
        const struct sg_value place = {.base = word.base, .offset = word.offset};
        bool is_changed = overlaps(now, place, word.width);
        has_changed |= is_changed;
        if (is_changed && covers(now, place, word.width))
            continue;
        if (is_changed)
            word.value = UNKNOWN;
        state->stored[n_kept++] = word;
    }
    state->n_stored = n_kept;
    return has_changed;
}

static void store(struct sg_machine_state *state, struct sg_value at, int32_t offset, uint8_t width,
                  struct sg_value value) {
    struct sg_value place = sg_value_add(at, offset);
    if (place.kind != SG_VALUE_REGISTER)
        return; /* assumed not to be on the stack */
    const struct sg_stored_word now = {
        .base = place.base, .width = width, .offset = place.offset, .value = value};
    bool is_of_stack = place.base == SG_RSP || place.base == SG_RBP;
    if (!take_out(state, &now) && !is_of_stack && !sg_value_is_initial(value, SG_RBP))
        return;
    if (state->n_stored == SG_MOST_STORED_WORDS)
        state->has_forgotten = true;
    else
        state->stored[state->n_stored++] = now;
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
    store(state, state->registers[SG_RSP], 0, WORD_BYTES, value);
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
        store(state, registers[effect->to], effect->amount, effect->width,
              value_of(state, effect->from));
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
