/* Finds `with` blocks on the evaluation stack of frames, where the interpreter keeps the __exit__
 * that it calls at the block's end.
 *
 *     up to 3.13     … │ __exit__, bound │            below the block
 *     3.14, 3.15     … │ __exit__ │ lock │
 *
 * Each frame of the thread is searched for the __exit__ of a lock or of a Condition. If a block is
 * found, every function from the innermost frame up to the block's is checked: it may have released
 * the lock by hand (hand_release.h).
 *
 * The interpreter does not guarantee where these values lie. So `prepare` runs a test function and
 * compares the blocks that are found in it with the expected ones; any difference turns the search
 * for blocks off. */
#include "lock_holders/with_blocks.h"

#include "frames/frame_values.h"
#include "frames/python_frames.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "interpreter/probe_code.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "lock_holders/hand_release.h"
#include "locks/calls.h"
#include "locks/hooks.h"
#include "locks/state.h"
#include "locks/types.h"
#include "platform/memory.h"

enum {
    /* Up to 3.13 the stack has a bound `__exit__`; from 3.14 on the function, and above it the
     * object. */
    FIRST_UNBOUND = 14,
};

/* All guarded by the GIL. */
static bool is_known;                        /* the check has found every block */
static uintptr_t bound_type;                 /* PyMethod_Type: static in the interpreter */
static PyObject *lock_exit;                  /* method descriptor; owned while known */
static PyObject *condition, *condition_exit; /* threading's, once it is loaded; owned while known */

static void learn_condition(void) {
    PyObject *type = condition ? NULL : sg_python_text_global_type("threading", "Condition");
    PyObject *exit = type ? sg_python_text_attribute(type, "__exit__") : NULL;
    PyErr_Clear();
    if (!exit)
        return;
    Py_INCREF(type);
    condition = type;
    condition_exit = exit;
}

static uintptr_t type_of(uintptr_t object) { return sg_memory_load(object + SG_OB_TYPE); }

/* Return the lock of `object`, a Condition, which keeps the lock alive. NULL if `object` is not a
 * Condition or has no plain attribute _lock. */
static const void *lock_of(uintptr_t object) {
    if (!object || type_of(object) != (uintptr_t)condition)
        return NULL;
    PyObject *lock = sg_python_text_plain_attribute((PyObject *)object, "_lock");
    Py_XDECREF(lock);
    return lock;
}

/* If `value` is the __exit__ of a lock or Condition on the stack, return the lock; else NULL.
 * `above` is the value above it on the stack. */
static const void *read_exit(uintptr_t value, uintptr_t above) {
    if (!value)
        return NULL;
    if (sg_debug_offsets.minor >= FIRST_UNBOUND) {
        if (value == (uintptr_t)lock_exit)
            return (const void *)above;
        return condition && value == (uintptr_t)condition_exit ? lock_of(above) : NULL;
    }
    uintptr_t type = type_of(value);
    if (type == (uintptr_t)&PyCFunction_Type &&
        sg_memory_load(value + SG_C_FUNCTION_DEFINITION) ==
            (uintptr_t)sg_lock_calls_patches[SG_LOCK_EXIT].definition)
        return (const void *)sg_memory_load(value + SG_C_FUNCTION_SELF);
    if (condition && type == bound_type &&
        sg_memory_load(value + SG_METHOD_FUNCTION) == (uintptr_t)condition_exit)
        return lock_of(sg_memory_load(value + SG_METHOD_SELF));
    return NULL;
}

enum { MOST_SLEEPS = 8 }; /* waits in one stack, each in a callback of the one before */

/* What the functions from the innermost frame up to `last` may have released. A deep recursion has
 * a block in each frame, so each frame is looked at once. */
struct releases {
    struct sg_frame_values next; /* the first frame that has not been looked at */
    bool has_next;
    uintptr_t last; /* 0 = none was looked at */
    bool is_any;    /* any lock */
    const void *slept_on[MOST_SLEEPS];
    uint32_t n_slept_on;
};

static void look_at_frame(struct releases *releases) {
    const struct sg_frame_values *values = &releases->next;
    const void *slept_on = NULL;
    if (sg_hand_release_sleeps(values) && values->n_locals)
        slept_on = lock_of(sg_frame_fields_value(values->locals[0]));
    if (slept_on && releases->n_slept_on < MOST_SLEEPS)
        releases->slept_on[releases->n_slept_on++] = slept_on;
    else if (slept_on || sg_hand_release_is_mentioned(values))
        releases->is_any = true;
    releases->last = values->frame;
    releases->has_next = sg_frame_values_next(&releases->next);
}

/* Whether a function between the innermost frame and that of `block`, both included, may have
 * released the lock by hand. Blocks come innermost first. */
