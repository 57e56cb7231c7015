/* Python symbols: functions and data of the interpreter beyond the 3.9 stable ABI, found by name at
 * run time.
 *
 * sg_python_symbols is filled once with the GIL held, before any thread reads it, then constant. */
#ifndef STACKGLASS_INTERPRETER_PYTHON_SYMBOLS_H
#define STACKGLASS_INTERPRETER_PYTHON_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct sg_python_symbols {
    int major, minor, micro;

    const void *code_type;  /* PyCode_Type */
    const void *frame_type; /* PyFrame_Type */
    const uint8_t *runtime; /* _PyRuntime: starts with _Py_DebugOffsets from 3.13 on */
    uintptr_t eval_start;   /* _PyEval_EvalFrameDefault: [eval_start, eval_end) */
    uintptr_t eval_end;

    void *(*interpreter_head)(void);
    void *(*interpreter_next)(void *);
    void *(*thread_head)(void *);
    void *(*thread_next)(void *);

    /* The first three return new references. */
    void *(*thread_frame)(void *);
    void *(*frame_back)(void *);
    void *(*frame_code)(void *);
    int (*frame_line)(void *);
    int (*frame_lasti)(void *); /* bytes; NULL before 3.11 */
};

extern struct sg_python_symbols sg_python_symbols;

/* Return the minor version of this interpreter, read from its version text, also before
 * sg_python_symbols_find. Any thread, without the GIL. */
int sg_python_symbols_running_minor(void);

/* Write the address of the symbol `name` to the pointer at `target`, which is a pointer to a
 * function or to data; NULL if the interpreter does not export it. Returns whether it does. */
bool sg_python_symbols_look_up(const char *name, void *target);

/* Fill in sg_python_symbols. Returns NULL, or one sentence that says what the interpreter lacks. */
const char *sg_python_symbols_find(void);

#endif
