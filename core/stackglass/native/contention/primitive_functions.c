/* The list of primitive functions, and the table of their code objects: see
 * primitive_functions.h. */
#include "contention/primitive_functions.h"

#include <Python.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "interpreter/python_text.h"

enum { SLOT_BITS = 9, N_SLOTS = 1 << SLOT_BITS, MOST = N_SLOTS / 2, MAX_FUNCTIONS = 24 };
enum {
    NO_PRIMITIVE = SG_FUNCTION_BEGINS | SG_FUNCTION_IDLES | SG_FUNCTION_MAKES | SG_FUNCTION_KEEPS
};

struct function {
    const char *name;
    uint32_t is; /* SG_FUNCTION_IS_PRIMITIVE is added to all but NO_PRIMITIVE */
};

/* A class, or with "" the functions of the module itself; what its instances are, if they are
 * waited for. What a version does not have is not there. Constant. */
static const struct place {
    const char *module, *type;
    enum sg_primitive object;
    struct function functions[MAX_FUNCTIONS];
} PLACES[] = {
    {"threading",
     "Condition",
     SG_PRIMITIVE_CONDITION,
     {{"__init__", SG_FUNCTION_MAKES},
      {"__enter__", 0},
      {"__exit__", 0},
      {"wait", SG_FUNCTION_SLEEPS},
      {"wait_for", 0},
      {"notify", SG_FUNCTION_WAKES},
      {"notify_all", 0},
      {"notifyAll", 0},
      {"_release_save", 0},
      {"_acquire_restore", SG_FUNCTION_RESTORES}}},
    {"threading",
     "Event",
     SG_PRIMITIVE_EVENT,
     {{"__init__", SG_FUNCTION_MAKES}, {"wait", 0}, {"set", 0}, {"clear", 0}}},
    {"threading",
     "Semaphore",
     SG_PRIMITIVE_SEMAPHORE,
     {{"__init__", SG_FUNCTION_MAKES},
      {"acquire", 0},
      {"__enter__", 0},
      {"release", SG_FUNCTION_HANDS_ON},
      {"__exit__", SG_FUNCTION_HANDS_ON}}},
    {"threading",
     "BoundedSemaphore",
     SG_PRIMITIVE_SEMAPHORE,
     {{"__init__", SG_FUNCTION_MAKES}, {"release", SG_FUNCTION_HANDS_ON}}},
    {"threading",
     "Barrier",
     SG_PRIMITIVE_BARRIER,
     {{"__init__", SG_FUNCTION_MAKES},
      {"wait", 0},
      {"_enter", 0},
      {"_wait", 0},
      {"_release", 0},
      {"_exit", 0},
      {"_break", 0},
      {"reset", 0},
      {"abort", 0}}},
    {"threading",
     "Thread",
     SG_PRIMITIVE_NONE,
     {{"join", 0}, {"_wait_for_tstate_lock", 0}, {"start", SG_FUNCTION_KEEPS}}},
    {"threading",
     "_RLock",
     SG_PRIMITIVE_NONE,
     {{"acquire", 0},
      {"__enter__", 0},
      {"release", 0},
      {"__exit__", 0},
      {"_acquire_restore", SG_FUNCTION_RESTORES},
      {"_release_save", 0}}},
    {"queue",
     "Queue",
     SG_PRIMITIVE_QUEUE,
     {{"__init__", SG_FUNCTION_MAKES},
      {"get", 0},
      {"get_nowait", 0},
      {"put", 0},
      {"put_nowait", 0},
      {"join", 0},
      {"task_done", 0},
      {"qsize", 0},
      {"empty", 0},
      {"full", 0},
      {"shutdown", 0}}},
    {"queue",
     "_PySimpleQueue",
     SG_PRIMITIVE_SIMPLE_QUEUE_GET,
     {{"__init__", SG_FUNCTION_MAKES},
      {"get", 0},
      {"get_nowait", 0},
      {"put", 0},
      {"put_nowait", 0}}},
    {"concurrent.futures._base",
     "Future",
     SG_PRIMITIVE_FUTURE,
     {{"__init__", SG_FUNCTION_MAKES},
      {"result", 0},
      {"exception", 0},
      {"cancel", 0},
      {"cancelled", 0},
      {"running", 0},
      {"done", 0},
      {"add_done_callback", 0},
      {"set_running_or_notify_cancel", 0},
      {"set_result", 0},
      {"set_exception", 0}}},
    {"concurrent.futures._base",
     "_AcquireFutures",
     SG_PRIMITIVE_NONE,
     {{"__enter__", 0}, {"__exit__", 0}}},
    {"concurrent.futures._base", "", SG_PRIMITIVE_NONE, {{"wait", 0}, {"as_completed", 0}}},
    {"multiprocessing.pool", "ApplyResult", SG_PRIMITIVE_NONE, {{"get", 0}, {"wait", 0}}},
    {"_frozen_importlib", "_ModuleLock", SG_PRIMITIVE_NONE, {{"acquire", 0}, {"release", 0}}},
    {"_frozen_importlib",
     "_ModuleLockManager",
     SG_PRIMITIVE_NONE,
     {{"__enter__", 0}, {"__exit__", 0}}},
    {"selectors", "EpollSelector", SG_PRIMITIVE_NONE, {{"select", 0}}},
    {"selectors", "_PollLikeSelector", SG_PRIMITIVE_NONE, {{"select", 0}}},
    {"selectors", "SelectSelector", SG_PRIMITIVE_NONE, {{"select", 0}}},
    {"socket", "socket", SG_PRIMITIVE_NONE, {{"accept", 0}, {"sendfile", 0}}},
    {"socket", "SocketIO", SG_PRIMITIVE_NONE, {{"readinto", 0}, {"write", 0}}},
    {"socket", "", SG_PRIMITIVE_NONE, {{"create_connection", 0}, {"getaddrinfo", 0}}},
    {"ssl",
     "SSLSocket",
     SG_PRIMITIVE_NONE,
     {{"accept", 0},
      {"connect", 0},
      {"connect_ex", 0},
      {"_real_connect", 0},
      {"do_handshake", 0},
      {"read", 0},
      {"write", 0},
      {"recv", 0},
      {"recv_into", 0},
      {"recvfrom", 0},
      {"recvfrom_into", 0},
      {"send", 0},
      {"sendto", 0},
      {"sendall", 0},
      {"sendfile", 0},
      {"unwrap", 0}}},
    {"subprocess",
     "Popen",
     SG_PRIMITIVE_NONE,
     {{"wait", 0},
      {"_wait", 0},
      {"_try_wait", 0},
      {"communicate", 0},
      {"_communicate", 0},
      {"__exit__", 0}}},
    {"subprocess",
     "",
     SG_PRIMITIVE_NONE,
     {{"run", 0}, {"call", 0}, {"check_call", 0}, {"check_output", 0}}},
    {"multiprocessing.popen_fork", "Popen", SG_PRIMITIVE_NONE, {{"wait", 0}, {"poll", 0}}},
    {"multiprocessing.process", "BaseProcess", SG_PRIMITIVE_NONE, {{"join", 0}}},
    {"multiprocessing.connection", "", SG_PRIMITIVE_NONE, {{"wait", 0}}},
    {"asyncio.base_events", "BaseEventLoop", SG_PRIMITIVE_NONE, {{"_run_once", SG_FUNCTION_IDLES}}},
    {"asyncio.events", "Handle", SG_PRIMITIVE_NONE, {{"_run", SG_FUNCTION_BEGINS}}},
    {"asyncio.locks",
     "Lock",
     SG_PRIMITIVE_NONE,
     {{"acquire", 0}, {"release", 0}, {"_wake_up_first", 0}}},
    {"asyncio.locks", "Event", SG_PRIMITIVE_NONE, {{"wait", 0}, {"set", 0}}},
    {"asyncio.locks",
     "Condition",
     SG_PRIMITIVE_NONE,
     {{"wait", 0}, {"wait_for", 0}, {"notify", 0}, {"notify_all", 0}}},
    {"asyncio.locks",
     "Semaphore",
     SG_PRIMITIVE_NONE,
     {{"acquire", 0}, {"release", 0}, {"_wake_up_next", 0}}},
    {"asyncio.locks", "BoundedSemaphore", SG_PRIMITIVE_NONE, {{"release", 0}}},
    {"asyncio.locks", "Barrier", SG_PRIMITIVE_NONE, {{"wait", 0}, {"_block", 0}, {"_wait", 0}}},
    {"asyncio.queues", "Queue", SG_PRIMITIVE_NONE, {{"get", 0}, {"put", 0}, {"join", 0}}},
};
enum { N_PLACES = sizeof PLACES / sizeof *PLACES };