static bool may_be_released(struct releases *releases, const struct sg_frame_values *block,
                            const void *lock) {
    while (releases->last != block->frame && releases->has_next && !releases->is_any)
        look_at_frame(releases);
    bool is_released = releases->is_any || releases->last != block->frame;
    for (uint32_t i = 0; i < releases->n_slept_on; i++)
        is_released |= releases->slept_on[i] == lock;
    return is_released;
}

void sg_with_blocks_visit(const void *thread, sg_with_block_fn *visit, void *context) {
    struct sg_frame_values values;
    const void *lock_type = sg_lock_hooks_type(SG_TYPE_LOCK);
    if (!is_known || !lock_type || !sg_frame_values_first(thread, &values))
        return;
    learn_condition();
    struct releases releases = {.next = values, .has_next = true};
    bool has_frame = true;
    for (; has_frame && !releases.is_any; has_frame = sg_frame_values_next(&values)) {
        for (uint32_t i = 0; i < values.n_live; i++) {
            uint64_t above = i + 1 < values.n_live ? values.stack[i + 1] : 0;
            const void *lock = read_exit(sg_frame_fields_value(values.stack[i]),
                                         above ? sg_frame_fields_value(above) : 0);
            if (lock && type_of((uintptr_t)lock) == (uintptr_t)lock_type &&
                !may_be_released(&releases, &values, lock))
                visit(context, lock);
        }
    }
}

struct search {
    const void *lock;
    bool is_found;
};

static void compare(void *context, const void *lock) {
    struct search *search = context;
    search->is_found |= lock == search->lock;
}

bool sg_with_blocks_have(const void *thread, const void *lock) {
    struct search search = {.lock = lock};
    sg_with_blocks_visit(thread, compare, &search);
    return search.is_found;
}

/* ---- The check with a test function ---- */

/* The test function: it calls `see` eight times, inside and outside of blocks. EXPECTED has these
 * answers, and those of two calls of `locked`. */
static const char SOURCE[] = "def inner(see, lock):\n"
                             "    with lock:\n"
                             "        yield see(lock)\n"
                             "def outer(see, lock):\n"
                             "    seen = [see(lock)]\n"
                             "    with lock:\n"
                             "        seen += [see(lock)]\n"
                             "        for one in (lock, lock):\n"
                             "            try:\n"
                             "                seen += [one.locked(), see(one)]\n"
                             "            finally:\n"
                             "                pass\n"
                             "        seen += [(lambda cell: see(lock))(seen)]\n"
                             "    seen += [see(lock)]\n"
                             "    seen += [one for one in inner(see, lock)]\n"
                             "    with lock:\n"
                             "        lock.release()\n"
                             "        seen += [see(lock)]\n"
                             "        lock.acquire()\n"
                             "    return seen\n"
                             "seen = outer(see, lock)\n";
static const bool EXPECTED[] = {false, true, true, true, true, true, true, false, true, false};
enum { N_EXPECTED = sizeof EXPECTED / sizeof *EXPECTED };

static PyObject *see(PyObject *self, PyObject *lock) {
    (void)self;
    return PyBool_FromLong(sg_with_blocks_have(PyThreadState_Get(), lock));
}

static PyMethodDef SEE = {"see", see, METH_O, NULL}; /* constant */

static bool is_as_expected(PyObject *seen) {
    bool is_right = seen && PyList_Check(seen) && PyList_Size(seen) == N_EXPECTED;
    for (int i = 0; is_right && i < N_EXPECTED; i++)
        is_right = PyList_GetItem(seen, i) == (EXPECTED[i] ? Py_True : Py_False);
    return is_right;
}

static bool try_blocks(void) {
    PyObject *names = PyDict_New(), *lock = sg_lock_types_make(SG_TYPE_LOCK);
    bool is_right = names && lock && !PyDict_SetItemString(names, "lock", lock) &&
                    !sg_probe_code_run(SOURCE, &SEE, names) &&
                    is_as_expected(PyDict_GetItemString(names, "seen"));
    sg_probe_code_forget(names);
    Py_XDECREF(lock);
    return is_right;
}

void sg_with_blocks_prepare(void) {
    PyObject *type = (PyObject *)sg_lock_hooks_type(SG_TYPE_LOCK);
    sg_with_blocks_forget();
    sg_python_frames_prepare();
    bound_type = (uintptr_t)sg_python_symbols_address("PyMethod_Type");
    lock_exit = type ? sg_python_text_attribute(type, "__exit__") : NULL;
    PyErr_Clear();
    is_known = lock_exit != NULL;
    is_known = is_known && try_blocks();
}

void sg_with_blocks_forget(void) {
    is_known = false;
    Py_CLEAR(lock_exit);
    Py_CLEAR(condition);
    Py_CLEAR(condition_exit);
}
