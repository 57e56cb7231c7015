/* The calling thread and the present, for those who have to say who did something and when. */
#ifndef STACKGLASS_INTERPRETER_CALLING_THREAD_H
#define STACKGLASS_INTERPRETER_CALLING_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/thread_ids.h"

/* Of the times that are noted with a sample. */
enum { SG_TIME_UNIT_NS = 10 * 1000 * 1000 };

/* Learn what the others need. Caller holds the GIL; sg_cpu_prepare has succeeded. NULL, or why
 * not. */
const char *sg_calling_thread_prepare(void);

/* Its own thread state, or NULL. `has_gil`: it holds the GIL. */
const void *sg_calling_thread_state(bool has_gil);

/* The same in a signal handler, at any moment. Up to 3.11 a thread may run in another interpreter
 * than the one that PyGILState knows: where there are several, the state that has the GIL is looked
 * at. */
const void *sg_calling_thread_interrupted(void);
/* Look whether there are several interpreters. Caller holds the GIL. */
void sg_calling_thread_learn(void);

/* Its number. Any thread, async-signal-safe. */
pid_t sg_calling_thread_tid(void);

/* SG_TIME_UNIT_NS units from `start_mono_ns` to now, as of the kernel's last tick: 4 ms old at
 * most, and a third of the price. Any thread, async-signal-safe. */
uint32_t sg_calling_thread_units_since(int64_t start_mono_ns);

#endif