/* Guarded by the GIL. */
static struct {
    sg_code_id code; /* SG_NO_CODE = empty */
    uint32_t is;
} slots[N_SLOTS];
static uint32_t n_known;
static bool is_learned[N_PLACES];

static uint32_t slot_of(sg_code_id code) {
    uint32_t at = code * UINT32_C(0x9E3779B1) >> (32 - SLOT_BITS);
    while (slots[at].code != SG_NO_CODE && slots[at].code != code)
        at = (at + 1) % N_SLOTS;
    return at;
}

uint32_t sg_primitive_functions_find(sg_code_id code) {
    return code == SG_NO_CODE ? 0 : slots[slot_of(code)].is;
}

static void learn_function(PyObject *function, uint32_t is) {
    static const void *function_type; /* constant once found; under the GIL */
    static PyObject *(*code_of)(PyObject *);
    if (!code_of) {
        void *symbol = dlsym(RTLD_DEFAULT, "PyFunction_GetCode");
        function_type = dlsym(RTLD_DEFAULT, "PyFunction_Type");
        memcpy(&code_of, &symbol, sizeof symbol);
    }
    if (!code_of || (const void *)Py_TYPE(function) != function_type || n_known == MOST)
        return; /* the program has replaced it: then it is an ordinary frame */
    sg_code_id code = sg_code_ids_intern(code_of(function)); /* borrowed: the function's */
    if (code == SG_UNKNOWN)
        return;
    uint32_t at = slot_of(code);
    n_known += slots[at].code == SG_NO_CODE;
    slots[at].code = code;
    slots[at].is |= is & NO_PRIMITIVE ? is : is | SG_FUNCTION_IS_PRIMITIVE;
}

