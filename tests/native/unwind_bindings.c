/* Bindings of the unwind room: tables of this process, and unwind entries of any bytes. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "cpu/native_walk.h"
#include "platform/time.h"
#include "unwind/eh_frame.h"
#include "unwind/forward.h"
#include "unwind/forward_rule.h"
#include "unwind/forward_walk.h"
#include "unwind/made_code.h"
#include "unwind/register_effect.h"
#include "unwind/system_call.h"
#include "unwind/tables.h"
#include "unwind/unwind.h"
#include "values.h"

static PyObject *rule_value(const struct sg_unwind_rule *rule) {
    static const char *const CFA[] = {"unknown",  "outermost", "signal", "sp",  "fp",
                                      "register", "at sp",     "at fp",  "stub"};
    static const char *const SAVED[] = {"same", "at cfa", "at fp", "at sp", "lost"};
    return Py_BuildValue("(siiisi)", CFA[rule->cfa], rule->cfa_register, rule->cfa_offset,
                         rule->cfa_addend, SAVED[rule->frame_pointer], rule->frame_pointer_offset);
}

static PyObject *build(PyObject *self, PyObject *args) {
    struct sg_unwind_tables_counts counts;
    if (sg_unwind_tables_open())
        return PyErr_NoMemory();
    while (sg_unwind_tables_maintain())
        ;
    sg_unwind_tables_count(&counts);
    return Py_BuildValue("(IIIKK)", counts.n_objects, counts.n_unknown, counts.n_rules,
                         (unsigned long long)counts.n_rows, (unsigned long long)counts.n_bytes);
}

static PyObject *close_tables(PyObject *self, PyObject *args) {
    return PyBool_FromLong(sg_unwind_tables_close());
}

static PyObject *enter(PyObject *self, PyObject *args) {
    return PyBool_FromLong(sg_unwind_tables_enter() != NULL);
}

static PyObject *leave(PyObject *self, PyObject *args) {
    sg_unwind_tables_leave();
    return sg_values_none();
}

static PyObject *find_rule(PyObject *self, PyObject *args) {
    unsigned long long pc;
    if (!PyArg_ParseTuple(args, "K", &pc))
        return NULL;
    const struct sg_unwind_map *map = sg_unwind_tables_enter();
    if (!map)
        return sg_values_none();
    sg_unwind_rule_id id = sg_unwind_tables_find(map, (uintptr_t)pc);
    struct sg_unwind_rule rule = *sg_unwind_rules_get(id);
    sg_unwind_tables_leave();
    return rule_value(&rule);
}

static bool append_rule(void *context, uintptr_t pc, const struct sg_unwind_rule *rule) {
    PyObject **list = context;
    sg_values_append(list, Py_BuildValue("(KN)", (unsigned long long)pc, rule_value(rule)));
    return *list != NULL;
}

/* Read from a copy with nothing behind it, so that a tool for memory sees a read beyond its end. */
static PyObject *read_entry(PyObject *self, PyObject *args) {
    const char *bytes;
    Py_ssize_t n_bytes;
    unsigned long long address, entry;
    struct sg_eh_frame_function function;
    if (!PyArg_ParseTuple(args, "y#KK", &bytes, &n_bytes, &address, &entry))
        return NULL;
    struct sg_eh_frame frame = {.bytes = (const uint8_t *)bytes,
                                .address = (uintptr_t)address,
                                .n_bytes = (uint64_t)n_bytes};
    if (!sg_eh_frame_read(&frame, (uintptr_t)entry, &function))
        return sg_values_none();
    PyObject *list = PyList_New(0);
    sg_eh_frame_run(&frame, &function, append_rule, &list);
    if (!list)
        return NULL;
    return Py_BuildValue("(KKN)", (unsigned long long)function.start,
                         (unsigned long long)function.end, list);
}

