/* Patches of blocking functions: a table of the functions, a wrapper for each that times the call,
 * and the search for modules that are imported after the session's start.
 *
 *     program ──▶ wrapper: clock ──▶ original ──▶ clock ──▶ sg_contention_record_wait
 *
 * The engine imports nothing itself. So it searches again for modules that were not imported yet:
 * every SOON_NS at first, when a program imports most, later every LATER_NS. */
#include "locks/blocking_calls.h"

#include <Python.h>

#include <stdatomic.h>
#include <time.h>

#include "contention/contention.h"
#include "interpreter/jit_traces.h"
#include "interpreter/method_wrappers.h"
#include "interpreter/python_text.h"
#include "labels/labels.h"
#include "platform/time.h"

enum {
    SOON_NS = 100 * 1000 * 1000, /* between the first N_SOON searches */
    N_SOON = 50,
};
static const int64_t LATER_NS = INT64_C(2) * 1000 * 1000 * 1000; /* between the others */

/* One row for each function: its primitive, module, type ("" if it is a function of the module),
 * name. */
#define ROWS(X)                                                                                    \
    X(SLEEP, "time", "", "sleep")                                                                  \
    X(SELECT, "select", "", "select")                                                              \
    X(POLL, "select", "poll", "poll")                                                              \
    X(EPOLL, "select", "epoll", "poll")                                                            \
    X(SOCKET_CONNECT, "_socket", "socket", "connect")                                              \
    X(SOCKET_ACCEPT, "_socket", "socket", "_accept")                                               \
    X(SOCKET_RECV, "_socket", "socket", "recv")                                                    \
    X(SOCKET_RECV_INTO, "_socket", "socket", "recv_into")                                          \
    X(SOCKET_RECVFROM, "_socket", "socket", "recvfrom")                                            \
    X(SOCKET_SEND, "_socket", "socket", "send")                                                    \
    X(SOCKET_SENDALL, "_socket", "socket", "sendall")                                              \
    X(SOCKET_CONNECT_EX, "_socket", "socket", "connect_ex")                                        \
    X(SOCKET_RECVFROM_INTO, "_socket", "socket", "recvfrom_into")                                  \
    X(SOCKET_RECVMSG, "_socket", "socket", "recvmsg")                                              \
    X(SOCKET_RECVMSG_INTO, "_socket", "socket", "recvmsg_into")                                    \
    X(SOCKET_SENDTO, "_socket", "socket", "sendto")                                                \
    X(SOCKET_SENDMSG, "_socket", "socket", "sendmsg")                                              \
    X(GETADDRINFO, "_socket", "", "getaddrinfo")                                                   \
    X(SSL_HANDSHAKE, "_ssl", "_SSLSocket", "do_handshake")                                         \
    X(SSL_READ, "_ssl", "_SSLSocket", "read")                                                      \
    X(SSL_WRITE, "_ssl", "_SSLSocket", "write")                                                    \
    X(SSL_SHUTDOWN, "_ssl", "_SSLSocket", "shutdown")                                              \
    X(WAIT, "posix", "", "wait")                                                                   \
    X(WAIT3, "posix", "", "wait3")                                                                 \
    X(WAIT4, "posix", "", "wait4")                                                                 \
    X(WAITID, "posix", "", "waitid")                                                               \
    X(WAITPID, "posix", "", "waitpid")

enum row {
#define X(primitive, module, type, name) primitive,
    ROWS(X)
#undef X
        N_ROWS
};

/* Guarded by the GIL. The originals stay valid after a restore, as in calls.h. */
static struct sg_method_patch patches[N_ROWS];
static uint32_t n_sessions;       /* a call is recorded only in the session in which it began */
static int n_searches;            /* since the last install; counts up to N_SOON */
static _Atomic bool is_installed; /* written with the GIL held */

/* Lock-free. */
static _Atomic bool is_wanted;
static _Atomic bool has_missing;       /* some functions' modules are not imported yet */
static _Atomic int64_t search_mono_ns; /* time of the next search */

static const enum sg_primitive PRIMITIVES[N_ROWS] = {
#define X(primitive, module, type, name) [primitive] = SG_PRIMITIVE_##primitive,
    ROWS(X)
#undef X
};

