/* Chains followed in step, outermost coroutine first:
 *
 *     link ─▶ its type's row: awaited, by a C getter; its frame, in place ─▶ frames[n] ─▶ next link
 *
 * While the links of one step are read, those of the next are on their way from memory (prefetch).
 * At the end the frames are reversed, so that the leaf comes first.
 *
 * A frame counts if something is awaited or if the generator stands in it (is_standing): that of an
 * ended generator may have the address of dead code. */
#include "threads/await_chain.h"

#include <string.h>

#include "frames/python_frames.h"
#include "frames/walk.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"
#include "platform/prefetch.h"
#include "tasks/coroutine_frames.h"
#include "threads/getters.h"

enum {
    LAST_MINOR_OF_OBJECTS = 10, /* frames are objects, and the generator points to its own */
    FIRST_FIELD = 16,           /* of an object, behind its head */
    MOST_LINKS = 512,           /* of a chain */
    LINK_BYTES = 192,           /* to prefetch, as VARIABLES_BYTES */
    FRAME_VARIABLES = 352,      /* f_localsplus, and the stack behind the variables */
    VARIABLES_BYTES = 88,
};

/* Types of the interpreter that a chain passes through; `awaited` NULL = the object only refers to
 * the next one, by its first field. */
struct link_type {
    const char *name, *awaited, *suspended;
};
static const struct link_type LINK_TYPES[] = {
    {"coroutine", "cr_await", "cr_suspended"},
    {"generator", "gi_yieldfrom", "gi_suspended"},
    {"async_generator", "ag_await", "ag_suspended"},
    {"async_generator_asend", NULL, NULL},
    {"async_generator_athrow", NULL, NULL},
    {"coroutine_wrapper", NULL, NULL},
    {"anext_awaitable", NULL, NULL},
};
enum { N_LINK_TYPES = sizeof LINK_TYPES / sizeof *LINK_TYPES };

/* A type that was met, which is static in the interpreter. */
struct met {
    const PyTypeObject *type;
    const PyGetSetDef *awaited, *suspended; /* NULL = it has none */
    bool has_frame;
};

/* Guarded by the GIL. */
static struct met met[N_LINK_TYPES];

/* ---- Types ---- */

/* A class of the program may have the same name: it is on the heap. */
static int find_row(PyTypeObject *type) {
    if (PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE)
        return -1;
    const char *name = (const char *)sg_memory_load((uintptr_t)type + SG_TP_NAME);
    for (int row = 0; row < N_LINK_TYPES; row++) {
        if (strcmp(name, LINK_TYPES[row].name) == 0)
            return row;
    }
    return -1;
}

static const struct met *meet(PyTypeObject *type) {
    for (int row = 0; row < N_LINK_TYPES; row++) {
        if (met[row].type == type)
            return &met[row];
    }
    /* Each chain ends with an object of another type, and most with the same. */
    static const PyTypeObject *last_other; /* guarded by the GIL */
    int row = type == last_other ? -1 : find_row(type);
    if (row < 0) {
        last_other = type;
        return NULL;
    }
    const struct link_type *link = &LINK_TYPES[row];
    met[row] = (struct met){.type = type, .has_frame = link->awaited != NULL};
    if (link->awaited) {
        met[row].awaited = sg_getters_find((PyObject *)type, link->awaited);
        met[row].suspended = sg_getters_find((PyObject *)type, link->suspended);
    }
    return &met[row];
}

/* ---- Frames ---- */

uintptr_t sg_await_chain_frame(PyObject *coroutine) {
    const struct met *type = meet(Py_TYPE(coroutine));
    return type && type->has_frame ? sg_coroutine_frames_of((uintptr_t)coroutine) : 0;
}

/* The frame of a generator that has ended keeps an address of code that may have died: such a
 * generator is not suspended, and stands behind its first traceable instruction. */
static bool is_standing(const struct met *type, PyObject *link, uintptr_t frame) {
    if (!frame)
        return false;
    if (sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS)
        return sg_memory_load(frame + 8) == (uintptr_t)sg_python_symbols.frame_type;
    if (*(const uint8_t *)(frame + (uintptr_t)sg_debug_offsets.owner) != SG_OWNED_BY_GENERATOR)
        return false;
    if (!type->suspended || sg_getters_read(type->suspended, link) == Py_True)
        return true;
    uintptr_t code = (uintptr_t)sg_python_frame_code(frame);
    return sg_code_ids_is_alive((const void *)code) &&
           sg_python_frame_lasti(frame) <=
               2 * sg_memory_load_int(code + (uintptr_t)sg_debug_offsets.co_firsttraceable);
}

static void reverse(struct sg_frame *frames, uint32_t n) {
    for (uint32_t i = 0; i < n / 2; i++) {
        struct sg_frame frame = frames[i];
        frames[i] = frames[n - 1 - i];
        frames[n - 1 - i] = frame;
    }
}

/* Prefetch a link; from 3.11 on with its frame, up to the awaited coroutine on the frame's stack,
 * if it has few variables. */
static void fetch_link(PyObject *link) {
    bool has_object = sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS;
    if (link)
        sg_prefetch(link, has_object ? FIRST_FIELD + sizeof link : LINK_BYTES);
}

/* Prefetch the frame of a link, up to 3.10, where that is an object of its own. */
static void fetch_frame(PyObject *link) {
    const struct met *type = link ? meet(Py_TYPE(link)) : NULL;
    uintptr_t frame = type && type->has_frame ? sg_coroutine_frames_of((uintptr_t)link) : 0;
    if (!frame)
        return;
    sg_prefetch((const void *)frame, (size_t)sg_debug_offsets.frame_bytes);
    sg_prefetch((const void *)(frame + FRAME_VARIABLES), VARIABLES_BYTES);
}

/* Add the frame of the link, if it has one, and go on to what it awaits. */
static void step(struct sg_await_chain *chain, uint32_t capacity) {
    PyObject *link = chain->link; /* borrowed: each is kept by the one before it */
    const struct met *type = meet(Py_TYPE(link));
    chain->link = NULL;
    if (!type)
        return;
    if (!type->has_frame) {
        chain->link = (PyObject *)sg_memory_load((uintptr_t)link + FIRST_FIELD);
        return;
    }
    uintptr_t frame = sg_coroutine_frames_of((uintptr_t)link);
    PyObject *awaited = frame && type->awaited ? sg_getters_read(type->awaited, link) : NULL;
    if (!awaited && !is_standing(type, link, frame)) /* what awaits is suspended */
        return;
    sg_code_id code = sg_walk_identify((uintptr_t)sg_python_frame_code(frame));
    if (code == SG_NO_CODE)
        return;
    chain->frames[chain->n++] = (struct sg_frame){code, sg_python_frame_lasti(frame)};
    if (chain->n < capacity)
        chain->link = awaited;
}

void sg_await_chain_read(struct sg_await_chain *chains, size_t n_chains, uint32_t capacity) {
    bool has_objects = sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS, is_any = true;
    for (size_t i = 0; i < n_chains; i++) {
        chains[i].n = 0;
        fetch_link(chains[i].link);
    }
    for (int link = 0; is_any && link < MOST_LINKS; link++) {
        is_any = false;
        for (size_t i = 0; has_objects && i < n_chains; i++)
            fetch_frame(chains[i].link);
        for (size_t i = 0; i < n_chains; i++) {
            if (!chains[i].link)
                continue;
            step(&chains[i], capacity);
            fetch_link(chains[i].link);
            is_any = true;
        }
    }
    for (size_t i = 0; i < n_chains; i++)
        reverse(chains[i].frames, chains[i].n);
}
