/* A look-up in CPython's hash array mapped trie, which reads fields at known offsets.
 *
 *     level 0, 1, 2 …: the next five bits of the hash are the branch
 *       bitmap node    the branch's bit is set? pairs[number of set bits below] ─▶ value, or node
 *       array node     branches[branch] ─▶ the next node
 *
 * Nodes are recognised by their types; any other word ends the look-up as unreadable. `prepare`
 * checks the look-up on a context of the engine's own, with 64 variables, so that both kinds of
 * nodes occur. */
#include "interpreter/contextvars.h"

#include <stdio.h>

#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

/* Offsets, equal from 3.9 to 3.15 and checked by prepare, and numbers of the trie. */
enum {
    CONTEXT_VARIABLES = 24, /* PyContext.ctx_vars: the HAMT */
    HAMT_ROOT = 16,         /* PyHamtObject.h_root */
    BITMAP = 24,            /* bitmap node: a bit for each of the 32 branches that exist */
    BITMAP_PAIRS = 32,      /* bitmap node: a pair for each bit that is set */
    PAIR_BYTES = 16,        /* (variable, value), or (NULL, the next node) */
    ARRAY_BRANCHES = 16,    /* array node: 32 pointers to nodes, or NULL */
    BITS_A_LEVEL = 5,
    LEVEL_MASK = 31,
    MOST_LEVELS = 7, /* of a hash of 32 bits */
};

/* Written by prepare with the GIL held, then constant. */
static bool is_prepared;
static uintptr_t thread_context;          /* offset in a thread state */
static uintptr_t context_type;            /* PyContext_Type */
static uintptr_t bitmap_type, array_type; /* types of nodes; collision nodes are never read */

static bool read_word(sg_read_fn *read, uintptr_t address, uintptr_t *word) {
    return read(address, word, sizeof *word);
}

/* Follow a branch of a bitmap node: set `value`, and `node` to 0; or set `node` to the next one. */
static enum sg_contextvar_result follow_bitmap(uintptr_t *node, uint32_t branch, uintptr_t variable,
                                               sg_read_fn *read, uintptr_t *value) {
    uint32_t bitmap;
    uintptr_t pair[2];
    if (!read(*node + BITMAP, &bitmap, sizeof bitmap))
        return SG_CONTEXTVAR_UNREADABLE;
    if (!(bitmap >> branch & 1))
        return SG_CONTEXTVAR_UNSET;
    uint32_t position = (uint32_t)__builtin_popcount(bitmap & ((UINT32_C(1) << branch) - 1));
    if (!read(*node + BITMAP_PAIRS + PAIR_BYTES * (uintptr_t)position, pair, sizeof pair))
        return SG_CONTEXTVAR_UNREADABLE;
    *node = pair[0] ? 0 : pair[1];
    if (!pair[0])
        return pair[1] ? SG_CONTEXTVAR_FOUND : SG_CONTEXTVAR_UNREADABLE;
    *value = pair[1];
    return pair[0] == variable ? SG_CONTEXTVAR_FOUND : SG_CONTEXTVAR_UNSET;
}

static enum sg_contextvar_result find_below(uintptr_t node, const struct sg_contextvar *variable,
                                            sg_read_fn *read, uintptr_t *value) {
    for (uint32_t level = 0; level < MOST_LEVELS; level++) {
        uint32_t branch = variable->hash >> (level * BITS_A_LEVEL) & LEVEL_MASK;
        uintptr_t type;
        if (!read_word(read, node + SG_OB_TYPE, &type))
            return SG_CONTEXTVAR_UNREADABLE;
        if (type == array_type && type) {
            if (!read_word(read, node + ARRAY_BRANCHES + sizeof node * branch, &node))
                return SG_CONTEXTVAR_UNREADABLE;
            if (!node)
                return SG_CONTEXTVAR_UNSET;
        } else if (type == bitmap_type) {
            enum sg_contextvar_result result =
                follow_bitmap(&node, branch, variable->address, read, value);
            if (result != SG_CONTEXTVAR_FOUND || !node)
                return result;
        } else {
            return SG_CONTEXTVAR_UNREADABLE;
        }
    }
    return SG_CONTEXTVAR_UNREADABLE;
}

enum sg_contextvar_result sg_contextvars_find(const void *thread,
                                              const struct sg_contextvar *variable,
                                              sg_read_fn *read, uintptr_t *value) {
    uintptr_t context;
    if (!is_prepared || !read_word(read, (uintptr_t)thread + thread_context, &context))
        return SG_CONTEXTVAR_UNREADABLE;
    if (!context) /* the thread has not set any variable yet */
        return SG_CONTEXTVAR_UNSET;
    return sg_contextvars_find_in(context, variable, read, value);
}

enum sg_contextvar_result sg_contextvars_find_in(uintptr_t context,
                                                 const struct sg_contextvar *variable,
                                                 sg_read_fn *read, uintptr_t *value) {
    uintptr_t variables, root;
    if (!read_word(read, context + CONTEXT_VARIABLES, &variables) ||
        !read_word(read, variables + HAMT_ROOT, &root))
        return SG_CONTEXTVAR_UNREADABLE;
    return find_below(root, variable, read, value);
}

bool sg_contextvars_is_context(const void *object) {
    return is_prepared && object && sg_memory_load((uintptr_t)object + SG_OB_TYPE) == context_type;
}

/* Fold a hash to 32 bits, as CPython's hamt_hash() does. */
static uint32_t fold(Py_hash_t hash) {
    uint32_t folded = (uint32_t)hash ^ (uint32_t)((uint64_t)hash >> 32);
    return folded == UINT32_MAX ? UINT32_MAX - 1 : folded;
}

