/* Greenlet state, read directly or through greenlet's C getters. It is in PyGreenlet itself up to
 * 1.x, in a C++ object from 2.0 on:
 *
 *     PyGreenlet ──pimpl──▶ │ vtable │ (greenlet) │ exception state │ arguments │ C stack │ … */
#include "threads/greenlet_fields.h"

#include <string.h>
#include <unistd.h>

#include "cpu/snapshot.h"
#include "frames/frame_fields.h"
#include "frames/python_frames.h"
#include "frames/walk.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"
#include "threads/getters.h"

enum {
    LAST_MINOR_OF_OBJECTS = 10, /* up to Python 3.10 frames are objects, later structs */
    FRAME_OF_OBJECT = 24,       /* PyFrameObject.f_frame: the struct of a frame object */
    PAGE_BITS = 12,
    TYPE_ALIGNMENT_BITS = 4, /* low bits of a type's address, which are 0 */
    /* offset of PyGreenlet.pimpl, from 2.0 on: behind the weak references and the dictionary */
    STATE_OBJECT = 32,
    BYTES_WITH_STATE = 40,
    /* Words of the C++ object in front of the C stack's. */
    TABLE_WORDS = 1,         /* vtable; a word with the greenlet may follow, from 3.0 on */
    EXCEPTION_WORDS = 3,     /* the exception being handled */
    OLD_EXCEPTION_WORDS = 5, /* the same up to Python 3.10, with type and traceback */
    ARGUMENT_WORDS = 2,      /* arguments of a switch */
    MOST_WORDS = 16,         /* words that are read: all these and the C stack */
    MOST_ATTRIBUTES = 64,    /* attributes that are searched for the name */
    MOST_STEPS = 1 << 16,    /* frames that are visited: a damaged list may be a cycle */
};

/* The C stack of a greenlet: from its innermost address `start` to the address `stop` where the
 * greenlet began. While other greenlets use that memory, `copy` has its first `saved` bytes. For
 * the first greenlet of a thread `stop` is the highest address. */
struct c_stack {
    uintptr_t start, stop, copy, saved;
};

/* ---- The type ---- */

