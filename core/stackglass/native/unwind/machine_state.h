/* Machine state: general registers and words of the stack, told by what they were at one moment.
 *
 *     at the start   rsp = rsp₀          rbp = rbp₀
 *     push %rbp      rsp = rsp₀ - 8      the word at rsp₀ - 8 = rbp₀
 *     mov %rsp,%rbp                      rbp = rsp₀ - 8
 *     mov (%rsp),%rbx                    rbx = rbp₀
 *     pop %rax       rsp = rsp₀, …
 */
#ifndef STACKGLASS_UNWIND_MACHINE_STATE_H
#define STACKGLASS_UNWIND_MACHINE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/register_effect.h"

enum sg_value_kind {
    SG_VALUE_UNKNOWN,
    SG_VALUE_REGISTER, /* register `base` at the start, plus `offset` */
    SG_VALUE_WORD,     /* the word at that address at the start, plus `addend` */
    SG_VALUE_FAR_WORD, /* the word at that sum */
};

struct sg_value {
    uint8_t kind; /* enum sg_value_kind; all else is 0 if it is not known */
    uint8_t base;
    int16_t addend;
    int32_t offset;
};

/* A word that was stored since the start, at register `base` + `offset`. */
struct sg_stored_word {
    uint8_t base;
    int32_t offset;
    struct sg_value value;
};

enum { SG_MOST_STORED_WORDS = 24 };

struct sg_machine_state {
    struct sg_value registers[SG_N_GENERAL_REGISTERS];
    struct sg_stored_word stored[SG_MOST_STORED_WORDS];
    uint32_t n_stored;
    bool has_forgotten; /* more was stored */
};

void sg_machine_state_begin(struct sg_machine_state *state);
/* What the instruction does to it, but for where it goes on. */
void sg_machine_state_apply(struct sg_machine_state *state,
                            const struct sg_register_effect *effect);
/* The word at a value, plus `offset`. */
struct sg_value sg_machine_state_load(const struct sg_machine_state *state, struct sg_value at,
                                      int32_t offset);
/* The stored word that is register `number` as it was at the start; NULL = there is none. */
const struct sg_stored_word *sg_machine_state_find_saved(const struct sg_machine_state *state,
                                                         uint8_t number);

/* A value and a number; unknown if it is too large. */
struct sg_value sg_value_add(struct sg_value value, int32_t amount);

static inline bool sg_value_is_equal(struct sg_value one, struct sg_value other) {
    return one.kind == other.kind && one.base == other.base && one.addend == other.addend &&
           one.offset == other.offset;
}

static inline bool sg_value_is_initial(struct sg_value value, uint8_t number) {
    return value.kind == SG_VALUE_REGISTER && value.base == number && !value.offset;
}

#endif
