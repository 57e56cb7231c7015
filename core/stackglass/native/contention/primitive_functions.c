/* The list of primitive functions, and the table of their code objects.
 *
 *     PLACES: module, class, names ──learn: is the module there?──▶ slots: code ─▶ what it is
 *
 * The table is open addressing, never more than half full. A place counts as learned once two looks
 * have found the same number of functions: before, its module may still be loading. Frames of a
 * function that the program has replaced stay ordinary. */
#include "contention/primitive_functions.h"

#include <Python.h>

#include <stdbool.h>
#include <string.h>

#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"

enum { SLOT_BITS = 9, N_SLOTS = 1 << SLOT_BITS, MOST = N_SLOTS / 2, LONGEST_NAME = 31 };
enum {
    NO_PRIMITIVE = SG_FUNCTION_BEGINS | SG_FUNCTION_IDLES | SG_FUNCTION_MAKES | SG_FUNCTION_KEEPS
};

/* Functions of a class, or of the module itself if `type` is "". A place that this version of
 * Python does not have is never learned. Constant. */
static const struct place {
    const char *module, *type, *functions; /* names, with a blank between two */
    uint32_t traits; /* SG_FUNCTION_…; all but NO_PRIMITIVE also get SG_FUNCTION_IS_PRIMITIVE */
    enum sg_primitive object; /* of the class's instances, if threads wait for them; or 0 */
} PLACES[] = {
    {"threading", "Condition", "__init__", SG_FUNCTION_MAKES, SG_PRIMITIVE_CONDITION},
    {"threading", "Condition", "__enter__ __exit__ wait_for notify_all notifyAll _release_save", 0,
     SG_PRIMITIVE_CONDITION},
    {"threading", "Condition", "wait", SG_FUNCTION_SLEEPS, SG_PRIMITIVE_CONDITION},
    {"threading", "Condition", "notify", SG_FUNCTION_WAKES, SG_PRIMITIVE_CONDITION},
    {"threading", "Condition", "_acquire_restore", SG_FUNCTION_RESTORES, SG_PRIMITIVE_CONDITION},
    {"threading", "Event", "__init__", SG_FUNCTION_MAKES, SG_PRIMITIVE_EVENT},
    {"threading", "Event", "wait set clear", 0, SG_PRIMITIVE_EVENT},
    {"threading", "Semaphore", "__init__", SG_FUNCTION_MAKES, SG_PRIMITIVE_SEMAPHORE},
    {"threading", "Semaphore", "acquire __enter__", 0, SG_PRIMITIVE_SEMAPHORE},
    {"threading", "Semaphore", "release __exit__", SG_FUNCTION_HANDS_ON, SG_PRIMITIVE_SEMAPHORE},
    {"threading", "BoundedSemaphore", "__init__", SG_FUNCTION_MAKES, SG_PRIMITIVE_SEMAPHORE},
    {"threading", "BoundedSemaphore", "release", SG_FUNCTION_HANDS_ON, SG_PRIMITIVE_SEMAPHORE},
    {"threading", "Barrier", "__init__", SG_FUNCTION_MAKES, SG_PRIMITIVE_BARRIER},
    {"threading", "Barrier", "wait _enter _wait _release _exit _break reset abort", 0,
     SG_PRIMITIVE_BARRIER},
    {"threading", "Thread", "join _wait_for_tstate_lock", 0, 0},
    {"threading", "Thread", "start", SG_FUNCTION_KEEPS, 0},
    {"threading", "_RLock", "acquire __enter__ release __exit__ _release_save", 0, 0},
    {"threading", "_RLock", "_acquire_restore", SG_FUNCTION_RESTORES, 0},
    {"queue", "Queue", "__init__", SG_FUNCTION_MAKES, SG_PRIMITIVE_QUEUE},
    {"queue", "Queue", "get get_nowait put put_nowait join task_done qsize empty full shutdown", 0,
     SG_PRIMITIVE_QUEUE},
    {"queue", "_PySimpleQueue", "__init__", SG_FUNCTION_MAKES, SG_PRIMITIVE_SIMPLE_QUEUE_GET},
    {"queue", "_PySimpleQueue", "get get_nowait put put_nowait", 0, SG_PRIMITIVE_SIMPLE_QUEUE_GET},
    {"concurrent.futures._base", "Future", "__init__", SG_FUNCTION_MAKES, SG_PRIMITIVE_FUTURE},
    {"concurrent.futures._base", "Future",
     "result exception cancel cancelled running done add_done_callback "
     "set_running_or_notify_cancel set_result set_exception",
     0, SG_PRIMITIVE_FUTURE},
    {"concurrent.futures._base", "_AcquireFutures", "__enter__ __exit__", 0, 0},
    {"concurrent.futures._base", "", "wait as_completed", 0, 0},
    {"multiprocessing.pool", "ApplyResult", "get wait", 0, 0},
    {"_frozen_importlib", "_ModuleLock", "acquire release", 0, 0},
    {"_frozen_importlib", "_ModuleLockManager", "__enter__ __exit__", 0, 0},
    {"selectors", "EpollSelector", "select", 0, 0},
    {"selectors", "_PollLikeSelector", "select", 0, 0},
    {"selectors", "SelectSelector", "select", 0, 0},
    {"socket", "socket", "accept sendfile", 0, 0},
    {"socket", "SocketIO", "readinto write", 0, 0},
    {"socket", "", "create_connection getaddrinfo", 0, 0},
    {"ssl", "SSLSocket",
     "accept connect connect_ex _real_connect do_handshake read write recv recv_into recvfrom "
     "recvfrom_into send sendto sendall sendfile unwrap",
     0, 0},
    {"subprocess", "Popen", "wait _wait _try_wait communicate _communicate __exit__", 0, 0},
    {"subprocess", "", "run call check_call check_output", 0, 0},
    {"multiprocessing.popen_fork", "Popen", "wait poll", 0, 0},
    {"multiprocessing.process", "BaseProcess", "join", 0, 0},
    {"multiprocessing.connection", "", "wait", 0, 0},
    {"asyncio.base_events", "BaseEventLoop", "_run_once", SG_FUNCTION_IDLES, 0},
    {"asyncio.events", "Handle", "_run", SG_FUNCTION_BEGINS, 0},
    {"asyncio.locks", "Lock", "acquire release _wake_up_first", 0, 0},
    {"asyncio.locks", "Event", "wait set", 0, 0},
    {"asyncio.locks", "Condition", "wait wait_for notify notify_all", 0, 0},
    {"asyncio.locks", "Semaphore", "acquire release _wake_up_next", 0, 0},
    {"asyncio.locks", "BoundedSemaphore", "release", 0, 0},
    {"asyncio.locks", "Barrier", "wait _block _wait", 0, 0},
    {"asyncio.queues", "Queue", "get put join", 0, 0},
};
enum { N_PLACES = sizeof PLACES / sizeof *PLACES };

