/* Looks the symbols up with dlsym. */
#include "interpreter/python_symbols.h"

#include <Python.h>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sg_python_symbols sg_python_symbols; /* written once with the GIL held, then constant */

/* Size of the evaluation loop if its symbol has none: the loop is never smaller. */
enum { SG_EVAL_BYTES_UNKNOWN = 0x4000 };

static char refusal[200]; /* guarded by the GIL */

static const char *refuse(const char *missing) {
    snprintf(refusal, sizeof refusal, "this interpreter does not export %s", missing);
    return refusal;
}

static uintptr_t symbol_end(void *address) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol && symbol->st_size)
        return (uintptr_t)address + symbol->st_size;
    return (uintptr_t)address + SG_EVAL_BYTES_UNKNOWN;
}

int sg_python_symbols_running_minor(void) {
    static const size_t MINOR_AT = 2; /* index of the minor version in "3.12.1 …" */
    return (int)strtol(Py_GetVersion() + MINOR_AT, NULL, 10);
}

bool sg_python_symbols_look_up(const char *name, void *target) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(target, &symbol, sizeof symbol); /* C has no cast from data to a function */
    return symbol != NULL;
}

const char *sg_python_symbols_find(void) {
    struct sg_python_symbols found = {0};
    if (sscanf(Py_GetVersion(), "%d.%d.%d", &found.major, &found.minor, &found.micro) < 2 ||
        found.major != 3)
        return "the interpreter's version cannot be read";

    void *eval = NULL, *type = NULL;
    const struct {
        const char *name;
        void *target;
    } wanted[] = {
        {"PyType_Type", &type},
        {"PyCode_Type", &found.code_type},
        {"PyFrame_Type", &found.frame_type},
        {"_PyRuntime", &found.runtime},
        {"_PyEval_EvalFrameDefault", &eval},
        {"PyInterpreterState_Head", &found.interpreter_head},
        {"PyInterpreterState_Next", &found.interpreter_next},
        {"PyInterpreterState_ThreadHead", &found.thread_head},
        {"PyThreadState_Next", &found.thread_next},
        {"PyThreadState_GetFrame", &found.thread_frame},
        {"PyFrame_GetBack", &found.frame_back},
        {"PyFrame_GetCode", &found.frame_code},
        {"PyFrame_GetLineNumber", &found.frame_line},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!sg_python_symbols_look_up(wanted[i].name, wanted[i].target))
            return refuse(wanted[i].name);
    /* The type of `type` is `type` itself. If that is not at offset 8, object heads are longer. */
    if (((void **)type)[1] != type)
        return "builds of Python with Py_TRACE_REFS cannot be profiled";
    sg_python_symbols_look_up("PyFrame_GetLasti", &found.frame_lasti);
    found.eval_start = (uintptr_t)eval;
    found.eval_end = symbol_end(eval);
    sg_python_symbols = found;
    return NULL;
}
