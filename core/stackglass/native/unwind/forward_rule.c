/* A rule needs a register that is known at the visit and has a known distance to the caller's
 * frame. */
#include "unwind/forward_rule.h"

#include <stddef.h>

#include "unwind/cfa_program.h"

enum { N_BASES = 2 };

/* DWARF's register numbers, by the numbers of the instruction encoding. */
static const uint8_t DWARF_NUMBERS[SG_N_GENERAL_REGISTERS] = {0, 2, 1,  3,  7,  6,  4,  5,
                                                              8, 9, 10, 11, 12, 13, 14, 15};

/* Return the value of rsp or rbp, which are known in every frame, if it is initial register `base`
 * plus an offset; NULL = neither is. */
static const struct sg_value *find_register(const struct sg_forward_visit *visit, uint8_t base,
                                            uint8_t *number) {
    static const uint8_t FOLLOWED[N_BASES] = {SG_RSP, SG_RBP};
    for (int i = 0; i < N_BASES; i++) {
        const struct sg_value *value = &visit->registers[FOLLOWED[i]];
        if (value->kind == SG_VALUE_REGISTER && value->base == base) {
            *number = FOLLOWED[i];
            return value;
        }
    }
    return NULL;
}

/* Express the CFA as the distance from a register that was loaded from the same word. */
static bool set_cfa_by_word(const struct sg_value *cfa, const struct sg_value *value, uint8_t kind,
                            struct sg_unwind_rule *rule) {
    if (cfa->kind != SG_VALUE_WORD || value->kind != SG_VALUE_WORD || value->base != cfa->base ||
        value->offset != cfa->offset)
        return false;
    rule->cfa = kind;
    rule->cfa_offset = cfa->addend - value->addend;
    return true;
}

static bool set_cfa(const struct sg_forward_walk *walk, const struct sg_forward_visit *visit,
                    struct sg_unwind_rule *rule) {
    const struct sg_value *cfa = &walk->cfa;
    bool is_word = cfa->kind == SG_VALUE_WORD;
    uint8_t number;
    if (set_cfa_by_word(cfa, &visit->registers[SG_RSP], SG_CFA_OF_STACK_POINTER, rule) ||
        set_cfa_by_word(cfa, &visit->registers[SG_RBP], SG_CFA_OF_FRAME_POINTER, rule))
        return true;
    const struct sg_value *known = find_register(visit, cfa->base, &number);
    if (known) {
        bool is_sp = number == SG_RSP;
        rule->cfa = is_word ? (is_sp ? SG_CFA_AT_STACK_POINTER : SG_CFA_AT_FRAME_POINTER)
                            : (is_sp ? SG_CFA_OF_STACK_POINTER : SG_CFA_OF_FRAME_POINTER);
        rule->cfa_offset = cfa->offset - known->offset;
        rule->cfa_addend = cfa->addend;
        return true;
    }
    /* Other registers are known only in the innermost frame. */
    known = &visit->registers[cfa->base];
    if (is_word || known->kind != SG_VALUE_REGISTER || known->base != cfa->base)
        return false;
    rule->cfa = SG_CFA_OF_REGISTER;
    rule->cfa_register = DWARF_NUMBERS[cfa->base];
    rule->cfa_offset = cfa->offset - known->offset;
    return true;
}

/* Return whether `word` lies at a known distance from the CFA, because both are based on the same
 * word of memory. */
static bool is_near_cfa(const struct sg_value *cfa, const struct sg_value *word) {
    return cfa->kind == SG_VALUE_WORD && word->kind == SG_VALUE_FAR_WORD &&
           cfa->base == word->base && cfa->offset == word->offset;
}

/* Express in `rule` that the caller's frame pointer is saved at initial register `base` +
 * `offset`. */
static void set_saved(const struct sg_forward_walk *walk, const struct sg_forward_visit *visit,
                      uint8_t base, int32_t offset, struct sg_unwind_rule *rule) {
    uint8_t number;
    if (walk->cfa.kind == SG_VALUE_REGISTER && walk->cfa.base == base) {
        rule->frame_pointer = SG_SAVED_AT_CFA;
        rule->frame_pointer_offset = offset - walk->cfa.offset;
        return;
    }
    const struct sg_value *known = find_register(visit, base, &number);
    if (!known)
        return;
    rule->frame_pointer = number == SG_RSP ? SG_SAVED_AT_STACK_POINTER : SG_SAVED_AT_FRAME_POINTER;
    rule->frame_pointer_offset = offset - known->offset;
}

bool sg_forward_rule_find(const struct sg_forward_walk *walk, const struct sg_forward_visit *visit,
                          struct sg_unwind_rule *rule) {
    const struct sg_value *wanted = &walk->frame_pointer;
    *rule = (struct sg_unwind_rule){.frame_pointer = SG_SAVED_LOST};
    if (!set_cfa(walk, visit, rule))
        return false;
    if (wanted->kind == SG_VALUE_UNKNOWN)
        return true;
    if (sg_value_is_equal(visit->registers[SG_RBP], *wanted))
        rule->frame_pointer = SG_SAVED_NOT;
    else if (wanted->kind == SG_VALUE_WORD && !wanted->addend)
        set_saved(walk, visit, wanted->base, wanted->offset, rule);
    else if (is_near_cfa(&walk->cfa, wanted)) {
        rule->frame_pointer = SG_SAVED_AT_CFA;
        rule->frame_pointer_offset = wanted->addend - walk->cfa.addend;
    } else if (sg_value_is_initial(*wanted, SG_RBP) && visit->saved_base != SG_NO_REGISTER)
        set_saved(walk, visit, visit->saved_base, visit->saved_offset, rule);
    return true;
}
