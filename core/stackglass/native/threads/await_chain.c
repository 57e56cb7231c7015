/* Coroutines read without running them: see await_chain.h. */
#include "threads/await_chain.h"

#include <string.h>

#include "frames/python_frames.h"
#include "frames/walk.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"
#include "tasks/coroutine_frames.h"
#include "threads/getters.h"

enum {
    LAST_MINOR_OF_OBJECTS = 10, /* frames are objects, and the generator points to its own */
    TYPE_NAME = 24,             /* tp_name */
    FIRST_FIELD = 16,           /* of an object, behind its head */
    MOST_LINKS = 512,           /* of a chain */
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
    const char *name = (const char *)sg_memory_load((uintptr_t)type + TYPE_NAME);
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
    int row = find_row(type);
    if (row < 0)
        return NULL;
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

uint32_t sg_await_chain_read(PyObject *coroutine, struct sg_frame *frames, uint32_t capacity) {
    uint32_t n = 0;
    PyObject *link = coroutine; /* borrowed: each is kept by the one before it */
    for (int i = 0; link && n < capacity && i < MOST_LINKS; i++) {
        const struct met *type = meet(Py_TYPE(link));
        if (!type)
            break;
        if (!type->has_frame) {
            link = (PyObject *)sg_memory_load((uintptr_t)link + FIRST_FIELD);
            continue;
        }
        uintptr_t frame = sg_await_chain_frame(link);
        if (!is_standing(type, link, frame))
            break;
        sg_code_id code = sg_walk_identify((uintptr_t)sg_python_frame_code(frame));
        if (code == SG_NO_CODE)
            break;
        frames[n++] = (struct sg_frame){code, sg_python_frame_lasti(frame)};
        link = type->awaited ? sg_getters_read(type->awaited, link) : NULL;
    }
    reverse(frames, n);
    return n;
}