static void list_threads(struct sg_greenlet_fields *fields) {
    fields->n_threads = 0;
    for (void *thread = sg_interpreter_thread(sg_interpreter_home());
         thread && fields->n_threads < SG_MOST_GREENLET_THREADS;
         thread = sg_interpreters_next_at_home(thread)) {
        fields->threads[fields->n_threads++] = (struct sg_greenlet_thread){
            sg_memory_load((uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_id),
            sg_snapshot_tid(thread),
        };
    }
}

bool sg_greenlet_fields_learn(struct sg_greenlet_fields *fields) {
    PyObject *type = sg_python_text_global_type("greenlet", "greenlet");
    memset(fields, 0, sizeof *fields);
    /* A class of the program may have the same name; it is a heap type. */
    if (!type || PyType_GetFlags((PyTypeObject *)type) & Py_TPFLAGS_HEAPTYPE)
        return false;
    fields->frame = sg_getters_find(type, "gr_frame");
    fields->dead = sg_getters_find(type, "dead");
    fields->context = sg_getters_find(type, "gr_context");
    uintptr_t numbers = sg_memory_load((uintptr_t)type + SG_TP_AS_NUMBER);
    if (!fields->frame || !fields->dead || !numbers)
        return false;
    fields->is_active = (inquiry)sg_memory_load(numbers + SG_NB_BOOL);
    fields->greenlet = (PyTypeObject *)type;
    fields->has_state_object =
        sg_memory_load((uintptr_t)type + SG_TP_BASICSIZE) == BYTES_WITH_STATE;
    list_threads(fields);
    return true;
}

bool sg_greenlet_fields_is_greenlet(struct sg_greenlet_fields *fields, uintptr_t object) {
    uintptr_t type = sg_memory_load(object + SG_OB_TYPE);
    struct sg_greenlet_type *known =
        &fields->types[(type >> TYPE_ALIGNMENT_BITS) % SG_MOST_GREENLET_TYPES];
    if (known->type != type)
        *known = (struct sg_greenlet_type){
            type, PyType_IsSubtype((PyTypeObject *)type, fields->greenlet) != 0};
    return known->is_greenlet;
}

/* ---- Frames ---- */

/* Return whether the greenlet can be read. A greenlet under construction has no state yet; one that
 * is being freed has no references. */
static bool is_complete(const struct sg_greenlet_fields *fields, PyObject *greenlet) {
    return sg_memory_load_int((uintptr_t)greenlet) != 0 &&
           (!fields->has_state_object || sg_memory_load((uintptr_t)greenlet + STATE_OBJECT));
}

PyObject *sg_greenlet_fields_frame(const struct sg_greenlet_fields *fields, PyObject *greenlet) {
    if (!is_complete(fields, greenlet))
        return NULL;
    PyObject *frame = sg_getters_read(fields->frame, greenlet);
    /* If its thread has ended, a greenlet keeps its frame but is dead. */
    return frame && sg_getters_read(fields->dead, greenlet) != Py_True ? frame : NULL;
}

/* The library's own nb_bool is called, because a derived class may define another one: gevent's
 * says whether the greenlet was scheduled. */
bool sg_greenlet_fields_is_new(const struct sg_greenlet_fields *fields, PyObject *greenlet) {
    return fields->is_active && is_complete(fields, greenlet) && !fields->is_active(greenlet) &&
           sg_getters_read(fields->dead, greenlet) == Py_False;
}

PyObject *sg_greenlet_fields_context(const struct sg_greenlet_fields *fields, PyObject *greenlet) {
    return fields->context ? sg_getters_read(fields->context, greenlet) : NULL;
}

static bool is_page_readable(struct sg_greenlet_fields *fields, uintptr_t page) {
    uintptr_t *entry = &fields->pages[page % SG_MOST_GREENLET_PAGES];
    char byte;
    if (page && *entry != page && sg_memory_read(page << PAGE_BITS, &byte, 1))
        *entry = page;
    return page && *entry == page;
}

static bool is_readable(struct sg_greenlet_fields *fields, uintptr_t frame) {
    uintptr_t last = frame + (uintptr_t)sg_debug_offsets.frame_bytes - 1;
    return frame % sizeof frame == 0 && is_page_readable(fields, frame >> PAGE_BITS) &&
           is_page_readable(fields, last >> PAGE_BITS);
}

/* Return whether readable memory is a frame; false for an entry frame, too. */
static bool is_frame(uintptr_t frame) {
    if (sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS)
        return sg_memory_load(frame + SG_OB_TYPE) == (uintptr_t)sg_python_symbols.frame_type;
    return *(const uint8_t *)(frame + (uintptr_t)sg_debug_offsets.owner) < SG_FIRST_SHIM_OWNER;
}

static bool is_hidden(uintptr_t frame) {
    return sg_debug_offsets.minor > LAST_MINOR_OF_OBJECTS && sg_python_frames_is_hidden(frame);
}

uint32_t sg_greenlet_fields_walk(struct sg_greenlet_fields *fields, PyObject *frame,
                                 struct sg_frame *frames, uint32_t capacity) {
    uint32_t depth = 0;
    uintptr_t at = (uintptr_t)frame;
    if (sg_debug_offsets.minor > LAST_MINOR_OF_OBJECTS)
        at = sg_memory_load(at + FRAME_OF_OBJECT);
    for (int n = 0; n < MOST_STEPS && at && is_readable(fields, at) && is_frame(at); n++) {
        sg_code_id code = sg_walk_identify((uintptr_t)sg_python_frame_code(at));
        if (code == SG_NO_CODE)
            break;
        if (!is_hidden(at) && !sg_frame_append(frames, capacity, &depth,
                                               (struct sg_frame){code, sg_python_frame_lasti(at)}))
            break;
        at = sg_memory_load(at + (uintptr_t)sg_debug_offsets.previous);
    }
    return depth;
}

/* ---- Its name ---- */

/* The key "name" is found by its address: setattr interns names of attributes. (A key that the
 * program has put into __dict__ itself may not be interned, and is not found.) */
void sg_greenlet_fields_name(const struct sg_greenlet_fields *fields, PyObject *greenlet,
                             char text[SG_TEXT_COPY_BYTES]) {
    uint64_t at = sg_memory_load((uintptr_t)fields->greenlet + SG_TP_DICTOFFSET);
    PyObject *names = (PyObject *)sg_memory_load((uintptr_t)greenlet + at);
    PyObject *wanted = PyUnicode_InternFromString("name");
    PyObject *key, *value; /* borrowed */
    Py_ssize_t place = 0;
    text[0] = '\0';
    for (int n = 0; at && names && PyDict_CheckExact(names) && n < MOST_ATTRIBUTES &&
                    PyDict_Next(names, &place, &key, &value);
         n++) {
        if (key == wanted && PyUnicode_Check(value)) {
            sg_text_copy_put(value, text);
            break;
        }
    }
    PyErr_Clear();
    Py_XDECREF(wanted);
}

/* ---- Its thread ---- */

static bool is_c_stack(const struct c_stack *stack) {
    return stack->start && stack->start < stack->stop && !stack->saved == !stack->copy &&
           stack->saved <= stack->stop - stack->start;
}

/* Read the words of the C stack. Returns false if they are implausible. */
static bool find_c_stack(const struct sg_greenlet_fields *fields, PyObject *greenlet,
                         struct c_stack *stack) {
    uintptr_t words[MOST_WORDS];
    uintptr_t at = (uintptr_t)greenlet + SG_FIRST_FIELD;
    size_t n_before = 0;
    if (fields->has_state_object)
        at = sg_memory_load((uintptr_t)greenlet + STATE_OBJECT);
    if (!sg_memory_read(at, words, sizeof words))
        return false;
    if (fields->has_state_object)
        n_before = TABLE_WORDS + (words[TABLE_WORDS] == (uintptr_t)greenlet) + ARGUMENT_WORDS +
                   (sg_debug_offsets.minor <= LAST_MINOR_OF_OBJECTS ? OLD_EXCEPTION_WORDS
                                                                    : EXCEPTION_WORDS);
    memcpy(stack, words + n_before, sizeof *stack);
    return is_c_stack(stack);
}

/* When a greenlet is suspended, the library copies what the next one overwrites of its C stack;
 * when it is resumed, the library restores and frees the copy and clears `copy` and `saved`, but
 * leaves `start` and `stop`. So a greenlet with a copy is suspended. One without may run, or be
 * suspended with its whole stack in place (the next one is deeper); it is taken for running. */
bool sg_greenlet_fields_is_suspended(const struct sg_greenlet_fields *fields, PyObject *greenlet) {
    struct c_stack stack;
    return is_complete(fields, greenlet) && find_c_stack(fields, greenlet, &stack) && stack.saved &&
           sg_getters_read(fields->dead, greenlet) != Py_True;
}

/* A pthread_t is the address of the thread's descriptor, which lies just above the thread's C
 * stack, except the main thread's, which lies elsewhere. So a greenlet belongs to the thread with
 * the lowest pthread_t above `start` of the greenlet's C stack. If there is none, it belongs to the
 * main thread, because the main stack lies above all others and above every descriptor. */
pid_t sg_greenlet_fields_tid(const struct sg_greenlet_fields *fields, PyObject *greenlet) {
    const struct sg_greenlet_thread *nearest = NULL;
    struct c_stack stack;
    if (fields->n_threads == SG_MOST_GREENLET_THREADS || !find_c_stack(fields, greenlet, &stack))
        return 0;
    for (size_t i = 0; i < fields->n_threads; i++) {
        const struct sg_greenlet_thread *thread = &fields->threads[i];
        if (thread->ident > stack.start && (!nearest || thread->ident < nearest->ident))
            nearest = thread;
    }
    return nearest ? nearest->tid : getpid();
}
