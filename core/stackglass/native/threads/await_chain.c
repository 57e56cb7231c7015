/* Follows all chains in step, the outermost coroutine first:
 *
 *     link ─▶ its type's row; its frame ─▶ a known place? ─▶ frames[n], awaited: a word of the frame
 *                                           else learn it: awaited, by a C getter
 *
 * While the links of one step are read, the links of the next step are prefetched. At the end the
 * frames are reversed, so that the leaf comes first.
 *
 * Most links of ten thousand chains stand at a few places of the program: the same instruction of
 * the same code, in the same state. There the interpreter keeps the awaited object at the same
 * place of the evaluation stack. So the getter, which would also write to the awaited object (its
 * reference count) before that is in the cache, is called once for each place.
 *
 * A frame counts if its coroutine awaits something or if the generator is suspended in it
 * (is_standing). The frame of an ended generator may hold the address of freed code. */
#include "threads/await_chain.h"

#include <string.h>

#include "frames/frame_fields.h"
#include "frames/python_frames.h"
#include "frames/walk.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "platform/hash_index.h"
#include "platform/memory.h"
#include "platform/prefetch.h"
#include "tasks/coroutine_frames.h"
#include "threads/getters.h"

enum {
    /* up to 3.10 frames are objects, and a generator points to its frame */
    LAST_MINOR_OF_OBJECTS = 10,
    MOST_LINKS = 1 << 14,  /* longest chain */
    LINK_BYTES = 192,      /* bytes to prefetch of a link */
    FRAME_VARIABLES = 352, /* offset of PyFrameObject.f_localsplus in 3.10; 360 in 3.9 */
    VARIABLES_BYTES = 88,

    /* PyFrameObject, 3.9 and 3.10. */
    FRAME_HEAD_BYTES = 112,
    STACK = 64,       /* f_valuestack */
    STACK_END_9 = 72, /* f_stacktop, NULL while the frame is executed */
    N_STACK_10 = 80,  /* f_stackdepth, int; -1 while the frame is executed */
    STATE_10 = 108,   /* f_state, char */
    /* _PyInterpreterFrame: the word behind the instruction has the number of variables and values
     * of the stack (`stacktop`, int; -1 while the frame is executed), from 3.14 on the stack's end
     * (`stackpointer`, NULL while the frame is executed). */
    FROM_INSTRUCTION_TO_STACK = 8,
    FIRST_MINOR_WITH_STACK_END = 14,
    VARIABLES = 72, /* `localsplus`, 3.11 to 3.13 */

