/* Python bindings of checkpoints and deltas. */
#include "memory_bindings.h"
#include "memory_delta.h"

static const char DAMAGED[] = "a checkpoint is damaged";

/* Pack a replay with `into`, as a checkpoint or a delta. Returns (content, index). */
static PyObject *pack(PyObject *self,
                      int (*into)(struct sg_replay *, struct sg_vector *, struct sg_vector *)) {
    struct sg_replay_object *object = sg_claim(self);
    struct sg_vector content = {0}, index = {0};
    if (!object)
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    int result = into(&object->replay, &content, &index);
    PyEval_RestoreThread(state);
    if (sg_settle(object, result, "this replay does not record changes") < 0) {
        sg_release(&content);
        sg_release(&index);
        return NULL;
    }
    PyObject *module = PyType_GetModule(Py_TYPE(self));
    PyObject *packed = sg_export(module, &content, SG_BYTES);
    PyObject *groups = sg_export(module, &index, SG_U64);
    if (packed && groups)
        return Py_BuildValue("NN", packed, groups);
    Py_XDECREF(packed);
    Py_XDECREF(groups);
    return NULL;
}

static int pack_whole(struct sg_replay *replay, struct sg_vector *content,
                      struct sg_vector *index) {
    int result = sg_checkpoint_pack(replay, content, index);
    sg_delta_begin(replay);
    return result;
}

static int pack_step(struct sg_replay *replay, struct sg_vector *content, struct sg_vector *index) {
    return replay->blocks.changes ? sg_delta_pack(replay, content, index) : -2;
}

PyObject *sg_replay_pack(PyObject *self, PyObject *args) { return pack(self, pack_whole); }

PyObject *sg_replay_pack_delta(PyObject *self, PyObject *args) { return pack(self, pack_step); }

/* View a checkpoint or a delta; without `index`, which may be NULL, it has no groups. Returns 0, or
 * -1 with an error set. */
static int view_checkpoint(PyObject *content, PyObject *index, struct sg_array *arrays,
                           struct sg_checkpoint *checkpoint) {
    if (sg_view(content, SG_BYTES, 0, "content", &arrays[0]) < 0 ||
        (index && sg_view(index, SG_U64, 0, "groups", &arrays[1]) < 0))
        return -1;
    *checkpoint = (struct sg_checkpoint){
        .content = arrays[0].buffer.buf,
        .n_bytes = arrays[0].n,
        .index = arrays[1].buffer.buf,
        .n_groups = arrays[1].n / 3,
    };
    return 0;
}

/* Load a checkpoint or apply a delta, with `from`. */
static PyObject *unpack(PyObject *self, PyObject *args,
                        int (*from)(const struct sg_checkpoint *, struct sg_replay *)) {
    PyObject *content, *index;
    struct sg_array arrays[2] = {0};
    struct sg_checkpoint checkpoint;
    if (!PyArg_ParseTuple(args, "OO", &content, &index))
        return NULL;
    struct sg_replay_object *object = sg_claim(self);
    if (!object)
        return NULL;
    int result = view_checkpoint(content, index, arrays, &checkpoint);
    if (result < 0) {
        object->is_busy = 0;
    } else {
        PyThreadState *state = PyEval_SaveThread();
        result = from(&checkpoint, &object->replay);
        PyEval_RestoreThread(state);
        sg_settle(object, result, DAMAGED);
    }
    sg_drop(arrays, 2);
    if (result < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *sg_replay_load(PyObject *self, PyObject *args) {
    return unpack(self, args, sg_checkpoint_load);
}

PyObject *sg_replay_apply_delta(PyObject *self, PyObject *args) {
    return unpack(self, args, sg_delta_apply);
}

PyObject *sg_find_in_checkpoint(PyObject *module, PyObject *args) {
    PyObject *content, *index;
    unsigned int space;
    unsigned long long address;
    struct sg_array arrays[2] = {0};
    struct sg_checkpoint checkpoint;
    if (!PyArg_ParseTuple(args, "OOIK:find_in_checkpoint", &content, &index, &space, &address))
        return NULL;
    int64_t found = -3;
    if (view_checkpoint(content, index, arrays, &checkpoint) == 0)
        found = sg_checkpoint_find(&checkpoint, space, address);
    sg_drop(arrays, 2);
    if (found == -2)
        PyErr_SetString(PyExc_ValueError, DAMAGED);
    return found < -1 ? NULL : PyLong_FromLongLong(found);
}

PyObject *sg_find_removed(PyObject *module, PyObject *args) {
    PyObject *content;
    unsigned int space;
    unsigned long long address;
    struct sg_array arrays[2] = {0};
    struct sg_checkpoint delta;
    if (!PyArg_ParseTuple(args, "OIK:find_removed", &content, &space, &address))
        return NULL;
    int found = -3;
    if (view_checkpoint(content, NULL, arrays, &delta) == 0)
        found = sg_delta_find_removed(&delta, space, address);
    sg_drop(arrays, 2);
    if (found == -2)
        PyErr_SetString(PyExc_ValueError, DAMAGED);
    return found < 0 ? NULL : PyBool_FromLong(found);
}
