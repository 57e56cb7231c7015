/* Interpreter hooks: patches of the built-in functions that start a thread or claim a signal, so
 * that a thread is armed as it starts and a signal is released before the program takes it. All
 * calls need the GIL. */
#ifndef STACKGLASS_CPU_INTERPRETER_HOOKS_H
#define STACKGLASS_CPU_INTERPRETER_HOOKS_H

/* `on_thread_start` is called after a thread has been started, `on_signal_wanted` with a signal's
 * number before the program's own signal.signal() runs; both with the GIL held. Returns 0, or -1
 * with nothing changed. */
int sg_interpreter_hooks_install(void (*on_thread_start)(void), void (*on_signal_wanted)(int));
void sg_interpreter_hooks_remove(void);

/* Called on the creator's thread, which holds the GIL, after a start: with the function that the
 * new thread calls, NULL if there is none, and with what the start returned. Both are PyObjects,
 * borrowed. No exception is set, and it sets none. */
typedef void sg_on_start(void *function, void *result);
/* Have `on_start` called as well; NULL = no longer. */
void sg_interpreter_hooks_watch_starts(sg_on_start *on_start);

#endif
