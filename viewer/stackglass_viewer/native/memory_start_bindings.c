/* Python bindings: the StartBlocks type, the objects of a memory trace's start snapshot. */
#include "memory_bindings.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct start_object {
    PyObject base;
    struct sg_start start;
    int is_finished;
};

static const char TOO_MANY[] = "a trace has too many events or sites to be numbered";

static struct start_object *as_start(PyObject *self) { return (struct start_object *)(void *)self; }

static PyObject *start_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "K:StartBlocks", &seed))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct start_object *object = (void *)allocate(type, 0);
    if (object)
        sg_start_init(&object->start, seed);
    return (PyObject *)(void *)object;
}

static void start_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyThreadState *saved = PyEval_SaveThread(); /* freeing may take long */
    sg_start_release(&as_start(self)->start);
    PyEval_RestoreThread(saved);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *settle(int result) {
    if (result == -1)
        return PyErr_NoMemory();
    if (result < 0) {
        PyErr_SetString(PyExc_ValueError, TOO_MANY);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *add(PyObject *self, PyObject *args) {
    static const struct {
        enum sg_kind kind;
        const char *name;
    } columns[] = {
        {SG_BYTES, "kind"}, {SG_I64, "time_ns"}, {SG_U32, "tid"},  {SG_U64, "address"},
        {SG_U64, "size"},   {SG_U32, "stack"},   {SG_U32, "type"}, {SG_BYTES, "domain"},
    };
    PyObject *objects[COUNT(columns)];
    struct sg_array arrays[COUNT(columns)] = {0};
    int is_fitting = !as_start(self)->is_finished;
    if (!PyArg_ParseTuple(args, "OOOOOOOO:add", &objects[0], &objects[1], &objects[2], &objects[3],
                          &objects[4], &objects[5], &objects[6], &objects[7]))
        return NULL;
    if (!is_fitting)
        PyErr_SetString(PyExc_ValueError, "the start blocks are finished");
    for (size_t i = 0; i < COUNT(columns) && is_fitting; i++) {
        is_fitting = sg_view(objects[i], columns[i].kind, 0, columns[i].name, &arrays[i]) == 0;
        if (is_fitting && arrays[i].n != arrays[0].n) {
            PyErr_SetString(PyExc_ValueError, "columns differ in length");
            is_fitting = 0;
        }
    }
    int result = 0;
    if (is_fitting) {
        const struct sg_start_events events = {
            arrays[0].buffer.buf, arrays[1].buffer.buf, arrays[2].buffer.buf,
            arrays[3].buffer.buf, arrays[4].buffer.buf, arrays[5].buffer.buf,
            arrays[6].buffer.buf, arrays[7].buffer.buf, arrays[0].n,
        };
        PyThreadState *state = PyEval_SaveThread();
        result = sg_start_add(&as_start(self)->start, &events);
        PyEval_RestoreThread(state);
    }
    sg_drop(arrays, COUNT(arrays));
    return is_fitting ? settle(result) : NULL;
}

static PyObject *finish(PyObject *self, PyObject *args) {
    struct start_object *object = as_start(self);
    if (object->is_finished) {
        PyErr_SetString(PyExc_ValueError, "the start blocks are finished");
        return NULL;
    }
    object->is_finished = 1;
    PyThreadState *state = PyEval_SaveThread();
    int result = sg_start_finish(&object->start);
    PyEval_RestoreThread(state);
    return settle(result);
}

static PyObject *freeze(PyObject *self, PyObject *args) {
    int result = 0;
    PyThreadState *state = PyEval_SaveThread();
    if (!as_start(self)->start.is_frozen)
        result = sg_start_freeze(&as_start(self)->start);
    PyEval_RestoreThread(state);
    return settle(result);
}

static PyObject *find(PyObject *self, PyObject *args) {
    unsigned long long address;
    if (!PyArg_ParseTuple(args, "K:find", &address))
        return NULL;
    const struct sg_start *start = &as_start(self)->start;
    uint32_t found = sg_start_find(start, address);
    if (!found)
        Py_RETURN_NONE;
    const struct sg_start_block *block = sg_start_row(start, found - 1);
    if (block->death == SG_NO_DEATH)
        return Py_BuildValue("(kO)", (unsigned long)block->birth, Py_None);
    return Py_BuildValue("(kk)", (unsigned long)block->birth, (unsigned long)block->death);
}

/* split(step): return the address of every `step`-th block, without the first block. */
static PyObject *split(PyObject *self, PyObject *args) {
    unsigned long long step;
    struct sg_vector column = {0};
    if (!PyArg_ParseTuple(args, "K:split", &step))
        return NULL;
    if (!step) {
        PyErr_SetString(PyExc_ValueError, "a step is at least 1");
        return NULL;
    }
    const struct sg_start *start = &as_start(self)->start;
    for (unsigned long long row = step; row < start->blocks.n; row += step)
        if (sg_push_u64(&column, sg_start_row(start, row)->address) < 0) {
            sg_release(&column);
            return PyErr_NoMemory();
        }
    return sg_export(PyType_GetModule(Py_TYPE(self)), &column, SG_U64);
}

static PyMethodDef methods[] = {
    {"add", add, METH_VARARGS, "Add the objects among further events of the snapshot."},
    {"finish", finish, METH_NOARGS, "Sort the objects, so that replays can begin."},
    {"freeze", freeze, METH_NOARGS, "Record no more deaths and types."},
    {"find", find, METH_VARARGS, "Find the block at an address."},
    {"split", split, METH_VARARGS, "List the address of every n-th block."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, start_new},
    {Py_tp_dealloc, start_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "stackglass_viewer.native._loops.StartBlocks",
    .basicsize = sizeof(struct start_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int sg_add_start_type(PyObject *module) {
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    int result = type ? PyModule_AddObjectRef(module, "StartBlocks", type) : -1;
    Py_XDECREF(type);
    return result;
}

PyObject *sg_replay_begin_from(PyObject *self, PyObject *args) {
    PyObject *module = PyType_GetModule(Py_TYPE(self)), *given;
    PyObject *type = PyObject_GetAttrString(module, "StartBlocks");
    int is_fitting = type && PyArg_ParseTuple(args, "O!:begin_from", type, &given);
    Py_XDECREF(type);
    struct sg_replay_object *object = is_fitting ? sg_claim(self) : NULL;
    if (!object)
        return NULL;
    object->is_busy = 0;
    if (object->start || object->replay.n_events || !as_start(given)->is_finished) {
        PyErr_SetString(PyExc_ValueError, "a replay begins once, from finished start blocks");
        return NULL;
    }
    Py_INCREF(given);
    object->start = given;
    object->replay.blocks.start = &as_start(given)->start;
    Py_RETURN_NONE;
}