/* (n): the calling thread's stack, and the time of one of n walks in ns. */
static PyObject *walk_here(PyObject *self, PyObject *args) {
    static struct sg_slot slot; /* guarded by the GIL */
    unsigned int n;
    static uint32_t depth; /* as the slot */
    ucontext_t context;
    if (!PyArg_ParseTuple(args, "I", &n))
        return NULL;
    sg_unwind_set_wanted(true);
    while (!sg_unwind_is_ready() && !*sg_unwind_problem())
        sg_unwind_maintain();
    getcontext(&context);
    uint64_t start_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (unsigned int i = 0; i < n; i++)
        depth =
            sg_native_walk(&slot, PyThreadState_Get(), &context, slot.frames, SG_MAX_DEPTH, NULL);
    uint64_t took_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
    return Py_BuildValue("(Nd)", sg_values_frames(slot.frames, depth), (double)took_ns / n);
}

/* A thread with this code around its instruction, which is the byte at `at`, and these words on its
 * stack; before them the address of the byte at `returns`, unless that is 0. */
static PyObject *find_system_call(PyObject *self, PyObject *args) {
    const char *code;
    Py_ssize_t n_bytes, at, behind;
    unsigned long long rax;
    struct sg_frame frame;
    ucontext_t context = {0};
    const char *words = "";
    Py_ssize_t n_words = 0, returns = 0;
    uint64_t stack[32] = {0};
    if (!PyArg_ParseTuple(args, "y#nnK|y#n", &code, &n_bytes, &at, &behind, &rax, &words, &n_words,
                          &returns))
        return NULL;
    if (n_words > (Py_ssize_t)(sizeof stack - sizeof *stack)) {
        PyErr_SetString(PyExc_ValueError, "the stack is too large");
        return NULL;
    }
    memcpy(stack + 1, words, (size_t)n_words);
    stack[0] = (uint64_t)(code + returns);
#ifdef __x86_64__
    context.uc_mcontext.gregs[REG_RIP] = (greg_t)(code + at);
    context.uc_mcontext.gregs[REG_RCX] = (greg_t)(code + behind);
    context.uc_mcontext.gregs[REG_RAX] = (greg_t)rax;
    context.uc_mcontext.gregs[REG_RSP] = (greg_t)(stack + !returns);
#endif
    return sg_system_call_find(&context, &frame)
               ? PyLong_FromUnsignedLongLong(sg_frame_native_pc(frame))
               : sg_values_none();
}

/* From a copy with nothing behind it, as above. */
static PyObject *decode_instruction(PyObject *self, PyObject *args) {
    static const char *const KINDS[] = {"none",    "move",          "add",    "load", "store",
                                        "push",    "pop",           "leave",  "call", "jump",
                                        "jump if", "jump anywhere", "return", "end"};
    const char *bytes;
    Py_ssize_t n_bytes;
    struct sg_instruction instruction;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &n_bytes))
        return NULL;
    if (!sg_instruction_decode((const uint8_t *)bytes, (size_t)n_bytes, &instruction))
        return sg_values_none();
    struct sg_register_effect effect = sg_register_effect_find(&instruction);
    return Py_BuildValue("(isiiii)", instruction.length, KINDS[effect.kind], effect.to, effect.from,
                         effect.amount, effect.written);
}

/* Code that lies at an address of its own, and rows of other code. */
struct made {
    const char *bytes;
    uintptr_t address;
    unsigned long long row_from, row_to;
    struct sg_unwind_rule row;
};

static bool read_made(void *context, uintptr_t address, void *copy, size_t size) {
    const struct made *made = context;
    memcpy(copy, made->bytes + (address - made->address), size);
    return true;
}

static const struct sg_unwind_rule *find_made_row(void *context, uintptr_t pc) {
    const struct made *made = context;
    return pc >= made->row_from && pc < made->row_to ? &made->row : NULL;
}

static PyObject *list_visits(const struct sg_forward_walk *walk) {
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list && i < walk->n_visits; i++) {
        struct sg_unwind_rule rule;
        if (sg_forward_rule_find(walk, &walk->visits[i], &rule))
            sg_values_append(&list,
                             Py_BuildValue("(KNN)", (unsigned long long)walk->visits[i].address,
                                           rule_value(&rule),
                                           PyBool_FromLong(walk->visits[i].is_behind_call)));
    }
    return list;
}

