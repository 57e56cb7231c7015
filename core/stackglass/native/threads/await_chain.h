/* Await chain: the stack of a suspended coroutine, built from the frames of everything that it
 * awaits.
 *
 *     coroutine ──awaits──▶ coroutine ──awaits──▶ async generator ──awaits──▶ … ──▶ an iterator
 *       frame                 frame                 frame                          of C code
 *
 * The interpreter's own C getters (cr_await, gi_yieldfrom, ag_await) say what a coroutine awaits;
 * frames are read in place. No Python code runs. The caller holds the GIL. */
#ifndef STACKGLASS_THREADS_AWAIT_CHAIN_H
#define STACKGLASS_THREADS_AWAIT_CHAIN_H

#include <Python.h>

#include <stddef.h>
#include <stdint.h>

#include "frames/code_ids.h"

struct sg_await_chain {
    PyObject *link; /* in: the coroutine, or NULL; later the link that is read next */
    /* out: the object of another type that ends the chain, such as a future's iterator; NULL = none
     * was reached. In: NULL */
    PyObject *end;
    /* leaf first; room for `capacity` frames: a longer chain keeps its leaf side, and the last is
     * SG_TRUNCATED */
    struct sg_frame *frames;
    uint32_t n; /* 0 = the coroutine runs, has ended, or is of an unknown type */
};

/* Begin to read chains, after the GIL was taken: what was learned of frames is forgotten, because
 * code objects may have been freed since. */
void sg_await_chain_begin(void);
/* Read the chains of several coroutines, one link of each chain in turn. The memory of all chains'
 * next links is prefetched at once, so the processor does not wait for one chain after the
 * other. */
void sg_await_chain_read(struct sg_await_chain *chains, size_t n_chains, uint32_t capacity);

/* Return the address of a coroutine's own frame, as it occurs in the stack of the thread that runs
 * it; 0 if the coroutine has no frame or its address is not known. */
uintptr_t sg_await_chain_frame(PyObject *coroutine);

#endif
