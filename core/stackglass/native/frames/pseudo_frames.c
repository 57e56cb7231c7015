/* A table of names for single numbers. Greater numbers are ranges with names of their own. */
#include "frames/pseudo_frames.h"

#include <stddef.h>

#include "frames/arena_names.h"
#include "frames/primitives.h"

static const char *const PSEUDO_NAMES[SG_FIRST_PRIMITIVE_ID] = {
    [SG_NO_CODE] = "<unknown>",
    [SG_LOST_SAMPLES] = "<lost samples>",
    [SG_NATIVE] = "<native>",
    [SG_KERNEL] = "<kernel>",
    [SG_GC] = "<gc>",
    [SG_NO_PYTHON_THREAD] = "<no Python thread>",
    [SG_CALL_ENTRY] = "<call entry>",
    [SG_TRUNCATED] = "<truncated>",
    [SG_BEFORE_ATTACH] = "<before attach>",
    [SG_UNKNOWN] = "<unknown>",
    [SG_SIGNAL_BLOCKED] = "<signal blocked>",
    [SG_LOST_EVENT] = "lostProfileEvent", /* the name in Go's profiles */
    [SG_OWN_WORK] = "<stackglass>",       /* work of the engine on a thread of the program */
};

const char *sg_pseudo_frames_name(sg_code_id id) {
    if (id >= SG_FIRST_NATIVE_ID)
        return PSEUDO_NAMES[SG_NATIVE];
    if (id >= SG_FIRST_CODE_ID)
        return NULL;
    if (id >= SG_FIRST_ARENA_ID)
        return sg_arena_names_frame(id - SG_FIRST_ARENA_ID);
    if (id >= SG_FIRST_PRIMITIVE_ID)
        return sg_primitive_frame_name((enum sg_primitive)(id - SG_FIRST_PRIMITIVE_ID));
    return PSEUDO_NAMES[id] ? PSEUDO_NAMES[id] : PSEUDO_NAMES[SG_UNKNOWN];
}
