/* Limits keep the sums of offsets and addends within their fields. */
#include "unwind/value.h"

enum { LARGEST_OFFSET = 1 << 28, LARGEST_ADDEND = 1 << 14 };

static const struct sg_value UNKNOWN = {.kind = SG_VALUE_UNKNOWN};

struct sg_value sg_value_add(struct sg_value value, int32_t amount) {
    bool is_word = value.kind == SG_VALUE_WORD;
    int64_t sum = (is_word ? value.addend : value.offset) + (int64_t)amount;
    int64_t most = is_word ? LARGEST_ADDEND : LARGEST_OFFSET;
    if (value.kind == SG_VALUE_FAR_WORD)
        return amount ? UNKNOWN : value;
    if (value.kind == SG_VALUE_UNKNOWN || sum < -most || sum > most)
        return UNKNOWN;
    if (is_word)
        value.addend = (int16_t)sum;
    else
        value.offset = (int32_t)sum;
    return value;
}
