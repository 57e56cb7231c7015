/* The Python faces of the C files: each concern contributes one NULL-ended method table, and
 * module.c joins them. */
#ifndef STACKGLASS_FACES_H
#define STACKGLASS_FACES_H

#include <Python.h>

extern PyMethodDef sg_asyncio_face[];    /* asyncio_face.c: tasks and event loops, for tests */
extern PyMethodDef sg_census_face[];     /* census_face.c: objects by type, for tests */
extern PyMethodDef sg_contention_face[]; /* contention_face.c: buckets of contention, for tests */
extern PyMethodDef sg_cpu_face[];        /* cpu_face.c: layouts, walks and the sampler, for tests */
extern PyMethodDef sg_encode_face[];     /* encode_face.c: the protobuf encoder */
extern PyMethodDef sg_gil_face[];        /* gil_face.c: waiting for the GIL, for tests */
extern PyMethodDef sg_heap_face[];       /* heap_face.c: the heap profiler, for tests */
extern PyMethodDef sg_inject_face[];     /* inject_face.c: entering another process */
extern PyMethodDef sg_lock_face[];       /* lock_face.c: the lock hooks, for tests */
extern PyMethodDef sg_outside_face[];    /* outside_face.c: walks without a signal, for tests */
extern PyMethodDef
    sg_native_alloc_face[];         /* native_alloc_face.c: malloc of extensions, for tests */
extern PyMethodDef sg_agent_face[]; /* agent_face.c: the engine in this process */
extern PyMethodDef sg_step_face[];  /* step_face.c: races, one step at a time, for tests */

#endif