    N_PLACES = 256, /* a power of two */
    MOST_TAKEN = 2, /* the awaited object is the last value of the stack, or the one before */
    MOST_FRAME = 1 << 20,
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

/* A place at which a link stands. */
struct place {
    const struct met *type;            /* NULL = none */
    uint64_t code, instruction, stack; /* of the frame; `stack`: how much is on it */
    uint8_t state;                     /* whether the link has begun, runs, is suspended */
    int32_t awaited_at;                /* offset in the frame; 0 = the link awaits nothing */
    bool ends_there;                   /* the first awaited object was no link */
    struct sg_frame frame;
};

/* Guarded by the GIL. */
static struct met met[N_LINK_TYPES];
static struct place places[N_PLACES]; /* by a hash of code and instruction; valid in one slice */

void sg_await_chain_begin(void) { memset(places, 0, sizeof places); }

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

/* ---- Places ---- */

/* Read where a link with a frame stands. Returns false if it runs, or has no frame. */
static bool read_place(const struct met *type, uintptr_t frame, struct place *place) {
    uintptr_t instruction = frame + (uintptr_t)sg_debug_offsets.instruction;
    if (!frame)
        return false;
    place->type = type;
    place->code = sg_memory_load(frame + (uintptr_t)sg_debug_offsets.code);
    if (sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS) {
        bool has_end = sg_debug_offsets.minor < LAST_MINOR_OF_OBJECTS;
        uint64_t end = sg_memory_load(frame + STACK_END_9);
        int32_t n = sg_memory_load_int(frame + N_STACK_10);
        place->instruction = (uint32_t)sg_memory_load_int(instruction);
        place->stack = has_end ? end - frame : (uint32_t)n;
        place->state = has_end ? 0 : *(const uint8_t *)(frame + STATE_10);
        return has_end ? end != 0 : n >= 0;
    }
    place->instruction = sg_memory_load(instruction);
    uint64_t stack = sg_memory_load(instruction + FROM_INSTRUCTION_TO_STACK);
    bool has_end = sg_debug_offsets.minor >= FIRST_MINOR_WITH_STACK_END;
    place->stack = has_end ? stack - frame : (uint32_t)stack;
    place->state = *(const uint8_t *)(frame - SG_FROM_STATE_TO_FRAME);
    return sg_coroutine_frames_have_state() && (has_end ? stack != 0 : (int32_t)stack >= 0);
}

static struct place *entry_of(const struct place *place) {
    return &places[sg_hash_index_mix(place->code, place->instruction) & (N_PLACES - 1)];
}

static bool is_same(const struct place *one, const struct place *other) {
    return one->type == other->type && one->code == other->code &&
           one->instruction == other->instruction && one->stack == other->stack &&
           one->state == other->state;
}

/* Return the end of the evaluation stack of a frame that stands at `place`. */
static uintptr_t find_stack_end(uintptr_t frame, const struct place *place) {
    switch (sg_debug_offsets.minor) {
    case 9:
        return frame + place->stack;
    case 10:
        return sg_memory_load(frame + STACK) + place->stack * sizeof(uint64_t);
    case 11:
    case 12:
    case 13:
        return frame + VARIABLES + place->stack * sizeof(uint64_t);
    default:
        return frame + place->stack;
    }
}

/* Remember a place at which links await something, or are suspended without. */
static void learn(struct place *place, uintptr_t frame, PyObject *awaited) {
    uintptr_t end = find_stack_end(frame, place);
    place->awaited_at = 0;
    place->ends_there = awaited && !meet(Py_TYPE(awaited));
    for (uintptr_t i = 1; awaited && !place->awaited_at && i <= MOST_TAKEN; i++) {
        uintptr_t at = end - i * sizeof(uint64_t);
        if (at - frame < MOST_FRAME &&
            sg_frame_fields_value(sg_memory_load(at)) == (uintptr_t)awaited)
            place->awaited_at = (int32_t)(at - frame);
    }
    if (!awaited || place->awaited_at)
        *entry_of(place) = *place;
}

static void reverse(struct sg_frame *frames, uint32_t n) {
    for (uint32_t i = 0; i < n / 2; i++) {
        struct sg_frame frame = frames[i];
        frames[i] = frames[n - 1 - i];
        frames[n - 1 - i] = frame;
    }
}

/* Add a frame. If there is no more room, it takes the place of the outermost. */
static void add(struct sg_await_chain *chain, uint32_t capacity, struct sg_frame frame) {
    chain->frames[chain->n++ % capacity] = frame;
}

/* Put the frames in order, leaf first. Of a longer chain the leaf side was kept. */
static void put_in_order(struct sg_await_chain *chain, uint32_t capacity) {
    if (chain->n <= capacity) {
        reverse(chain->frames, chain->n);
        return;
    }
    uint32_t outermost = chain->n % capacity;
    reverse(chain->frames, outermost);
    reverse(chain->frames + outermost, capacity - outermost);
    chain->frames[capacity - 1] = (struct sg_frame){SG_TRUNCATED, -1};
    chain->n = capacity;
}

/* Prefetch a link. `is_end`: it is probably the chain's end, of which only the type is read. From
 * 3.11 on the prefetched bytes include the link's frame and, if the frame has
 * few variables, the awaited coroutine on the frame's stack. */
static void fetch_link(PyObject *link, bool is_end) {
    bool has_object = sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS;
    if (link)
        sg_prefetch(link, is_end       ? SG_FIRST_FIELD
                          : has_object ? SG_FIRST_FIELD + sizeof link
                                       : LINK_BYTES);
}

/* Prefetch the frame of a link, up to 3.10, where frames are objects of their own. */
static void fetch_frame(PyObject *link) {
    const struct met *type = link ? meet(Py_TYPE(link)) : NULL;
    uintptr_t frame = type && type->has_frame ? sg_coroutine_frames_of((uintptr_t)link) : 0;
    if (!frame)
        return;
    sg_prefetch((const void *)frame, FRAME_HEAD_BYTES);
    sg_prefetch((const void *)(frame + FRAME_VARIABLES), VARIABLES_BYTES);
}

/* Add the frame of the link, if there is one, and make the awaited object the next link. Returns
 * whether that is probably the chain's end. */
static bool step(struct sg_await_chain *chain, uint32_t capacity) {
    PyObject *link = chain->link; /* borrowed: the link before keeps it alive */
    const struct met *type = meet(Py_TYPE(link));
    chain->link = NULL;
    if (!type) {
        chain->end = link;
        return false;
    }
    if (!type->has_frame) {
        chain->link = (PyObject *)sg_memory_load((uintptr_t)link + SG_FIRST_FIELD);
        return false;
    }
    uintptr_t frame = sg_coroutine_frames_of((uintptr_t)link);
    struct place place;
    bool has_place = read_place(type, frame, &place);
    const struct place *known = has_place ? entry_of(&place) : NULL;
    if (known && is_same(&place, known)) {
        add(chain, capacity, known->frame);
        if (known->awaited_at)
            chain->link = (PyObject *)sg_frame_fields_value(
                sg_memory_load(frame + (uintptr_t)known->awaited_at));
        return known->ends_there;
    }
    PyObject *awaited = frame && type->awaited ? sg_getters_read(type->awaited, link) : NULL;
    /* a coroutine that awaits something is suspended */
    if (!awaited && !is_standing(type, link, frame))
        return false;
    sg_code_id code = sg_walk_identify((uintptr_t)sg_python_frame_code(frame));
    if (code == SG_NO_CODE)
        return false;
    place.frame = (struct sg_frame){code, sg_python_frame_lasti(frame)};
    add(chain, capacity, place.frame);
    if (has_place)
        learn(&place, frame, awaited);
    chain->link = awaited;
    return false;
}

void sg_await_chain_read(struct sg_await_chain *chains, size_t n_chains, uint32_t capacity) {
    bool has_objects = sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS, is_any = true;
    for (size_t i = 0; i < n_chains; i++) {
        chains[i].n = 0;
        fetch_link(chains[i].link, false);
    }
    for (int link = 0; is_any && link < MOST_LINKS; link++) {
        is_any = false;
        for (size_t i = 0; has_objects && i < n_chains; i++)
            fetch_frame(chains[i].link);
        for (size_t i = 0; i < n_chains; i++) {
            if (!chains[i].link)
                continue;
            bool is_end = step(&chains[i], capacity);
            fetch_link(chains[i].link, is_end);
            is_any = true;
        }
    }
    for (size_t i = 0; i < n_chains; i++)
        put_in_order(&chains[i], capacity);
}
