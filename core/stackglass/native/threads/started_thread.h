/* Started thread: the name of a thread that is being started, read from its Thread object.
 *
 *     threading.Thread.start ─▶ start function(thread._bootstrap, …) ─▶ hook ─▶ thread._name
 *
 * Later it may be too late: a thread of some milliseconds is gone from threading._active before a
 * job reads that. */
#ifndef STACKGLASS_THREADS_STARTED_THREAD_H
#define STACKGLASS_THREADS_STARTED_THREAD_H

#include <Python.h>

#include "threads/text_copy.h"

/* Begin. The caller holds home's GIL. */
void sg_started_thread_open(void);
/* Copy the name of the Thread whose method `function` is, for the thread that holds the GIL; ""
 * if `function` is something else or NULL, in an interpreter other than home, and if the class of
 * the Thread computes its name. Runs no Python code, allocates
 * nothing after the first call that finds a Thread, unless the name is longer than
 * SG_MOST_CHARACTERS, and leaves no exception set. */
void sg_started_thread_name(PyObject *function, char text[SG_TEXT_COPY_BYTES]);
/* End. The caller holds home's GIL, or no Python thread runs. */
void sg_started_thread_close(void);
/* Reset the state in a forked child, without touching Python objects. */
void sg_started_thread_after_fork_in_child(void);

#endif
