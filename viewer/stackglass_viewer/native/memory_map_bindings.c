/* Python bindings of heap maps. */
#include <stddef.h>
#include <string.h>

#include "memory_bindings.h"
#include "memory_granules.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Initialize `raster` from the arguments that both ways of drawing have: axis, window, key, moments
 * and output. `held` receives the views of the arrays. Returns 0, or -1 with an error set. */
static int view_map(PyObject *args, struct sg_raster *raster, struct sg_array *held) {
    PyObject *axis[3], *moments, *bytes, *keys;
    unsigned long long low, high, n_rows;
    unsigned int key_is;
    if (!PyArg_ParseTuple(args, "(OOO)(KK)IKOOO", &axis[0], &axis[1], &axis[2], &low, &high,
                          &key_is, &n_rows, &moments, &bytes, &keys))
        return -1;
    if (sg_view(axis[0], SG_U64, 0, "start", &held[0]) < 0 ||
        sg_view(axis[1], SG_U64, 0, "size", &held[1]) < 0 ||
        sg_view(axis[2], SG_U64, 0, "position", &held[2]) < 0 ||
        sg_view(moments, SG_I64, 0, "moment_ns", &held[3]) < 0 ||
        sg_view(bytes, SG_I64, 1, "live_bytes", &held[4]) < 0 ||
        sg_view(keys, SG_U32, 1, "key", &held[5]) < 0)
        return -1;
    if (held[0].n != held[1].n || held[2].n != held[0].n + 1 || high <= low || !n_rows ||
        n_rows > UINT32_MAX || !held[3].n || held[4].n / held[3].n != n_rows ||
        held[4].n % held[3].n || held[5].n != held[4].n || key_is >= SG_KEYS) {
        PyErr_SetString(PyExc_ValueError, "a map's columns do not fit together");
        return -1;
    }
    *raster = (struct sg_raster){
        .axis = {held[0].buffer.buf, held[1].buffer.buf, held[2].buffer.buf, held[0].n},
        .low = low,
        .high = high,
        .key_is = key_is,
        .n_rows = n_rows,
        .n_columns = held[3].n,
        .moment_ns = held[3].buffer.buf,
        .out_bytes = held[4].buffer.buf,
        .out_key = held[5].buffer.buf,
    };
    if (sg_raster_init(raster) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

/* Return the columns of sg_raster_sum, or NULL with an error set. */
static PyObject *export_sums(PyObject *module, struct sg_raster *raster) {
    struct sg_vector keys = {0}, sums = {0};
    if (sg_raster_sum(raster, &keys, &sums) < 0) {
        sg_release(&keys);
        sg_release(&sums);
        return PyErr_NoMemory();
    }
    PyObject *key = sg_export(module, &keys, SG_U32), *sum = sg_export(module, &sums, SG_F64);
    PyObject *both = key && sum ? PyTuple_Pack(2, key, sum) : NULL;
    Py_XDECREF(key);
    Py_XDECREF(sum);
    return both;
}

/* Begin a map: draw the live objects; from now on the replay draws each change that it applies. */
PyObject *sg_replay_begin_map(PyObject *self, PyObject *args) {
    struct sg_replay_object *object = sg_claim(self);
    if (!object)
        return NULL;
    if (object->replay.raster) {
        object->is_busy = 0;
        PyErr_SetString(PyExc_ValueError, "a map is being drawn");
        return NULL;
    }
    if (view_map(args, &object->raster, object->held) < 0) {
        sg_drop(object->held, COUNT(object->held));
        memset(object->held, 0, sizeof object->held);
        object->is_busy = 0;
        return NULL;
    }
    PyThreadState *state = PyEval_SaveThread();
    const struct sg_blocks *blocks = &object->replay.blocks;
    for (size_t row = 1; row < blocks->rows.n; row++) {
        const struct sg_block *block = sg_block_at(blocks, (uint32_t)row);
        if (block->is_used && block->space == SG_SPACE_OBJECT)
            sg_raster_block(&object->raster, block, 1);
    }
    const struct sg_start *start = blocks->start;
    for (size_t row = 0; start && row < start->blocks.n; row++)
        if (sg_start_is_live(sg_start_row(start, row), object->replay.n_events)) {
            const struct sg_block block = sg_start_block_at(start, (uint32_t)row);
            sg_raster_block(&object->raster, &block, 1);
        }
    PyEval_RestoreThread(state);
    object->replay.raster = &object->raster;
    object->is_busy = 0;
    Py_RETURN_NONE;
}

PyObject *sg_replay_end_map(PyObject *self, PyObject *args) {
    struct sg_replay_object *object = sg_claim(self);
    if (!object)
        return NULL;
    if (!object->replay.raster) {
        object->is_busy = 0;
        PyErr_SetString(PyExc_ValueError, "no map is being drawn");
        return NULL;
    }
    sg_raster_advance(&object->raster, INT64_MAX);
    PyObject *sums = export_sums(PyType_GetModule(Py_TYPE(self)), &object->raster);
    int is_out_of_memory = object->raster.is_out_of_memory;
    object->replay.raster = NULL;
    sg_raster_free(&object->raster);
    object->raster.is_out_of_memory = 0;
    sg_drop(object->held, COUNT(object->held));
    memset(object->held, 0, sizeof object->held);
    if (sg_settle(object, is_out_of_memory ? -1 : 0, "") < 0)
        Py_CLEAR(sums);
    return sums;
}

enum {
    NUMBER,
    STEP_NS,
    STEP_START,
    GRANULE,
    BYTES,
    KEY,
    BIRTH,
    W_ADDRESS,
    W_SIZE,
    W_BIRTH,
    W_KEY,
    CHANGE_NS,
    CHANGE_OF,
    COLUMNS
};

static const struct {
    enum sg_kind kind;
    const char *name;
} LOG[COLUMNS] = {
    [NUMBER] = {SG_U64, "number"},         [STEP_NS] = {SG_I64, "step_ns"},
    [STEP_START] = {SG_I64, "step_start"}, [GRANULE] = {SG_U32, "granule"},
    [BYTES] = {SG_I64, "bytes"},           [KEY] = {SG_U32, "key"},
    [BIRTH] = {SG_I64, "birth_ns"},        [W_ADDRESS] = {SG_U64, "wide_address"},
    [W_SIZE] = {SG_U64, "wide_size"},      [W_BIRTH] = {SG_I64, "wide_birth_ns"},
    [W_KEY] = {SG_U32, "wide_key"},        [CHANGE_NS] = {SG_I64, "change_ns"},
    [CHANGE_OF] = {SG_I32, "change_of"},
};

static int is_log_valid(const struct sg_array *arrays, size_t first) {
    const int64_t *start = arrays[STEP_START].buffer.buf;
    const uint32_t *granule = arrays[GRANULE].buffer.buf;
    const int32_t *change_of = arrays[CHANGE_OF].buffer.buf;
    size_t n_steps = arrays[STEP_NS].n, n_rows = arrays[GRANULE].n, n_wide = arrays[W_ADDRESS].n;
    if (arrays[STEP_START].n != n_steps + 1 || first > n_steps || arrays[BYTES].n != n_rows ||
        arrays[KEY].n != n_rows || arrays[BIRTH].n != n_rows || arrays[W_SIZE].n != n_wide ||
        arrays[W_BIRTH].n != n_wide || arrays[W_KEY].n != n_wide ||
        arrays[CHANGE_NS].n != arrays[CHANGE_OF].n || start[0] != 0 ||
        start[n_steps] != (int64_t)n_rows)
        return 0;
    for (size_t i = 0; i < n_steps; i++)
        if (start[i] > start[i + 1])
            return 0;
    for (int64_t i = start[first]; i < (int64_t)n_rows; i++)
        if (granule[i] >= arrays[NUMBER].n)
            return 0;
    for (size_t i = 0; i < arrays[CHANGE_OF].n; i++)
        if (!change_of[i] || change_of[i] == INT32_MIN ||
            (size_t)(change_of[i] < 0 ? -change_of[i] : change_of[i]) > n_wide)
            return 0;
    return 1;
}

static int draw(struct sg_raster *raster, const struct sg_array *arrays, size_t first) {
    const struct sg_granule_log log = {
        .number = arrays[NUMBER].buffer.buf,
        .n_granules = arrays[NUMBER].n,
        .step_ns = arrays[STEP_NS].buffer.buf,
        .step_start = arrays[STEP_START].buffer.buf,
        .n_steps = arrays[STEP_NS].n,
        .granule = arrays[GRANULE].buffer.buf,
        .bytes = arrays[BYTES].buffer.buf,
        .key = arrays[KEY].buffer.buf,
        .birth_ns = arrays[BIRTH].buffer.buf,
        .wide_address = arrays[W_ADDRESS].buffer.buf,
        .wide_size = arrays[W_SIZE].buffer.buf,
        .wide_birth_ns = arrays[W_BIRTH].buffer.buf,
        .wide_key = arrays[W_KEY].buffer.buf,
        .change_ns = arrays[CHANGE_NS].buffer.buf,
        .change_of = arrays[CHANGE_OF].buffer.buf,
        .n_changes = arrays[CHANGE_NS].n,
    };
    return sg_granules_draw(raster, &log, first);
}

static PyObject *draw_granules(PyObject *module, PyObject *args) {
    PyObject *map, *columns;
    unsigned long long first;
    struct sg_array held[6] = {0}, arrays[COLUMNS] = {0};
    struct sg_raster raster = {0};
    if (!PyArg_ParseTuple(args, "O!O!K:draw_granules", &PyTuple_Type, &map, &PyTuple_Type, &columns,
                          &first))
        return NULL;
    if (PyTuple_Size(columns) != COLUMNS) {
        PyErr_SetString(PyExc_ValueError, "a granule log has 13 columns");
        return NULL;
    }
    int result = view_map(map, &raster, held);
    for (int i = 0; i < COLUMNS && result == 0; i++)
        result = sg_view(PyTuple_GetItem(columns, i), LOG[i].kind, 0, LOG[i].name, &arrays[i]);
    if (result == 0 && !is_log_valid(arrays, (size_t)first)) {
        PyErr_SetString(PyExc_ValueError, "a granule log is damaged");
        result = -1;
    } else if (result == 0) {
        PyThreadState *state = PyEval_SaveThread();
        result = draw(&raster, arrays, (size_t)first);
        PyEval_RestoreThread(state);
        if (result < 0)
            PyErr_NoMemory();
    }
    PyObject *sums = result < 0 ? NULL : export_sums(module, &raster);
    sg_raster_free(&raster);
    sg_drop(arrays, COLUMNS);
    sg_drop(held, COUNT(held));
    return sums;
}

static PyObject *classify_sizes(PyObject *module, PyObject *object) {
    struct sg_array sizes = {0};
    struct sg_vector classes = {0};
    int result = sg_view(object, SG_U64, 0, "size", &sizes);
    if (result == 0 && sg_reserve(&classes, sizes.n, sizeof(uint32_t)) < 0) {
        PyErr_NoMemory();
        result = -1;
    }
    const uint64_t *size = sizes.buffer.buf;
    for (size_t i = 0; result == 0 && i < sizes.n; i++)
        ((uint32_t *)(void *)classes.data)[classes.n++] = sg_size_class(size[i]);
    sg_drop(&sizes, 1);
    return result < 0 ? NULL : sg_export(module, &classes, SG_U32);
}

PyMethodDef sg_memory_bindings[] = {
    {"classify_sizes", classify_sizes, METH_O, "Return the size class of each size."},
    {"draw_granules", draw_granules, METH_VARARGS, "Draw a heap map from the granule log."},
    {"find_removed", sg_find_removed, METH_VARARGS, "Whether a delta frees a block."},
    {"find_in_checkpoint", sg_find_in_checkpoint, METH_VARARGS, "Find a block's birth event."},
    {NULL, NULL, 0, NULL},
};
