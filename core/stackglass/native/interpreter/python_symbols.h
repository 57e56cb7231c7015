/* Python symbols: functions and data of the interpreter beyond the 3.9 stable ABI, found by name at
 * run time.
 *
 * sg_python_symbols is filled once, before any other thread reads it, then constant. */
#ifndef STACKGLASS_INTERPRETER_PYTHON_SYMBOLS_H
#define STACKGLASS_INTERPRETER_PYTHON_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_python_symbols {
    int major, minor, micro;

    const void *code_type;  /* PyCode_Type */
    const void *frame_type; /* PyFrame_Type */
    const uint8_t *runtime; /* _PyRuntime: starts with _Py_DebugOffsets from 3.13 on */
    size_t runtime_bytes;   /* size of _PyRuntime; 0 = unknown */
    uintptr_t eval_start;   /* _PyEval_EvalFrameDefault: [eval_start, eval_end) */
    uintptr_t eval_end;

    void *(*interpreter_head)(void);   /* PyInterpreterState_Head */
    void *(*interpreter_next)(void *); /* PyInterpreterState_Next */
    void *(*thread_head)(void *);      /* PyInterpreterState_ThreadHead */
    void *(*thread_next)(void *);      /* PyThreadState_Next */

    void *(*thread_frame)(void *); /* PyThreadState_GetFrame: a new reference, or NULL */
    void *(*frame_back)(void *);   /* PyFrame_GetBack: a new reference, or NULL */
    void *(*frame_code)(void *);   /* PyFrame_GetCode: a new reference */
    int (*frame_line)(void *);     /* PyFrame_GetLineNumber */
    int (*frame_lasti)(void *);    /* PyFrame_GetLasti, in bytes; NULL before 3.11 */
};

extern struct sg_python_symbols sg_python_symbols;

/* Return the minor version of this interpreter, 12 for "3.12.1". Does not need
 * sg_python_symbols_find. Any thread, with or without the GIL. */
int sg_python_symbols_running_minor(void);

/* Find all names that the functions below know. Called without the GIL, before them: a thread that
 * holds the loader's lock may wait for the GIL. (If no engine thread has called it, the first look
 * up does, in the program's own thread that imports Stackglass.) */
void sg_python_symbols_resolve(void);
/* Find the function or data `name`, which is one of those listed in python_symbols.c. Writes its
 * address to the pointer at `target`, or NULL if neither the interpreter nor a library exports it.
 * Returns whether one does. Any thread, with or without the GIL. */
bool sg_python_symbols_look_up(const char *name, void *target);
/* Return the address of data, or NULL. */
void *sg_python_symbols_address(const char *name);

/* Fill in sg_python_symbols, unless that is done. Returns NULL, or one sentence that says what the
 * interpreter lacks. Called without the GIL. */
const char *sg_python_symbols_find(void);
/* Return what sg_python_symbols_find has returned. */
const char *sg_python_symbols_problem(void);

#endif
