/* The calling thread and the present, for those who have to say who did something and when. */
#ifndef STACKGLASS_INTERPRETER_CALLING_THREAD_H
#define STACKGLASS_INTERPRETER_CALLING_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* pthread_self(). On x86-64 both C libraries have the thread pointer point to itself and return
 * that: read here, the paths that everybody takes need no call, and with it no saved registers. */
static inline uintptr_t sg_calling_thread_self(void) {
#if defined __x86_64__ && defined __has_builtin
#if __has_builtin(__builtin_thread_pointer)
    return (uintptr_t)__builtin_thread_pointer();
#endif
#endif
    return (uintptr_t)pthread_self();
}

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
uint32_t sg_time_units_since(int64_t start_mono_ns);

#endif
