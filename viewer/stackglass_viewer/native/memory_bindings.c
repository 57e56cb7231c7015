/* Python bindings: the Replay type, which replays the events of a memory trace. */
#include <stddef.h>
#include <string.h>

#include "memory_bindings.h"
#include "memory_checkpoint.h"

enum { AHEAD = 16 }; /* distance of the prefetch, in rows */

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct sg_replay_object *sg_claim(PyObject *self) {
    struct sg_replay_object *object = (struct sg_replay_object *)(void *)self;
    if (object->is_busy || !object->is_ready) {
        PyErr_SetString(PyExc_RuntimeError, "another thread uses this replay");
        return NULL;
    }
    object->is_busy = 1;
    return object;
}

int sg_settle(struct sg_replay_object *object, int result, const char *text) {
    object->is_busy = 0;
    if (result == -1)
        PyErr_NoMemory();
    else if (result < -1)
        PyErr_SetString(PyExc_ValueError, text);
    return result;
}

static void copy_field(char *out, const char *data, size_t stride, const uint32_t *rows, size_t n,
                       size_t width) {
    for (size_t i = 0; i < n; i++) {
        const char *from = data + (rows ? rows[i] : i) * stride;
        if (rows && i + AHEAD < n)
            __builtin_prefetch(data + rows[i + AHEAD] * stride);
        if (width == 8)
            memcpy(out + 8 * i, from, 8);
        else if (width == 4)
            memcpy(out + 4 * i, from, 4);
        else
            out[i] = *from;
    }
}