bool sg_contextvars_identify(PyObject *variable, struct sg_contextvar *found) {
    const void *type = sg_python_symbols_address("PyContextVar_Type");
    if (!type || (const void *)Py_TYPE(variable) != type)
        return false;
    *found = (struct sg_contextvar){(uintptr_t)variable, fold(PyObject_Hash(variable))};
    return true;
}

/* ---- The proof ---- */

/* A thread of the program may prove it, when it first uses labels: so memory is read by calls that
 * no filter of that thread forbids. The GIL keeps it mapped.
 *
 * N_PROBES: so many variables make both kinds of nodes. THREAD_WORDS: words of a thread state that
 * are searched for its context. */
enum { N_PROBES = 64, THREAD_WORDS = 128 };

/* Functions of CPython's API beyond the limited one. Guarded by the GIL. */
static struct {
    PyObject *(*new_context)(void);
    int (*enter)(PyObject *context);
    int (*exit)(PyObject *context);
    PyObject *(*new_variable)(const char *name, PyObject *fallback);
    PyObject *(*set)(PyObject *variable, PyObject *value);
} api;

static bool find_api(void) {
    return sg_python_symbols_look_up("PyContext_New", &api.new_context) &&
           sg_python_symbols_look_up("PyContext_Enter", &api.enter) &&
           sg_python_symbols_look_up("PyContext_Exit", &api.exit) &&
           sg_python_symbols_look_up("PyContextVar_New", &api.new_variable) &&
           sg_python_symbols_look_up("PyContextVar_Set", &api.set);
}

/* Return the offset at which the thread state refers to `context`; 0 = none. */
static uintptr_t find_context(const void *thread, PyObject *context) {
    for (uintptr_t offset = 0; offset < THREAD_WORDS * sizeof offset; offset += sizeof offset) {
        uintptr_t word;
        if (!sg_memory_read_probed((uintptr_t)thread + offset, &word, sizeof word))
            return 0;
        if (word == (uintptr_t)context)
            return offset;
    }
    return 0;
}

/* The root of a small HAMT is a bitmap node, the root of a large HAMT an array node. */
static bool learn_node_types(PyObject *context) {
    uintptr_t variables, root, type;
    if (!sg_memory_read_probed((uintptr_t)context + CONTEXT_VARIABLES, &variables,
                               sizeof variables) ||
        !sg_memory_read_probed(variables + HAMT_ROOT, &root, sizeof root) ||
        !sg_memory_read_probed(root + SG_OB_TYPE, &type, sizeof type))
        return false;
    if (!bitmap_type)
        bitmap_type = type;
    else if (type != bitmap_type && !array_type)
        array_type = type;
    return type == bitmap_type || type == array_type;
}

struct probe {
    PyObject *variable, *value;
};

static bool is_found(const void *thread, const struct probe *probe, bool is_set) {
    struct sg_contextvar variable;
    uintptr_t value = 0;
    if (!sg_contextvars_identify(probe->variable, &variable))
        return false;
    enum sg_contextvar_result result =
        sg_contextvars_find(thread, &variable, sg_memory_read_probed, &value);
    return is_set ? result == SG_CONTEXTVAR_FOUND && value == (uintptr_t)probe->value
                  : result == SG_CONTEXTVAR_UNSET;
}

/* Set one variable after the other in `context`, which has been entered. Returns whether, after
 * each of them, all variables set so far are found, and the next one is not. */
static bool prove(const void *thread, PyObject *context, const struct probe probes[N_PROBES]) {
    for (int n = 0; n < N_PROBES; n++) {
        PyObject *token = api.set(probes[n].variable, probes[n].value);
        Py_XDECREF(token);
        if (!token || !learn_node_types(context))
            return false;
        for (int i = 0; i <= n + 1 && i < N_PROBES; i++)
            if (!is_found(thread, &probes[i], i <= n))
                return false;
    }
    return array_type != 0;
}

static bool prove_in_new_context(const struct probe probes[N_PROBES]) {
    PyObject *context = api.new_context();
    const void *thread = PyThreadState_Get();
    bool is_proven = false;
    if (context && api.enter(context) == 0) {
        thread_context = find_context(thread, context);
        is_prepared = thread_context != 0; /* sg_contextvars_find, which `prove` calls, reads it */
        is_proven = is_prepared && prove(thread, context, probes);
        is_prepared = is_proven;
        is_proven &= api.exit(context) == 0;
    }
    Py_XDECREF(context);
    return is_proven;
}

const char *sg_contextvars_prepare(void) {
    struct probe probes[N_PROBES] = {{NULL, NULL}};
    bool is_made = true;
    if (is_prepared)
        return NULL;
    if (!find_api())
        return "this interpreter has no functions for contexts";
    bitmap_type = array_type = 0;
    context_type = (uintptr_t)sg_python_symbols_address("PyContext_Type");
    for (int i = 0; i < N_PROBES; i++) {
        /* A variable's hash comes from its name and its address. With equal names, only few
         * branches would be used. */
        char name[32];
        snprintf(name, sizeof name, "stackglass probe %d", i);
        probes[i].variable = api.new_variable(name, NULL);
        probes[i].value = PyFloat_FromDouble(i);
        is_made &= probes[i].variable && probes[i].value;
    }
    bool is_proven = is_made && prove_in_new_context(probes);
    for (int i = 0; i < N_PROBES; i++) {
        Py_XDECREF(probes[i].variable);
        Py_XDECREF(probes[i].value);
    }
    PyErr_Clear();
    return is_proven ? NULL : "contexts of this interpreter are not laid out as expected";
}