static PyObject *walk_forward(PyObject *self, PyObject *args) {
    struct made made = {.row = {.cfa = SG_CFA_OF_STACK_POINTER, .cfa_offset = 8}};
    unsigned long long address, start;
    Py_ssize_t n_bytes;
    int is_behind_call = 0;
    if (!PyArg_ParseTuple(args, "y#KK|pKK", &made.bytes, &n_bytes, &address, &start,
                          &is_behind_call, &made.row_from, &made.row_to))
        return NULL;
    struct tools {
        struct sg_forward_walk walk;
        struct sg_code_bytes code;
    } *tools = PyMem_Malloc(sizeof *tools);
    if (!tools)
        return PyErr_NoMemory();
    made.address = (uintptr_t)address;
    sg_code_bytes_begin(&tools->code, made.address, made.address + (uintptr_t)n_bytes, read_made,
                        &made);
    PyObject *found = sg_forward_walk_run(&tools->walk, &tools->code, find_made_row, &made,
                                          (uintptr_t)start, is_behind_call)
                          ? list_visits(&tools->walk)
                          : sg_values_none();
    PyMem_Free(tools);
    return found;
}

/* What a handler gets for an address, then what it gets once the engine's thread has been there. */
static PyObject *find_forward(PyObject *self, PyObject *args) {
    unsigned long long pc;
    double later_s = 0;
    if (!PyArg_ParseTuple(args, "K|d", &pc, &later_s))
        return NULL;
    if (sg_unwind_forward_open())
        return PyErr_NoMemory();
    const struct sg_unwind_map *map = sg_unwind_tables_enter();
    if (!map)
        return sg_values_none();
    struct sg_unwind_rule before = *sg_unwind_rules_get(sg_unwind_forward_find((uintptr_t)pc));
    sg_unwind_forward_maintain(sg_time_mono_ns() + (int64_t)(later_s * 1e9));
    struct sg_unwind_rule rule = *sg_unwind_rules_get(sg_unwind_forward_find((uintptr_t)pc));
    bool may_return = sg_unwind_forward_may_return_to(map, (uintptr_t)pc);
    sg_unwind_tables_leave();
    return Py_BuildValue("(NNN)", rule_value(&before), rule_value(&rule),
                         PyBool_FromLong(may_return));
}

static PyObject *hash_made_code(PyObject *self, PyObject *args) {
    unsigned long long low, high;
    uint64_t hash;
    if (!PyArg_ParseTuple(args, "KK", &low, &high))
        return NULL;
    return sg_made_code_hash((uintptr_t)low, (uintptr_t)high, &hash)
               ? PyLong_FromUnsignedLongLong(hash)
               : sg_values_none();
}

static PyObject *watch_made_code(PyObject *self, PyObject *args) {
    unsigned long long low, high, hash;
    if (!PyArg_ParseTuple(args, "KKK", &low, &high, &hash))
        return NULL;
    return PyBool_FromLong(sg_made_code_watch((uintptr_t)low, (uintptr_t)high, hash));
}

static PyObject *close_forward(PyObject *self, PyObject *args) {
    sg_unwind_forward_close();
    return sg_values_none();
}

/* Forks inside the calls of the engine's thread, from a handler that interrupts them anywhere. */
static struct {
    volatile bool is_inside; /* a call that changes the tables */
    int n_forks, n_failed;
} forking;

static unsigned long read_mapped_pages(void) {
    char text[64] = "";
    int file = open("/proc/self/statm", O_RDONLY);
    if (file >= 0 && read(file, text, sizeof text - 1) < 0)
        text[0] = 0;
    close(file);
    return strtoul(text, NULL, 10);
}

/* Let the next signal come after some CPU time; so the work goes on however busy the machine is. */
static void set_timer(bool is_on) {
    const struct itimerval once = {{0, 0}, {0, is_on ? 500 : 0}};
    setitimer(ITIMER_PROF, &once, NULL);
}

/* Fork without fork handlers. The child exits with 1 if it has freed anything in the middle of a
 * change. */
