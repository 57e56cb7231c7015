/* The stack of a suspended coroutine: the frames of all that it awaits.
 *
 *     coroutine ──awaits──▶ coroutine ──awaits──▶ async generator ──awaits──▶ … ──▶ an iterator
 *       frame                 frame                 frame                          of C code
 *
 * What is awaited is read by the interpreter's own C getters (cr_await, gi_yieldfrom, ag_await);
 * frames are read in place. No Python code runs. Caller holds the GIL. */
#ifndef STACKGLASS_THREADS_AWAIT_CHAIN_H
#define STACKGLASS_THREADS_AWAIT_CHAIN_H

#include <Python.h>

#include <stdint.h>

#include "frames/code_ids.h"

/* Frames leaf first, at most `capacity` of them, those of the outermost coroutine kept. Returns how
 * many; 0 = it runs, has ended, or is of a type that cannot be read. */
uint32_t sg_await_chain_read(PyObject *coroutine, struct sg_frame *frames, uint32_t capacity);

/* The address of a coroutine's own frame, as a thread that runs it has it in its stack; 0 = it has
 * none, or it is not known. */
uintptr_t sg_await_chain_frame(PyObject *coroutine);

#endif
