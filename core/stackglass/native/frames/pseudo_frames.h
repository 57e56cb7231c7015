/* Pseudo-frames: names of frames without a code object. */
#ifndef STACKGLASS_FRAMES_PSEUDO_FRAMES_H
#define STACKGLASS_FRAMES_PSEUDO_FRAMES_H

#include "frames/frame.h"

/* Return the name of the pseudo-frame `id`, such as "<gc>"; NULL if `id` is the number of a code
 * object. All machine code is "<native>" here; wire/native_names.h names its functions. Any thread
 * may call this. */
const char *sg_pseudo_frames_name(sg_code_id id);

#endif
