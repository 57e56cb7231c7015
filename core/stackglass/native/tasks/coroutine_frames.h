/* Frame of a coroutine, a generator or an async generator: the offset at which the object keeps it.
 *
 *     3.9, 3.10     a pointer to a frame object
 *     from 3.11 on  the frame itself
 *
 * The offset is the same in all three types. It is measured on a generator of the engine's own. */
#ifndef STACKGLASS_TASKS_COROUTINE_FRAMES_H
#define STACKGLASS_TASKS_COROUTINE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Measure the offset, unless it is known. The caller holds the GIL; a few lines of probe code run.
 * Returns false if the offset was not found. */
bool sg_coroutine_frames_prepare(void);

/* Return whether, from 3.11 on, a byte before the frame has the object's state (gi_frame_state): it
 * differs between a generator that has not begun, one that runs, and one that is suspended. */
enum { SG_FROM_STATE_TO_FRAME = 5 };
bool sg_coroutine_frames_have_state(void);

/* Return the address of the frame of `coroutine`, as it occurs in the stack of the thread that runs
 * it; 0 if the object has no frame or the offset is not known. `coroutine` must be a live object of
 * one of the three types. Async-signal-safe. */
uintptr_t sg_coroutine_frames_of(uintptr_t coroutine);

/* Return the offset in the object of the field that sg_coroutine_frames_of reads; 0 if it is not
 * known. `*is_pointer` is set to whether the field holds the frame's address instead of the frame.
 * For callers that read copied memory. */
int32_t sg_coroutine_frames_at(bool *is_pointer);

#endif
