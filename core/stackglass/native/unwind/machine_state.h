/* Machine state: the values of general registers and words of the stack, in terms of the registers
 * at the start of a walk.
 *
 *     at the start   rsp = rsp₀          rbp = rbp₀
 *     push %rbp      rsp = rsp₀ - 8      the word at rsp₀ - 8 = rbp₀
 *     mov %rsp,%rbp                      rbp = rsp₀ - 8
 *     mov (%rsp),%rbx                    rbx = rbp₀
 *     pop %rax       rsp = rsp₀, … */
#ifndef STACKGLASS_UNWIND_MACHINE_STATE_H
#define STACKGLASS_UNWIND_MACHINE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/effect.h"
#include "unwind/value.h"

/* `width` bytes that were stored since the start, at initial register `base` + `offset`. Fewer than
 * a word's are unknown. */
struct sg_stored_word {
    uint8_t base, width;
    int32_t offset;
    struct sg_value value;
};

enum { SG_MOST_STORED_WORDS = 24 };

struct sg_machine_state {
    struct sg_value registers[SG_N_GENERAL_REGISTERS];
    struct sg_stored_word stored[SG_MOST_STORED_WORDS]; /* (n_stored,), oldest first */
    uint32_t n_stored;
    bool has_forgotten; /* more was stored, so a word that is not found is unknown */
};

void sg_machine_state_begin(struct sg_machine_state *state);
/* Apply the effect of an instruction, except where execution continues. */
void sg_machine_state_apply(struct sg_machine_state *state,
                            const struct sg_register_effect *effect);
/* Return the word at the address `at` + `offset`. */
struct sg_value sg_machine_state_load(const struct sg_machine_state *state, struct sg_value at,
                                      int32_t offset);
/* Return the stored word that has the initial value of register `number`; NULL = there is none. */
const struct sg_stored_word *sg_machine_state_find_saved(const struct sg_machine_state *state,
                                                         uint8_t number);

#endif