/* Call the original, and record the call's duration as a wait. */
static PyObject *call_timed(enum row row, const struct sg_method_patch_call *call) {
    uint32_t session = n_sessions;
    if (!atomic_load(&is_installed) || !sg_contention_block_rate())
        return sg_method_patch_call(&patches[row], call);
    uint64_t since_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    PyObject *result = sg_method_patch_call(&patches[row], call);
    uint64_t delay_ns = sg_time_clock_ns(CLOCK_MONOTONIC) - since_ns;
    if (atomic_load(&is_installed) && session == n_sessions)
        sg_contention_record_wait(SG_CONTENTION_OTHER, PRIMITIVES[row], NULL,
                                  SG_CONTENTION_OWN_STACK, SG_NO_LABELS, (int64_t)delay_ns);
    return result;
}

/* The wrappers; every call takes the timed path. */
#define X(primitive, module, type, name)                                                           \
    SG_METHOD_WRAPPERS(primitive, patches, sg_method_wrapper_never_passes,                         \
                       sg_method_wrapper_never_passes, call_timed)
ROWS(X)
#undef X

static const struct {
    const char *module, *type, *name;
    struct sg_by_convention by_convention;
} FUNCTIONS[N_ROWS] = {
#define X(primitive, module, type, name)                                                           \
    [primitive] = {module, type, name, SG_METHOD_CONVENTIONS(primitive)},
    ROWS(X)
#undef X
};

/* Return the type `name` of a module, a new reference, or NULL. The module select does not export
 * the type of its poll objects: there `name` is the function that makes such an object, and one is
 * made to get its type. */
static PyObject *find_type(const char *module, const char *name) {
    PyObject *named = sg_python_text_global(module, name); /* borrowed */
    PyObject *type = NULL;
    if (named && PyType_Check(named)) {
        type = named;
        Py_INCREF(type);
    } else if (named && PyObject_TypeCheck(named, &PyCFunction_Type)) {
        PyObject *made = PyObject_CallObject(named, NULL);
        type = made ? (PyObject *)Py_TYPE(made) : NULL;
        Py_XINCREF(type);
        Py_XDECREF(made);
    }
    PyErr_Clear();
    return type;
}

/* Patch one function. Returns 0 if it was patched. No reference to its type is kept, because the
 * patched method definition is static data of the module. */
static int patch_one(enum row row) {
    if (!*FUNCTIONS[row].type)
        return sg_method_patch_apply(&patches[row], FUNCTIONS[row].module, FUNCTIONS[row].name,
                                     &FUNCTIONS[row].by_convention);
    PyObject *type = find_type(FUNCTIONS[row].module, FUNCTIONS[row].type);
    int outcome = type ? sg_method_patch_apply_in(&patches[row], type, FUNCTIONS[row].name,
                                                  &FUNCTIONS[row].by_convention)
                       : 1;
    Py_XDECREF(type);
    return outcome;
}

/* Patch the functions of modules that were imported since the last search. */
static void patch_imported(void) {
    bool has_patched = false, is_missing = false;
    for (int row = 0; row < N_ROWS; row++) {
        if (!patches[row].definition)
            has_patched |= patch_one((enum row)row) == 0;
        is_missing |= !patches[row].definition;
    }
    if (has_patched)
        sg_jit_traces_forget();
    n_searches += n_searches < N_SOON;
    atomic_store(&search_mono_ns, sg_time_mono_ns() + (n_searches < N_SOON ? SOON_NS : LATER_NS));
    atomic_store(&has_missing, is_missing);
}

static void install(void) {
    if (!atomic_exchange(&is_installed, true)) {
        n_sessions++;
        n_searches = 0;
    }
    patch_imported();
}

/* Restore all functions. Returns whether the patches were installed. */
static bool remove_all(void) {
    bool were_installed = atomic_exchange(&is_installed, false);
    for (int row = 0; row < N_ROWS; row++)
        sg_method_patch_restore(&patches[row]);
    return were_installed;
}

void sg_blocking_calls_request(bool are_wanted) { atomic_store(&is_wanted, are_wanted); }

bool sg_blocking_calls_are_due(int64_t now_mono_ns) {
    bool are_on = atomic_load(&is_installed);
    if (are_on != atomic_load(&is_wanted))
        return true;
    return are_on && atomic_load(&has_missing) && now_mono_ns >= atomic_load(&search_mono_ns);
}

void sg_blocking_calls_maintain(void) {
    if (atomic_load(&is_wanted))
        install();
    else if (remove_all())
        sg_jit_traces_forget();
}

void sg_blocking_calls_after_fork_in_child(void) {
    sg_blocking_calls_request(false);
    remove_all();
}
