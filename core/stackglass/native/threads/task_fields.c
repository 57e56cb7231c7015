/* Fields are read with C getters where the type has them, else by offset.
 *
 *     coroutine, waiter, loop   the field that holds the object that the C getter returns
 *     name      offset from asyncio's own table (asyncio_offsets.h) from 3.14 on; before, the field
 *               that holds the object that get_name() returns
 *     context   the one field of a task, behind the fields of a future, that holds a context */
#include "threads/task_fields.h"

#include "frames/code_info.h"
#include "interpreter/contextvars.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"
#include "threads/getters.h"

/* Fields of a C task. Guarded by the GIL. */
static struct sg_getter_field coroutine_field, waiter_field, loop_field;

static PyTypeObject *find_type(const char *module, const char *name) {
    return (PyTypeObject *)sg_python_text_global_type(module, name); /* borrowed */
}

void sg_task_fields_learn(struct sg_task_fields *fields) {
    *fields = (struct sg_task_fields){
        .task = find_type("_asyncio", "Task"),
        .future = find_type("_asyncio", "Future"),
        .python_task = find_type("asyncio.tasks", "_PyTask"),
    };
    if (fields->task) {
        fields->task_bytes = sg_memory_load((uintptr_t)fields->task + SG_TP_BASICSIZE);
        fields->offsets = sg_asyncio_offsets_get(fields->task_bytes);
        fields->name_at = fields->offsets ? fields->offsets->task_name : 0;
        sg_getters_find_field(&coroutine_field, (PyObject *)fields->task, "_coro");
        sg_getters_find_field(&waiter_field, (PyObject *)fields->task, "_fut_waiter");
        sg_getters_find_field(&loop_field, (PyObject *)fields->task, "_loop");
    }
    if (fields->future)
        fields->state = sg_getters_find((PyObject *)fields->future, "_state");
}

static bool is_of(PyObject *object, PyTypeObject *type) {
    return type && (Py_TYPE(object) == type || PyType_IsSubtype(Py_TYPE(object), type));
}

bool sg_task_fields_is_task(const struct sg_task_fields *fields, PyObject *object) {
    return is_of(object, fields->task) || is_of(object, fields->python_task);
}

/* Read `field` from a C task, the attribute `name` from a Python task. The result is borrowed from
 * the task. */
static PyObject *read_field(const struct sg_task_fields *fields, struct sg_getter_field *field,
                            PyObject *task, const char *name) {
    if (is_of(task, fields->task))
        return sg_getters_read_field(field, task, fields->task_bytes);
    return is_of(task, fields->python_task) ? sg_python_text_kept_attribute(task, name) : NULL;
}

PyObject *sg_task_fields_coroutine(const struct sg_task_fields *fields, PyObject *task) {
    return read_field(fields, &coroutine_field, task, "_coro");
}

PyObject *sg_task_fields_waiter(const struct sg_task_fields *fields, PyObject *task) {
    return read_field(fields, &waiter_field, task, "_fut_waiter");
}

PyObject *sg_task_fields_loop(const struct sg_task_fields *fields, PyObject *task) {
    return read_field(fields, &loop_field, task, "_loop");
}

/* Find the offset of the context. The search begins behind the fields of a future, because one of
 * them, the context of its first callback, is a context too. */
static void learn_context(struct sg_task_fields *fields, PyObject *task) {
    uint64_t at = fields->future ? sg_memory_load((uintptr_t)fields->future + SG_TP_BASICSIZE)
                                 : fields->task_bytes;
    for (; !fields->context_at && at < fields->task_bytes; at += 8) {
        uintptr_t object = sg_memory_load((uintptr_t)task + at), head[2];
        if (object % 8 == 0 && sg_memory_read(object, head, sizeof head) &&
            sg_contextvars_is_context((const void *)object))
            fields->context_at = (int32_t)at;
    }
}

PyObject *sg_task_fields_context(struct sg_task_fields *fields, PyObject *task) {
    if (!is_of(task, fields->task))
        return sg_python_text_kept_attribute(task, "_context");
    if (!fields->context_at)
        learn_context(fields, task);
    return fields->context_at
               ? (PyObject *)sg_memory_load((uintptr_t)task + (uintptr_t)fields->context_at)
               : NULL;
}

/* The state is "PENDING", "CANCELLED" or "FINISHED": the first letter is enough. */
bool sg_task_fields_is_pending(const struct sg_task_fields *fields, PyObject *future) {
    PyObject *state = NULL;
    /* exact types first, which need no call */
    if (fields->state && (Py_TYPE(future) == fields->task || is_of(future, fields->future) ||
                          is_of(future, fields->task)))
        state = sg_getters_read(fields->state, future);
    else
        state = sg_python_text_kept_attribute(future, "_state");
    return state && PyUnicode_Check(state) &&
           *(const char *)((uintptr_t)state + (uintptr_t)sg_debug_offsets.ascii_data) == 'P';
}

/* ---- Names ---- */

/* Up to 3.13, find the name's field in a task. */
static void learn_name(struct sg_task_fields *fields, PyObject *task) {
    PyObject *method = sg_python_text_attribute((PyObject *)fields->task, "get_name");
    PyObject *name = method ? PyObject_CallFunctionObjArgs(method, task, NULL) : NULL;
    for (uint64_t at = SG_FIRST_FIELD; name && !fields->name_at && at < fields->task_bytes;
         at += 8) {
        if (sg_memory_load((uintptr_t)task + at) == (uintptr_t)name)
            fields->name_at = (int32_t)at;
    }
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(method);
}

PyObject *sg_task_fields_name_object(const struct sg_task_fields *fields, PyObject *task) {
    return fields->name_at && is_of(task, fields->task)
               ? (PyObject *)sg_memory_load((uintptr_t)task + (uintptr_t)fields->name_at)
               : NULL;
}

const char *sg_task_fields_ascii_name(const struct sg_task_fields *fields, PyObject *task,
                                      size_t *n) {
    PyObject *name = sg_task_fields_name_object(fields, task);
    if (!name || Py_TYPE(name) != &PyUnicode_Type)
        return NULL;
    const char *ascii = sg_code_info_ascii(name, n);
    if (*n > SG_MOST_CHARACTERS)
        *n = SG_MOST_CHARACTERS;
    return ascii;
}

int64_t sg_task_fields_name(struct sg_task_fields *fields, PyObject *task,
                            char text[SG_TEXT_COPY_BYTES]) {
    if (!fields->name_at && is_of(task, fields->task))
        learn_name(fields, task);
    PyObject *name = is_of(task, fields->task) ? sg_task_fields_name_object(fields, task)
                                               : sg_python_text_kept_attribute(task, "_name");
    text[0] = '\0';
    if (name && PyUnicode_Check(name))
        sg_text_copy_put(name, text);
    return name && PyLong_Check(name) ? PyLong_AsLongLong(name) : 0;
}