PyObject *sg_export_rows(PyObject *module, const struct sg_row_field *fields, size_t n_fields,
                         const void *data, size_t stride, const uint32_t *rows, size_t n) {
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < n_fields; i++) {
        struct sg_vector column = {0};
        if (sg_reserve(&column, n, fields[i].width) < 0) {
            PyErr_NoMemory();
            Py_CLEAR(dict);
            break;
        }
        PyThreadState *state = PyEval_SaveThread();
        if (n)
            copy_field(column.data, (const char *)data + fields[i].offset, stride, rows, n,
                       fields[i].width);
        PyEval_RestoreThread(state);
        column.n = n;
        if (sg_export_into(module, dict, fields[i].name, &column, fields[i].kind) < 0)
            Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *replay_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    unsigned long long seed, n_bins;
    long long begin_ns, bin_ns;
    if (!PyArg_ParseTuple(args, "KLLK:Replay", &seed, &begin_ns, &bin_ns, &n_bins))
        return NULL;
    if (n_bins && (bin_ns <= 0 || n_bins > INT32_MAX)) {
        PyErr_SetString(PyExc_ValueError, "bins must be longer than 0, and at most 2^31 - 1");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct sg_replay_object *object = (void *)allocate(type, 0);
    if (!object)
        return NULL;
    if (sg_blocks_init(&object->replay.blocks, seed) < 0) {
        Py_DECREF((PyObject *)(void *)object);
        return PyErr_NoMemory();
    }
    if (n_bins) {
        sg_survey_init(&object->survey, begin_ns, bin_ns, (uint32_t)n_bins, seed);
        object->replay.survey = &object->survey;
        object->replay.blocks.is_listing = 1;
        object->replay.blocks.changes = &object->changes;
    }
    object->is_ready = 1;
    return (PyObject *)(void *)object;
}

static void replay_dealloc(PyObject *self) {
    struct sg_replay_object *object = (struct sg_replay_object *)(void *)self;
    PyTypeObject *type = Py_TYPE(self);
    sg_raster_free(&object->raster);
    sg_drop(object->held, COUNT(object->held));
    Py_XDECREF(object->start);
    PyThreadState *saved = PyEval_SaveThread(); /* freeing may take long */
    sg_survey_free(&object->survey);
    sg_changes_free(&object->changes);
    sg_blocks_free(&object->replay.blocks);
    PyEval_RestoreThread(saved);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *apply(PyObject *self, PyObject *args) {
    static const struct {
        enum sg_kind kind;
        const char *name;
    } columns[] = {
        {SG_BYTES, "kind"},  {SG_I64, "time_ns"},  {SG_U32, "tid"},
        {SG_U64, "address"}, {SG_U64, "size"},     {SG_U32, "stack"},
        {SG_U32, "type"},    {SG_BYTES, "domain"}, {SG_U64, "other"},
    };
    PyObject *objects[COUNT(columns)];
    struct sg_array arrays[COUNT(columns)] = {0};
    if (!PyArg_ParseTuple(args, "OOOOOOOOO:apply", &objects[0], &objects[1], &objects[2],
                          &objects[3], &objects[4], &objects[5], &objects[6], &objects[7],
                          &objects[8]))
        return NULL;
    struct sg_replay_object *object = sg_claim(self);
    if (!object)
        return NULL;
    int is_fitting = 1;
    for (size_t i = 0; i < COUNT(columns) && is_fitting; i++) {
        is_fitting = sg_view(objects[i], columns[i].kind, 0, columns[i].name, &arrays[i]) == 0;
        if (is_fitting && arrays[i].n != arrays[0].n) {
            PyErr_SetString(PyExc_ValueError, "columns differ in length");
            is_fitting = 0;
        }
    }
    int result = -3;
    if (is_fitting) {
        const struct sg_events events = {
            arrays[0].buffer.buf, arrays[1].buffer.buf, arrays[2].buffer.buf, arrays[3].buffer.buf,
            arrays[4].buffer.buf, arrays[5].buffer.buf, arrays[6].buffer.buf, arrays[7].buffer.buf,
            arrays[8].buffer.buf, arrays[0].n,
        };
        PyThreadState *state = PyEval_SaveThread();
        result = sg_replay_apply(&object->replay, &events);
        PyEval_RestoreThread(state);
    }
    sg_drop(arrays, COUNT(arrays));
    if (!is_fitting)
        object->is_busy = 0;
    else
        sg_settle(object, result, "a block is larger than any address space");
    if (result < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *counters(PyObject *self, PyObject *args) {
    struct sg_replay_object *object = sg_claim(self);
    if (!object)
        return NULL;
    const struct sg_replay *replay = &object->replay;
    const struct sg_blocks *blocks = &replay->blocks;
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"n_events", replay->n_events},
        {"time_ns", (uint64_t)replay->time_ns},
        {"n_rows", blocks->n_used},
        {"n_objects", blocks->n_live[SG_SPACE_OBJECT] + blocks->n_start_live},
        {"object_bytes", sg_replay_bytes(replay)},
        {"n_spans", blocks->n_live[SG_SPACE_SPAN]},
        {"span_bytes", blocks->bytes[SG_SPACE_SPAN]},
        {"n_stacks", blocks->n_live[SG_SPACE_STACK]},
        {"stack_bytes", blocks->bytes[SG_SPACE_STACK]},
        {"n_lost", replay->n_lost},
        {"n_unknown_frees", replay->n_unknown_frees},
        {"n_overwritten", replay->n_overwritten},
        {"n_dropped", replay->n_dropped},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < COUNT(numbers); i++) {
        PyObject *value = PyLong_FromLongLong((long long)numbers[i].value);
        if (!value || PyDict_SetItemString(dict, numbers[i].name, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    object->is_busy = 0;
    return dict;
}

/* Return the peak since the last call: (bytes, number of events applied until then, time in ns). */
static PyObject *take_peak(PyObject *self, PyObject *args) {
    struct sg_replay_object *object = sg_claim(self);
    if (!object)
        return NULL;
    struct sg_replay *replay = &object->replay;
    PyObject *peak =
        Py_BuildValue("KKL", (unsigned long long)replay->peak_bytes,
                      (unsigned long long)replay->peak_event, (long long)replay->peak_ns);
    replay->peak_bytes = sg_replay_bytes(replay);
    replay->peak_event = replay->n_events;
    replay->peak_ns = replay->time_ns;
    object->is_busy = 0;
    return peak;
}

/* Merge the sorted blocks in `rows` and the live start blocks that reach into the addresses from
 * `low` to `high`, by address, into `merged` (struct sg_block). Returns 0, or -1: memory is short.
 */
static int merge_start(const struct sg_replay *replay, const struct sg_vector *rows, uint64_t low,
                       uint64_t high, struct sg_vector *merged) {
    const struct sg_start *start = replay->blocks.start;
    const uint32_t *row = (const uint32_t *)(const void *)rows->data;
    uint64_t reach = 1 << SG_GRANULE_BITS;
    size_t at = sg_start_lower(start, low > reach ? low - reach : 0),
           end = sg_start_lower(start, high);
    if (sg_reserve(merged, rows->n, sizeof(struct sg_block)) < 0)
        return -1;
    for (size_t i = 0; i < rows->n || at < end;) {
        const struct sg_block *own = i < rows->n ? sg_block_at(&replay->blocks, row[i]) : NULL;
        struct sg_block block;
        if (at < end && (!own || sg_start_row(start, at)->address < own->address)) {
            const struct sg_start_block *old = sg_start_row(start, at);
            block = sg_start_block_at(start, (uint32_t)at++);
            if (!sg_start_is_live(old, replay->n_events) || old->address + old->size <= low)
                continue;
        } else {
            block = *own;
            i++;
        }
        if (sg_reserve(merged, 1, sizeof block) < 0)
            return -1;
        ((struct sg_block *)(void *)merged->data)[merged->n++] = block;
    }
    return 0;
}

static PyObject *live(PyObject *self, PyObject *args) {
    static const struct sg_row_field fields[] = {
        {"address", SG_U64, offsetof(struct sg_block, address), 8},
        {"size", SG_U64, offsetof(struct sg_block, size), 8},
        {"stack", SG_U32, offsetof(struct sg_block, stack), 4},
        {"type", SG_U32, offsetof(struct sg_block, type), 4},
        {"birth_ns", SG_I64, offsetof(struct sg_block, birth_ns), 8},
        {"birth_event", SG_I64, offsetof(struct sg_block, birth_event), 8},
        {"tid", SG_U32, offsetof(struct sg_block, tid), 4},
        {"domain", SG_BYTES, offsetof(struct sg_block, domain), 1},
    };
    unsigned int space;
    unsigned long long low, high;
    int is_own;
    struct sg_vector rows = {0}, flags = {0}, merged = {0};
    if (!PyArg_ParseTuple(args, "IKKp:live", &space, &low, &high, &is_own))
        return NULL;
    struct sg_replay_object *object = sg_claim(self);
    if (!object)
        return NULL;
    PyThreadState *state = PyEval_SaveThread();
    int result =
        space < SG_SPACES ? sg_sort_rows(&object->replay.blocks, space, low, high, &rows) : -2;
    const uint32_t *row = (const uint32_t *)(const void *)rows.data;
    const struct sg_block *blocks = sg_block_at(&object->replay.blocks, 0);
    size_t n = rows.n;
    if (result == 0 && space == SG_SPACE_OBJECT && !is_own && object->replay.blocks.start) {
        result = merge_start(&object->replay, &rows, low, high, &merged);
        row = NULL; /* all of them */
        blocks = (const struct sg_block *)(const void *)merged.data;
        n = merged.n;
    }
    if (result == 0 && sg_reserve(&flags, n, 1) < 0)
        result = -1;
    for (; result == 0 && flags.n < n; flags.n++)
        flags.data[flags.n] =
            (char)(sg_replay_flags(&object->replay, &blocks[row ? row[flags.n] : flags.n]) &
                   (SG_BORN_BEFORE | SG_RECYCLED | SG_UNCERTAIN));
    PyEval_RestoreThread(state);
    PyObject *module = PyType_GetModule(Py_TYPE(self)), *dict = NULL;
    if (result == 0)
        dict =
            sg_export_rows(module, fields, COUNT(fields), blocks, sizeof(struct sg_block), row, n);
    if (dict && sg_export_into(module, dict, "flags", &flags, SG_BYTES) < 0)
        Py_CLEAR(dict);
    sg_settle(object, result, "there is no such space");
    sg_release(&rows);
    sg_release(&flags);
    sg_release(&merged);
    return dict;
}

static PyMethodDef methods[] = {
    {"begin_from", sg_replay_begin_from, METH_VARARGS, "Use start blocks."},
    {"apply", apply, METH_VARARGS, "Apply events to the live blocks."},
    {"counters", counters, METH_NOARGS, "Return the counts of blocks, events and losses."},
    {"take_peak", take_peak, METH_NOARGS, "Return the peak since the last call."},
    {"pack", sg_replay_pack, METH_NOARGS, "Pack a checkpoint."},
    {"load", sg_replay_load, METH_VARARGS, "Replace all blocks by those of a checkpoint."},
    {"pack_delta", sg_replay_pack_delta, METH_NOARGS, "Pack the changes since the last pack."},
    {"apply_delta", sg_replay_apply_delta, METH_VARARGS, "Apply packed changes."},
    {"live", live, METH_VARARGS, "List live blocks in a range of addresses."},
    {"sum_live", sg_replay_sum_live, METH_NOARGS, "Sum live objects by stack and type."},
    {"resolve", sg_replay_resolve, METH_VARARGS, "Set the types of live blocks without one."},
    {"begin_map", sg_replay_begin_map, METH_VARARGS, "Begin to draw a heap map."},
    {"end_map", sg_replay_end_map, METH_NOARGS, "Finish the heap map."},
    {"take_sites", sg_replay_take_sites, METH_NOARGS, "Return the sums by site."},
    {"take_site_step", sg_replay_take_site_step, METH_NOARGS,
     "Return the allocations by site since the last call."},
    {"take_rates", sg_replay_take_rates, METH_NOARGS, "Return allocations by bin and type."},
    {"count_lines", sg_replay_count_lines, METH_VARARGS, "Count allocations by line, too."},
    {"take_line_rates", sg_replay_take_line_rates, METH_NOARGS,
     "Return allocations by bin and line."},
    {"take_lifetimes", sg_replay_take_lifetimes, METH_NOARGS, "Return freed blocks by lifetime."},
    {"take_proofs", sg_replay_take_proofs, METH_NOARGS,
     "Return the types that were proven since the last call."},
    {"take_wide", sg_replay_take_wide, METH_VARARGS, "Return ended objects of over 16 KiB."},
    {"take_step", sg_replay_take_step, METH_VARARGS, "Return a step of the granule log."},
    {"list_granules", sg_replay_list_granules, METH_NOARGS, "Return the numbers of granules."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot replay_slots[] = {
    {Py_tp_new, replay_new},
    {Py_tp_dealloc, replay_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec replay_spec = {
    .name = "stackglass_viewer.native._loops.Replay",
    .basicsize = sizeof(struct sg_replay_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = replay_slots,
};

int sg_add_replay_type(PyObject *module) {
    PyObject *type = PyType_FromModuleAndSpec(module, &replay_spec, NULL);
    int result = type ? PyModule_AddObjectRef(module, "Replay", type) : -1;
    Py_XDECREF(type);
    return result;
}
