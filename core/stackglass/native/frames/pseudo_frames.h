/* Pseudo-frames: names of frames without a code object. */
#ifndef STACKGLASS_FRAMES_PSEUDO_FRAMES_H
#define STACKGLASS_FRAMES_PSEUDO_FRAMES_H

#include "frames/frame.h"

/* "<native>" and so on; NULL if `id` is a code object's. Machine code is "<native>" here; see
 * wire/native_names.h. Any thread. */
const char *sg_pseudo_frames_name(sg_code_id id);

#endif
