/* Collects a thread's frames from the innermost outwards, and visits them in reverse order. */
#include "frames/frame_variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames/python_frames.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"

enum { MOST_THREADS = 4096, MOST_VARIABLES = 200, LAST_MINOR_WITHOUT_QUALNAMES = 10 };

/* Return thread number `number` of the engine's interpreter, 0 = the oldest; NULL if there is no
 * such thread. The interpreter's list begins with the newest. */
static void *find_thread(uint32_t number) {
    void *interpreter = sg_interpreter_home(), *thread;
    uint32_t n = 0;
    for (thread = sg_python_symbols.thread_head(interpreter); thread && n < MOST_THREADS; n++)
        thread = sg_python_symbols.thread_next(thread);
    if (number >= n)
        return NULL;
    thread = sg_python_symbols.thread_head(interpreter);
    for (uint32_t left = n - 1 - number; left && thread; left--)
        thread = sg_python_symbols.thread_next(thread);
    return thread;
}

static Py_ssize_t count_variables(PyObject *code) {
    PyObject *count = sg_python_text_plain_attribute(code, "co_nlocals");
    Py_ssize_t n = count && PyLong_Check(count) ? PyLong_AsSsize_t(count) : 0;
    Py_XDECREF(count);
    return n < MOST_VARIABLES ? n : MOST_VARIABLES;
}

bool sg_frame_variables_visit(uint32_t number, sg_variable_fn *visit, void *context) {
    uintptr_t frames[SG_MOST_FRAMES];
    void *thread = find_thread(number);
    int n = 0;
    if (!thread)
        return false;
    uintptr_t frame = sg_python_frame(thread);
    for (; frame && n < SG_MOST_FRAMES; frame = sg_python_frame_caller(frame))
        frames[n++] = frame;
    while (n-- > 0) {
        Py_ssize_t n_variables = count_variables(sg_python_frame_code(frames[n]));
        for (Py_ssize_t at = 0; at < n_variables; at++) {
            PyObject *value = sg_python_frame_local(frames[n], at);
            if (value)
                visit(context, frames[n], at, value);
        }
    }
    return true;
}

static char *name_variable(PyObject *code, Py_ssize_t at) {
    PyObject *names = sg_python_text_plain_attribute(code, "co_varnames");
    bool has_name = names && PyTuple_Check(names) && at < PyTuple_Size(names);
    char *name = has_name ? sg_python_text_copy(PyTuple_GetItem(names, at)) : NULL;
    Py_XDECREF(names);
    return name;
}

char *sg_frame_variable_text(uintptr_t frame, Py_ssize_t at,
                             bool (*is_left_out)(const char *module)) {
    PyObject *code = sg_python_frame_code(frame);
    bool has_qualname = sg_python_symbols.minor > LAST_MINOR_WITHOUT_QUALNAMES;
    PyObject *function =
        sg_python_text_plain_attribute(code, has_qualname ? "co_qualname" : "co_name");
    char *module = sg_python_text_copy(sg_python_frame_module(frame));
    char *name = name_variable(code, at), *function_text = sg_python_text_copy(function),
         *text = NULL;
    bool is_shown =
        module && name && function_text && strcmp(name, "self") != 0 && !is_left_out(module);
    if (is_shown && asprintf(&text, "%s.%s.<locals>.%s", module, function_text, name) < 0)
        text = NULL;
    free(function_text);
    free(name);
    free(module);
    Py_XDECREF(function);
    return text;
}
