/* Looks all symbols up with dlsym, at the first call. That waits for the loader's lock, which a
 * thread may hold that waits for the GIL, and for as long as a library is loaded. */
#include "interpreter/python_symbols.h"

#include <Python.h>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sg_python_symbols sg_python_symbols; /* written once, then constant */

/* Size of the evaluation loop if its symbol has none: the loop is never smaller. */
enum { SG_EVAL_BYTES_UNKNOWN = 0x4000 };

/* Used by the thread that fills sg_python_symbols. */
static char refusal[200];
static const char *problem = "the interpreter's symbols have not been looked up";

/* Every name that is looked up, in the order of strcmp; and the addresses, written once, with the
 * same values where two threads do it at the same time. */
static const char *const NAMES[] = {
    "PyAsyncGen_Type",
    "PyBool_Type",
    "PyByteArray_Type",
    "PyBytes_Type",
    "PyCMethod_Type",
    "PyCell_Get",
    "PyClassMethod_Type",
    "PyCode_Type",
    "PyCompile_OpcodeStackEffectWithJump",
    "PyComplex_Type",
    "PyContextVar_Get",
    "PyContextVar_New",
    "PyContextVar_Reset",
    "PyContextVar_Set",
    "PyContextVar_Type",
    "PyContext_Enter",
    "PyContext_Exit",
    "PyContext_New",
    "PyContext_Type",
    "PyCoro_Type",
    "PyDict_Type",
    "PyEval_RestoreThread",
    "PyEval_SaveThread",
    "PyFloat_Type",
    "PyFrame_GetBack",
    "PyFrame_GetCode",
    "PyFrame_GetLasti",
    "PyFrame_GetLineNumber",
    "PyFrame_Type",
    "PyFunction_GetClosure",
    "PyFunction_GetCode",
    "PyFunction_Type",
    "PyGC_Disable",
    "PyGC_Enable",
    "PyGC_IsEnabled",
    "PyGen_Type",
    "PyGetSetDescr_Type",
    "PyInstanceMethod_Type",
    "PyInterpreterState_Head",
    "PyInterpreterState_Main",
    "PyInterpreterState_Next",
    "PyInterpreterState_ThreadHead",
    "PyList_Type",
    "PyLong_Type",
    "PyMem_Free",
    "PyMem_GetAllocator",
    "PyMem_Malloc",
    "PyMem_RawCalloc",
    "PyMem_RawFree",
    "PyMem_RawMalloc",
    "PyMem_RawRealloc",
    "PyMem_SetAllocator",
    "PyMemberDescr_Type",
    "PyMethodDescr_Type",
    "PyMethod_Type",
    "PyObject_Free",
    "PyObject_GenericGetDict",
    "PyObject_GetArenaAllocator",
    "PyObject_Malloc",
    "PyObject_SetArenaAllocator",
    "PyRange_Type",
    "PySet_Type",
    "PySlice_Type",
    "PyStaticMethod_Type",
    "PyThreadState_GetFrame",
    "PyThreadState_GetUnchecked",
    "PyThreadState_Next",
    "PyTraceMalloc_Untrack",
    "PyTuple_Type",
    "PyType_FromModuleAndSpec",
    "PyType_GetModuleState",
    "PyType_Type",
    "PyUnicode_AsUTF8AndSize",
    "PyUnicode_Type",
    "PyVectorcall_Call",
    "Py_HashBuffer",
    "Py_IsFinalizing",
    "Py_Version",
    "_PyEval_EvalFrameDefault",
    "_PyInterpreterConfig_InitFromState",
    "_PyInterpreterState_HasFeature",
    "_PyObject_DebugMallocStats",
    "_PyRuntime",
    "_PyThreadState_UncheckedGet",
    "_PyType_Lookup",
    "_PyWeakref_CallableProxyType",
    "_PyWeakref_ProxyType",
    "_PyWeakref_RefType",
    "_Py_HashBytes",
    "_Py_IsFinalizing",
    "_Py_tracemalloc_config",
    "__libc_stack_end",
    "reallocarray",
};
enum { N_NAMES = sizeof NAMES / sizeof *NAMES };
static void *_Atomic addresses[N_NAMES]; /* NULL = not exported */
static _Atomic bool are_known;           /* the addresses */

static const char *refuse(const char *missing) {
    snprintf(refusal, sizeof refusal, "this interpreter does not export %s", missing);
    return refusal;
}

/* Return the symbol's size; 0 = unknown. */
static size_t size_of(const void *address) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    bool is_found = dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT);
    return is_found && symbol ? symbol->st_size : 0;
}

int sg_python_symbols_running_minor(void) {
    static const size_t MINOR_AT = 2; /* index of the minor version in "3.12.1 …" */
    return (int)strtol(Py_GetVersion() + MINOR_AT, NULL, 10);
}

void sg_python_symbols_resolve(void) {
    if (atomic_load(&are_known))
        return;
    for (int i = 0; i < N_NAMES; i++)
        atomic_store(&addresses[i], dlsym(RTLD_DEFAULT, NAMES[i]));
    atomic_store(&are_known, true);
}

static int compare(const void *name, const void *listed) {
    return strcmp(name, *(const char *const *)listed);
}

void *sg_python_symbols_address(const char *name) {
    sg_python_symbols_resolve();
    const char *const *found = bsearch(name, NAMES, N_NAMES, sizeof *NAMES, compare);
    return found ? atomic_load(&addresses[found - NAMES]) : NULL;
}

bool sg_python_symbols_look_up(const char *name, void *target) {
    void *address = sg_python_symbols_address(name);
    memcpy(target, &address, sizeof address); /* C has no cast from data to a function */
    return address != NULL;
}

static const char *find(void) {
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
    size_t eval_bytes = size_of(eval);
    found.eval_end = found.eval_start + (eval_bytes ? eval_bytes : SG_EVAL_BYTES_UNKNOWN);
    found.runtime_bytes = size_of(found.runtime);
    sg_python_symbols = found;
    return NULL;
}

const char *sg_python_symbols_find(void) {
    if (problem)
        problem = find();
    return problem;
}

const char *sg_python_symbols_problem(void) { return problem; }
