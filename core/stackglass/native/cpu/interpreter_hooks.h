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

/* Have `on_start` called as well, on the creator's thread, with what the start returned (a
 * PyObject, borrowed); NULL = no longer. It allocates no Python object, and no exception is set. */
void sg_interpreter_hooks_watch_starts(void (*on_start)(void *result));

#endif
