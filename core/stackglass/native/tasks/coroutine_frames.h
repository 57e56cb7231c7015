/* The frame of a coroutine, a generator or an async generator: where the object keeps it.
 *
 *     3.9, 3.10     a pointer to a frame object
 *     from 3.11 on  the frame itself
 *
 * The place is the same in all three types, and learned from a generator of the engine's own. */
#ifndef STACKGLASS_TASKS_COROUTINE_FRAMES_H
#define STACKGLASS_TASKS_COROUTINE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Learn it, once. Caller holds the GIL; runs three lines of probe code. False = it is not found. */
bool sg_coroutine_frames_prepare(void);

/* The address of the frame, as a thread that runs it has it in its stack; 0 = it has none, or
 * prepare has not found it. `coroutine` is of one of these types, and alive. Async-signal-safe. */
uintptr_t sg_coroutine_frames_of(uintptr_t coroutine);

/* Where the word is that `of` reads: an offset in the object; 0 = not known. `is_pointer`: it holds
 * the frame's address. For readers that copy. */
int32_t sg_coroutine_frames_at(bool *is_pointer);

#endif
