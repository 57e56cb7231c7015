/* Creation of locks: a hook in tp_alloc walks from the allocation to its callers, past frames of
 * the standard library, to the first frame of the program.
 *
 *     tp_alloc ─▶ Queue.__init__, of the library: the queue owns the lock ─▶ load, of the program
 *
 * `kinds` caches whether a code object belongs to the library or to the program. Python 3.9 makes
 * plain locks without tp_alloc: there the two functions that make them are patched. */
#include "locks/created.h"

#include <string.h>

#include "contention/primitive_functions.h"
#include "contention/sites.h"
#include "frames/code_info.h"
#include "frames/python_frames.h"
#include "frames/standard_library.h"
#include "frames/walk.h"
#include "interpreter/method_patch.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "locks/types.h"
#include "platform/memory.h"

enum {
    LAST_MINOR_WITHOUT_ALLOC = 9,
    MOST_CALLERS = 16, /* frames that are walked */
    MOST_OWNERS = 4,   /* of a lock: a Queue and its Condition, for example */
    N_KINDS = 1 << 16, /* code ids in the cache */
};

/* ---- Is a frame of the program or of the standard library? ---- */

enum kind { NOT_KNOWN, PROGRAM, LIBRARY };

/* Guarded by the GIL; another interpreter would write the same values. */
static uint8_t kinds[N_KINDS]; /* by code id; code with a higher id is classified each time */

void sg_lock_created_prepare(void) {
    sg_standard_library_prepare();
    memset(kinds, 0, sizeof kinds); /* an earlier session had other code ids */
}

static enum kind classify(const void *code) {
    struct sg_code_info info;
    if (sg_code_info_copy(code, &info))
        return PROGRAM;
    bool is_module = info.name && !strcmp(info.name, "<module>");
    bool is_library = info.filename && sg_standard_library_has_file(info.filename);
    if (is_module && is_library && info.filename[0] != '<')
        is_library = false; /* a lock made by a module's body belongs there, not to its importer */
    sg_code_info_free(&info);
    return is_library ? LIBRARY : PROGRAM;
}

static enum kind kind_of(sg_code_id id, const void *code) {
    if (id >= N_KINDS)
        return classify(code);
    if (!kinds[id])
        kinds[id] = (uint8_t)classify(code);
    return (enum kind)kinds[id];
}

/* ---- The creation site ---- */

/* Record the line that made `lock`, and the objects of the library that it was made for. */
static void record_site(const void *lock) {
    struct sg_frame innermost = {SG_NO_CODE, -1}, made = {SG_NO_CODE, -1};
    const void *owners[MOST_OWNERS];
    int n_owners = 0;
    uintptr_t frame = sg_python_frame(PyThreadState_Get());
    for (int i = 0; frame && i < MOST_CALLERS; i++, frame = sg_python_frame_caller(frame)) {
        const void *code = sg_python_frame_code(frame);
        sg_code_id id = sg_walk_identify((uintptr_t)code);
        if (id == SG_NO_CODE)
            break;
        uint32_t is = sg_primitive_functions_find(id);
        if (i == 0 && is & SG_FUNCTION_SLEEPS)
            return; /* made for one wait, as in Condition.wait */
        struct sg_frame at = {id, sg_python_frame_lasti(frame)};
        if (i == 0)
            innermost = at;
        if (kind_of(id, code) == PROGRAM) {
            made = at;
            break;
        }
        const void *owner = is & SG_FUNCTION_MAKES ? sg_python_frame_local(frame, 0) : NULL;
        if (owner && n_owners < MOST_OWNERS)
            owners[n_owners++] = owner;
    }
    if (made.code == SG_NO_CODE)
        made = innermost; /* no frame of the program: the library's own lock */
    if (made.code != SG_NO_CODE)
        sg_contention_sites_record(lock, made, owners, n_owners);
}

/* ---- Hooks ---- */

/* Guarded by the GIL. Types are borrowed from hooks.c. */
static PyTypeObject *types[SG_N_LOCK_TYPES];

static allocfunc *alloc_slot(const PyTypeObject *type) {
    return (allocfunc *)((uintptr_t)type + SG_TP_ALLOC);
}

/* The hook in the slot tp_alloc. A subclass that the program defines while the hook is there
 * inherits the hook for good; after a detach the hook only allocates. */
static PyObject *allocate(PyTypeObject *type, Py_ssize_t n_items) {
    PyObject *lock = PyType_GenericAlloc(type, n_items);
    if (lock && types[SG_TYPE_LOCK])
        record_site(lock);
    return lock;
}

/* Python 3.9: the two functions that make plain locks. Guarded by the GIL. */
static struct sg_method_patch functions[2];

static PyObject *make(const struct sg_method_patch *patch, PyObject *module, PyObject *args) {
    PyObject *lock = patch->original(module, args);
    if (lock && types[SG_TYPE_LOCK] && Py_TYPE(lock) == types[SG_TYPE_LOCK])
        record_site(lock);
    return lock;
}

static PyObject *make_lock(PyObject *module, PyObject *args) {
    return make(&functions[0], module, args);
}

static PyObject *make_lock_too(PyObject *module, PyObject *args) {
    return make(&functions[1], module, args);
}

static const struct {
    const char *name;
    struct sg_by_convention by_convention;
} FUNCTIONS[] = {
    {"allocate_lock", {.no_arguments = make_lock}},
    {"allocate", {.no_arguments = make_lock_too}},
};

void sg_lock_created_hook(enum sg_lock_type which, PyTypeObject *type) {
    allocfunc *slot = alloc_slot(type);
    if (which == SG_TYPE_THREAD_HANDLE)
        return;
    types[which] = type;
    if (which == SG_TYPE_LOCK && sg_python_symbols.minor <= LAST_MINOR_WITHOUT_ALLOC) {
        for (int i = 0; i < 2; i++)
            sg_method_patch_apply_definition(
                &functions[i], sg_lock_types_module_definition("_thread", FUNCTIONS[i].name),
                &FUNCTIONS[i].by_convention);
    } else if (*slot == PyType_GenericAlloc) { /* proves that the offset is right */
        sg_memory_store((void **)slot, (void *)allocate);
    }
}

void sg_lock_created_unhook(void) {
    for (int which = 0; which < SG_N_LOCK_TYPES; which++) {
        if (types[which] && *alloc_slot(types[which]) == allocate)
            *alloc_slot(types[which]) = PyType_GenericAlloc;
        types[which] = NULL;
    }
    for (int i = 0; i < 2; i++)
        sg_method_patch_restore(&functions[i]);
}
