/* System call: the call that a signal interrupted, as a frame of machine code: the kernel's part of
 * a sample.
 *
 * The frame's address lies where no program has code: SG_SYSTEM_CALL_BASE + 16 × (the call's number
 * + 1). A client knows the names of the numbers. */
#ifndef STACKGLASS_UNWIND_SYSTEM_CALL_H
#define STACKGLASS_UNWIND_SYSTEM_CALL_H

#include <stdbool.h>
#include <ucontext.h>

#include "frames/frame.h"

#define SG_SYSTEM_CALL_BASE (UINT64_C(1) << 62)
/* SG_SYSTEM_CALL_UNKNOWN stands for a number that cannot be found. */
enum { SG_SYSTEM_CALL_STEP = 16, SG_SYSTEM_CALL_UNKNOWN = 0xFFE };

/* Set `frame` to the system call that the thread was in. Returns false if it was in none.
 * Async-signal-safe. */
bool sg_system_call_find(const ucontext_t *context, struct sg_frame *frame);

#endif