/* Guarded by the GIL. */
static struct {
    sg_code_id code; /* SG_NO_CODE = empty */
    uint32_t traits;
} slots[N_SLOTS];
static uint32_t n_known;
static uint8_t n_found[N_PLACES]; /* functions of the place at the last look */
static bool is_learned[N_PLACES];

static uint32_t slot_of(sg_code_id code) {
    uint32_t at = code * UINT32_C(0x9E3779B1) >> (32 - SLOT_BITS);
    while (slots[at].code != SG_NO_CODE && slots[at].code != code)
        at = (at + 1) % N_SLOTS;
    return at;
}

uint32_t sg_primitive_functions_find(sg_code_id code) {
    return code == SG_NO_CODE ? 0 : slots[slot_of(code)].traits;
}

static void learn_function(PyObject *function, uint32_t traits) {
    static const void *function_type; /* constant once found; under the GIL */
    static PyObject *(*code_of)(PyObject *);
    if (!code_of) {
        sg_python_symbols_look_up("PyFunction_GetCode", &code_of);
        sg_python_symbols_look_up("PyFunction_Type", &function_type);
    }
    if (!code_of || (const void *)Py_TYPE(function) != function_type || n_known == MOST)
        return; /* the program has replaced the function: its frames stay ordinary */
    sg_code_id code = sg_code_ids_intern(code_of(function)); /* borrowed: the function's */
    if (code == SG_UNKNOWN)
        return;
    uint32_t at = slot_of(code);
    n_known += slots[at].code == SG_NO_CODE;
    slots[at].code = code;
    slots[at].traits |= traits & NO_PRIMITIVE ? traits : traits | SG_FUNCTION_IS_PRIMITIVE;
}

/* Return the dictionary that holds the functions, a new reference, or NULL if it is not there
 * (yet). */
static PyObject *open_place(const struct place *place) {
    PyObject *names = sg_python_text_module_names(place->module); /* borrowed: its module's */
    PyObject *type = sg_python_text_global_type(place->module, place->type);
    if (*place->type)
        return type ? sg_python_text_plain_attribute(type, "__dict__") : NULL;
    Py_XINCREF(names);
    return names;
}

/* Learn the functions of a place. Returns how many were found. */
static uint8_t learn_place(const struct place *place) {
    PyObject *functions = open_place(place);
    uint8_t n = 0;
    size_t size;
    for (const char *at = place->functions; functions && *at; at += size + (at[size] == ' ')) {
        char name[LONGEST_NAME + 1] = "";
        size = strcspn(at, " ");
        PyObject *function = PyMapping_GetItemString(functions, memcpy(name, at, size));
        if (function) {
            learn_function(function, place->traits | place->object << SG_FUNCTION_BITS);
            n++;
        }
        Py_XDECREF(function);
        PyErr_Clear();
    }
    Py_XDECREF(functions);
    return n;
}

void sg_primitive_functions_learn(void) {
    for (int i = 0; i < N_PLACES; i++) {
        if (is_learned[i])
            continue;
        uint8_t n = learn_place(&PLACES[i]);
        is_learned[i] = n && n == n_found[i];
        n_found[i] = n;
    }
}

void sg_primitive_functions_forget(void) {
    memset(slots, 0, sizeof slots);
    memset(n_found, 0, sizeof n_found);
    memset(is_learned, 0, sizeof is_learned);
    n_known = 0;
}
