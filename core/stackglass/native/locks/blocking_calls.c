/* Patches of blocking functions: see blocking_calls.h. */
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
    SOON_NS = 100 * 1000000, /* between searches for modules, early in a session */
    N_SOON = 50,
};
static const int64_t LATER_NS = 2000 * INT64_C(1000000);

/* primitive, its module, its type or "" (a function of the module), its name */
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
static uint32_t n_sessions;       /* a wait that outlives its session is not recorded */
static int n_searches;            /* searches for modules since the last install */
static _Atomic bool is_installed; /* written with the GIL held */

/* Lock-free. */
static _Atomic bool is_wanted;
static _Atomic bool has_missing;       /* modules that may be loaded later */
static _Atomic int64_t search_mono_ns; /* when to search for them again */

static const enum sg_primitive PRIMITIVES[N_ROWS] = {
#define X(primitive, module, type, name) [primitive] = SG_PRIMITIVE_##primitive,
    ROWS(X)
#undef X
};

static PyObject *wait(enum row row, const struct sg_method_patch_call *call) {
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

#define X(primitive, module, type, name)                                                           \
    SG_METHOD_WRAPPERS(primitive, patches, sg_method_wrapper_never_passes,                         \
                       sg_method_wrapper_never_passes, wait)
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

/* The type that a module has under `name`, or (select.poll) that of the objects that a function of
 * that name makes. New reference; NULL if there is none. */
static PyObject *find_type(const char *module, const char *name) {
    PyObject *named = sg_python_text_global(module, name); /* borrowed */
    PyObject *type = named;
    if (named && PyType_Check(named)) {
        Py_INCREF(type);
    } else if (named && PyObject_TypeCheck(named, &PyCFunction_Type)) {
        PyObject *made = PyObject_CallObject(named, NULL);
        type = made ? (PyObject *)Py_TYPE(made) : NULL;
        Py_XINCREF(type);
        Py_XDECREF(made);
    } else {
        type = NULL;
    }
    PyErr_Clear();
    return type;
}

/* 0 if it was patched. The type need not be kept: the definitions are the module's. */
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

/* Patch the functions of modules that were loaded since. */
static void learn(void) {
    bool is_new = false, is_missing = false;
    for (int row = 0; row < N_ROWS; row++) {
        if (!patches[row].definition)
            is_new |= patch_one((enum row)row) == 0;
        is_missing |= !patches[row].definition;
    }
    if (is_new)
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
    learn();
}

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
