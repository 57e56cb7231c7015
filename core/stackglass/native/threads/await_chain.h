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

#include <stddef.h>
#include <stdint.h>

#include "frames/code_ids.h"

struct sg_await_chain {
    PyObject *link;          /* in: the coroutine, or NULL; then the one that is read next */
    struct sg_frame *frames; /* leaf first; `capacity` of them, those of the outermost are kept */
    uint32_t n;              /* 0 = it runs, has ended, or is of a type that cannot be read */
};

/* Read the chains of several coroutines link by link, all of them in step: the processor waits for
 * the memory of all at a time, and not of one after the other. */
void sg_await_chain_read(struct sg_await_chain *chains, size_t n_chains, uint32_t capacity);

/* The address of a coroutine's own frame, as a thread that runs it has it in its stack; 0 = it has
 * none, or it is not known. */
uintptr_t sg_await_chain_frame(PyObject *coroutine);

#endif