/* New reference: the dictionary that holds the functions, or NULL if it is not there (yet). */
static PyObject *open_place(const struct place *place) {
    PyObject *names = sg_python_text_module_names(place->module); /* borrowed: its module's */
    if (!names || !*place->type) {
        Py_XINCREF(names);
        return names;
    }
    PyObject *type = PyDict_GetItemString(names, place->type); /* borrowed: the module's */
    return type && PyType_Check(type) ? sg_python_text_plain_attribute(type, "__dict__") : NULL;
}

static bool learn_place(const struct place *place) {
    PyObject *functions = open_place(place);
    bool has_any = false;
    for (int i = 0; functions && i < MAX_FUNCTIONS && place->functions[i].name; i++) {
        PyObject *function = PyMapping_GetItemString(functions, place->functions[i].name);
        if (function) {
            learn_function(function, place->functions[i].is | place->object << SG_FUNCTION_BITS);
            has_any = true;
        }
        Py_XDECREF(function);
        PyErr_Clear();
    }
    Py_XDECREF(functions);
    return has_any;
}

void sg_primitive_functions_learn(void) {
    for (int i = 0; i < N_PLACES; i++) {
        if (!is_learned[i])
            is_learned[i] = learn_place(&PLACES[i]);
    }
}

void sg_primitive_functions_forget(void) {
    memset(slots, 0, sizeof slots);
    memset(is_learned, 0, sizeof is_learned);
    n_known = 0;
}