static void fork_here(int signo) {
    int saved_errno = errno, status = -1;
    pid_t child = (pid_t)syscall(SYS_fork);
    if (!child) {
        unsigned long before = read_mapped_pages();
        sg_unwind_after_fork_in_child();
        _exit(read_mapped_pages() != before);
    }
    waitpid(child, &status, 0);
    if (forking.is_inside) {
        forking.n_forks++;
        forking.n_failed += status != 0;
    }
    set_timer(true);
    errno = saved_errno;
}

static PyObject *fork_in_changes(PyObject *self, PyObject *args) {
    struct sigaction old, action = {.sa_handler = fork_here, .sa_flags = SA_RESTART};
    int n_wanted;
    if (!PyArg_ParseTuple(args, "i", &n_wanted))
        return NULL;
    forking.n_forks = forking.n_failed = 0;
    sigaction(SIGPROF, &action, &old);
    set_timer(true);
    while (forking.n_forks < n_wanted) {
        sg_unwind_set_wanted(true);
        for (bool has_more = true; has_more;) {
            forking.is_inside = true;
            has_more = sg_unwind_maintain();
            forking.is_inside = false;
        }
        sg_unwind_discard();
    }
    set_timer(false);
    sigaction(SIGPROF, &old, NULL);
    return Py_BuildValue("(ii)", forking.n_forks, forking.n_failed);
}

/* Fork between two changes. Returns how many pages the child has unmapped. */
static PyObject *fork_between_changes(PyObject *self, PyObject *args) {
    int ends[2];
    unsigned long freed = 0;
    sg_unwind_set_wanted(true);
    while (sg_unwind_maintain())
        ;
    if (pipe(ends))
        return PyErr_SetFromErrno(PyExc_OSError);
    pid_t child = (pid_t)syscall(SYS_fork);
    if (!child) {
        unsigned long before = read_mapped_pages();
        sg_unwind_after_fork_in_child();
        freed = before - read_mapped_pages();
        _exit(write(ends[1], &freed, sizeof freed) != sizeof freed);
    }
    ssize_t n_read = read(ends[0], &freed, sizeof freed);
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    sg_unwind_discard();
    return PyLong_FromUnsignedLong(n_read == sizeof freed ? freed : 0);
}

PyMethodDef sg_unwind_bindings[] = {
    {"unwind_build", build, METH_NOARGS, "Objects with rows and without; rules, rows, bytes."},
    {"unwind_fork_between", fork_between_changes, METH_NOARGS,
     "Pages that a child unmaps which is forked between two changes of the tables."},
    {"unwind_fork_inside", fork_in_changes, METH_VARARGS,
     "(n): forks in the middle of a change; of these, children that unmapped anything."},
    {"unwind_close", close_tables, METH_NOARGS, "False if a reader is inside."},
    {"unwind_decode", decode_instruction, METH_VARARGS,
     "(bytes): length, kind, to, from, amount, written; None = unknown."},
    {"unwind_forward", walk_forward, METH_VARARGS,
     "(bytes, address, start, is_behind_call=False, row_from=0, row_to=0): (address, rule, "
     "is_behind_call) of each instruction; None = the exit is not known."},
    {"unwind_forward_find", find_forward, METH_VARARGS,
     "(address, later_s=0): rule before and after the engine's thread was there, so much later; "
     "may it be returned to."},
    {"unwind_forward_close", close_forward, METH_NOARGS, "unwind_forward_close()"},
    {"unwind_hash_made_code", hash_made_code, METH_VARARGS, "(low, high): hash of the bytes."},
    {"unwind_watch_made_code", watch_made_code, METH_VARARGS, "(low, high, hash): is it watched?"},
    {"unwind_enter", enter, METH_NOARGS, "As a reader; False if there are no tables."},
    {"unwind_leave", leave, METH_NOARGS, "unwind_leave()"},
    {"unwind_walk", walk_here, METH_VARARGS, "(n): frames, leaf first; ns of each of n walks."},
    {"unwind_system_call", find_system_call, METH_VARARGS,
     "(code, at, behind, rax, stack=b\"\", returns=0): address."},
    {"unwind_rule", find_rule, METH_VARARGS, "(address): the rule there; None without tables."},
    {"unwind_read", read_entry, METH_VARARGS, "(bytes, address, entry): start, end, rules."},
    {NULL, NULL, 0, NULL},
};
