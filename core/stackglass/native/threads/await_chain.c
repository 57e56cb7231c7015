/* Follows all chains in step, the outermost coroutine first:
 *
 *     link ─▶ its type's row: awaited, by a C getter; its frame, in place ─▶ frames[n] ─▶ next link
 *
 * While the links of one step are read, the links of the next step are prefetched. At the end the
 * frames are reversed, so that the leaf comes first.
 *
 * A frame counts if its coroutine awaits something or if the generator is suspended in it
 * (is_standing). The frame of an ended generator may hold the address of freed code. */
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
    /* up to 3.10 frames are objects, and a generator points to its frame */
    LAST_MINOR_OF_OBJECTS = 10,
    MOST_LINKS = 512,      /* longest chain */
    LINK_BYTES = 192,      /* bytes to prefetch of a link */
    FRAME_VARIABLES = 352, /* offset of PyFrameObject.f_localsplus in 3.10; 360 in 3.9 */
    VARIABLES_BYTES = 88,
};

/* Types of the interpreter that a chain passes through. `awaited` NULL = an object without a frame,
 * whose first field refers to the next link. */
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

/* A type that occurred in a chain. It is static in the interpreter, so its address stays valid. */
struct met {
    const PyTypeObject *type;
    const PyGetSetDef *awaited, *suspended; /* NULL = the type has no such getter */
    bool has_frame;
};

/* Guarded by the GIL. */
static struct met met[N_LINK_TYPES];

/* ---- Types ---- */

/* Return the type's row in LINK_TYPES, or -1. A heap type is a class of the program, which may have
 * the same name as a type of the interpreter. */
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
    /* Each chain ends with an object of another type, usually of the same one. */
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

/* Return whether the generator is suspended in `frame`, or is at its start. An ended generator is
 * neither, and its frame keeps the address of a code object that may be freed. */
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

/* Prefetch a link. From 3.11 on the prefetched bytes include the link's frame and, if the frame has
 * few variables, the awaited coroutine on the frame's stack. */
static void fetch_link(PyObject *link) {
    bool has_object = sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS;
    if (link)
        sg_prefetch(link, has_object ? SG_FIRST_FIELD + sizeof link : LINK_BYTES);
}

/* Prefetch the frame of a link, up to 3.10, where frames are objects of their own. */
static void fetch_frame(PyObject *link) {
    const struct met *type = link ? meet(Py_TYPE(link)) : NULL;
    uintptr_t frame = type && type->has_frame ? sg_coroutine_frames_of((uintptr_t)link) : 0;
    if (!frame)
        return;
    sg_prefetch((const void *)frame, (size_t)sg_debug_offsets.frame_bytes);
    sg_prefetch((const void *)(frame + FRAME_VARIABLES), VARIABLES_BYTES);
}

/* Add the frame of the link, if there is one, and make the awaited object the next link. */
static void step(struct sg_await_chain *chain, uint32_t capacity) {
    PyObject *link = chain->link; /* borrowed: the link before keeps it alive */
    const struct met *type = meet(Py_TYPE(link));
    chain->link = NULL;
    if (!type) {
        chain->end = link;
        return;
    }
    if (!type->has_frame) {
        chain->link = (PyObject *)sg_memory_load((uintptr_t)link + SG_FIRST_FIELD);
        return;
    }
    uintptr_t frame = sg_coroutine_frames_of((uintptr_t)link);
    PyObject *awaited = frame && type->awaited ? sg_getters_read(type->awaited, link) : NULL;
    /* a coroutine that awaits something is suspended */
    if (!awaited && !is_standing(type, link, frame))
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
