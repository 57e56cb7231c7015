/* Symbolic value of a register or a word of memory, in terms of the registers at the start of a
 * walk. */
#ifndef STACKGLASS_UNWIND_VALUE_H
#define STACKGLASS_UNWIND_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum sg_value_kind {
    SG_VALUE_UNKNOWN,
    SG_VALUE_REGISTER, /* initial register `base` plus `offset` */
    SG_VALUE_WORD,     /* the word that such an address held at the start, plus `addend` */
    SG_VALUE_FAR_WORD, /* the word at the address that is such a word plus `addend` */
};

struct sg_value {
    uint8_t kind; /* enum sg_value_kind; for SG_VALUE_UNKNOWN all other fields are 0 */
    uint8_t base;
    int16_t addend;
    int32_t offset;
};

/* Return `value` + `amount`; unknown if an offset becomes too large. */
struct sg_value sg_value_add(struct sg_value value, int32_t amount);

static inline bool sg_value_is_equal(struct sg_value one, struct sg_value other) {
    return one.kind == other.kind && one.base == other.base && one.addend == other.addend &&
           one.offset == other.offset;
}

static inline bool sg_value_is_initial(struct sg_value value, uint8_t number) {
    return value.kind == SG_VALUE_REGISTER && value.base == number && !value.offset;
}

#endif
