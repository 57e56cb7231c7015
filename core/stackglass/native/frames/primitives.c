/* A table that SG_PRIMITIVES fills. */
#include "frames/primitives.h"

_Static_assert(SG_FIRST_PRIMITIVE_ID + SG_N_PRIMITIVES <= SG_FIRST_ARENA_ID,
               "there are more primitives than frames reserved for them");

/* Constant. */
static const struct {
    const char *owner, *name, *frame;
} PRIMITIVES[SG_N_PRIMITIVES] = {[SG_PRIMITIVE_NONE] = {"", "", ""},
#define X(number, owner, name, frame) [SG_PRIMITIVE_##number] = {owner, name, frame},
                                 SG_PRIMITIVES(X)
#undef X
};

static unsigned row_of(enum sg_primitive primitive) {
    return (unsigned)primitive < SG_N_PRIMITIVES ? (unsigned)primitive : SG_PRIMITIVE_NONE;
}

const char *sg_primitive_name(enum sg_primitive primitive) {
    return PRIMITIVES[row_of(primitive)].name;
}

const char *sg_primitive_owner(enum sg_primitive primitive) {
    return PRIMITIVES[row_of(primitive)].owner;
}

const char *sg_primitive_frame_name(enum sg_primitive primitive) {
    unsigned row = row_of(primitive);
    return row ? PRIMITIVES[row].frame : "<unknown>";
}
