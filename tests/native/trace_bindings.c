/* The memory trace for tests: its event blocks, made of columns, and its begin and end. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "platform/lz4.h"
#include "trace/block.h"
#include "trace/lanes.h"
#include "trace/native.h"
#include "trace/reader.h"
#include "trace/trace.h"
#include "values.h"

enum { N_COLUMNS = 9 };

static uint32_t keep_number(void *context, uint32_t number) { return number; }

/* One item of a column of `width` bytes. */
static uint64_t item_of(const char *column, Py_ssize_t width, Py_ssize_t i) {
    uint64_t value = 0;
    memcpy(&value, column + i * width, (size_t)width);
    return value;
}

/* Add a lane of events; -1 with an error set. */
static int add_lane(PyObject *lane, struct sg_trace_columns *encoder, struct sg_trace_block *block,
                    long long base_ns) {
    const char *columns[N_COLUMNS];
    static const Py_ssize_t WIDTHS[N_COLUMNS] = {1, 8, 4, 8, 8, 4, 4, 1, 8};
    Py_ssize_t sizes[N_COLUMNS];
    int is_timed;
    if (!PyArg_ParseTuple(lane, "py#y#y#y#y#y#y#y#y#", &is_timed, &columns[0], &sizes[0],
                          &columns[1], &sizes[1], &columns[2], &sizes[2], &columns[3], &sizes[3],
                          &columns[4], &sizes[4], &columns[5], &sizes[5], &columns[6], &sizes[6],
                          &columns[7], &sizes[7], &columns[8], &sizes[8]))
        return -1;
    Py_ssize_t n = sizes[0];
    for (int i = 0; i < N_COLUMNS; i++)
        if (sizes[i] != n * WIDTHS[i] || n > SG_TRACE_BLOCK_EVENTS) {
            PyErr_SetString(PyExc_ValueError, "columns differ in length");
            return -1;
        }
    sg_trace_columns_begin(encoder, base_ns, is_timed);
    for (Py_ssize_t i = 0; i < n; i++) {
        uint64_t values[N_COLUMNS];
        for (int column = 0; column < N_COLUMNS; column++)
            values[column] = item_of(columns[column], WIDTHS[column], i);
        sg_trace_columns_add(encoder, &(struct sg_trace_event){
                                          .kind = (uint8_t)values[0],
                                          .time_ns = (int64_t)values[1],
                                          .tid = (uint32_t)values[2],
                                          .address = values[3],
                                          .size = values[4],
                                          .stack = (uint32_t)values[5],
                                          .type = (uint32_t)values[6],
                                          .domain = (uint8_t)values[7],
                                          .other = values[8],
                                      });
    }
    if (sg_trace_block_add(block, encoder))
        return 0;
    PyErr_NoMemory();
    return -1;
}

static PyObject *encode_event_block(PyObject *self, PyObject *args) {
    PyObject *lanes;
    long long base_ns;
    struct sg_trace_columns encoder;
    struct sg_trace_block block = {0};
    struct sg_trace_payload payload = {0};
    const struct sg_trace_numbers numbers = {keep_number, keep_number, NULL};
    if (!PyArg_ParseTuple(args, "LO!", &base_ns, &PyTuple_Type, &lanes))
        return NULL;
    struct sg_lz4_table *table = malloc(sizeof *table);
    if (!table || sg_trace_columns_prepare(&encoder)) {
        free(table);
        return PyErr_NoMemory();
    }
    PyObject *result = NULL;
    int failed = 0;
    sg_trace_block_begin(&block, base_ns);
    for (Py_ssize_t i = 0; !failed && i < PyTuple_Size(lanes); i++)
        failed = add_lane(PyTuple_GetItem(lanes, i), &encoder, &block, base_ns);
    if (!failed && !sg_trace_block_pack(&block, &numbers, table, &payload))
        PyErr_NoMemory();
    else if (!failed)
        result = Py_BuildValue("y#IILL", payload.bytes.bytes, (Py_ssize_t)payload.bytes.size,
                               payload.packing, payload.raw_bytes, (long long)block.first_ns,
                               (long long)block.last_ns);
    sg_encoder_buffer_free(&payload.bytes);
    sg_trace_block_free(&block);
    sg_trace_columns_discard(&encoder);
    free(table);
    return result;
}

static PyObject *pack_lz4(PyObject *self, PyObject *args) {
    const char *bytes;
    Py_ssize_t size, capacity;
    if (!PyArg_ParseTuple(args, "y#n", &bytes, &size, &capacity))
        return NULL;
    struct sg_lz4_table *table = malloc(sizeof *table);
    uint8_t *packed = malloc((size_t)capacity + 1);
    PyObject *result = NULL;
    if (table && packed) {
        size_t n = sg_lz4_pack(table, (const uint8_t *)(const void *)bytes, (size_t)size, packed,
                               (size_t)capacity);
        result = PyBytes_FromStringAndSize((const char *)(const void *)packed, (Py_ssize_t)n);
    } else {
        PyErr_NoMemory();
    }
    free(table);
    free(packed);
    return result;
}

/* Words are written up to the end of a buffer, an end is set there, and one more is written. */
static PyObject *take_words_up_to_an_end(PyObject *self, PyObject *args) {
    struct sg_trace_lane *lane = &sg_trace_lanes[0];
    struct sg_trace_place start = {0}, end = {0};
    uint32_t n, n_taken = 0;
    if (sg_trace_lanes_prepare(16))
        return PyErr_NoMemory();
    for (uint32_t i = 0; i <= SG_BUFFER_WORDS; i++) {
        if (i == SG_BUFFER_WORDS && sg_trace_lanes_peek(lane, &end, true, &n))
            end.n_words += n;
        uint64_t *word = sg_trace_lanes_reserve(lane, 1);
        *word = i;
        sg_trace_lanes_publish(lane, 1);
    }
    while (sg_trace_lanes_take(lane, &start, &end, &n)) {
        n_taken += n;
        start.n_words += n;
    }
    sg_trace_lanes_discard();
    lane->buffer = NULL;
    return Py_BuildValue("II", n_taken, SG_BUFFER_WORDS);
}

/* Reserve `n` words in a lane that has lost events of all domains. */
static PyObject *reserve_after_losses(PyObject *self, PyObject *args) {
    struct sg_trace_lane *lane = &sg_trace_lanes[0];
    unsigned n;
    if (!PyArg_ParseTuple(args, "I", &n))
        return NULL;
    if (sg_trace_lanes_prepare(16))
        return PyErr_NoMemory();
    for (unsigned domain = 0; domain < SG_TRACE_N_DOMAINS; domain++)
        sg_trace_lanes_lose(lane, (enum sg_trace_domain)domain);
    const uint64_t *words = sg_trace_lanes_reserve(lane, n);
    Py_ssize_t at = words ? words - lane->buffer->words : -1;
    sg_trace_lanes_discard();
    lane->buffer = NULL;
    return PyLong_FromSsize_t(at);
}

static PyObject *trace_begin(PyObject *self, PyObject *args) {
    long long start_mono_ns;
    if (!PyArg_ParseTuple(args, "L", &start_mono_ns))
        return NULL;
    return sg_values_text(sg_trace_begin(start_mono_ns, 16));
}

static PyObject *trace_end(PyObject *self, PyObject *args) {
    sg_trace_end();
    return PyBool_FromLong(sg_trace_discard());
}

/* A lane that no thread has is busy, as if its thread had lost its processor inside a hook. */
static PyObject *trace_hold_lane(PyObject *self, PyObject *args) {
    int is_busy;
    if (!PyArg_ParseTuple(args, "p", &is_busy))
        return NULL;
    atomic_store(&sg_trace_lanes[SG_N_LANES - 1].is_busy, is_busy != 0);
    return sg_values_none();
}

static PyObject *trace_settle(PyObject *self, PyObject *args) {
    return PyBool_FromLong(sg_trace_settle());
}

/* ---- Native blocks ---- */

static PyObject *trace_set_native(PyObject *self, PyObject *args) {
    int is_on;
    if (!PyArg_ParseTuple(args, "p", &is_on))
        return NULL;
    sg_trace_native_set_recording(is_on);
    return sg_values_none();
}

static PyObject *trace_native_alloc(PyObject *self, PyObject *args) {
    unsigned long long address, size;
    if (!PyArg_ParseTuple(args, "KK", &address, &size))
        return NULL;
    sg_trace_native_alloc(SG_TRACE_NATIVE, (const void *)(uintptr_t)address, (size_t)size);
    return sg_values_none();
}

static PyObject *trace_native_free(PyObject *self, PyObject *args) {
    unsigned long long address;
    if (!PyArg_ParseTuple(args, "K", &address))
        return NULL;
    sg_trace_native_free(SG_TRACE_NATIVE, (const void *)(uintptr_t)address);
    return sg_values_none();
}

/* Read the next block of the trace. */
static PyObject *trace_fill(PyObject *self, PyObject *args) {
    struct sg_trace_block block = {0};
    struct sg_trace_payload payload = {0};
    const struct sg_trace_numbers numbers = {keep_number, keep_number, NULL};
    struct sg_lz4_table *table = malloc(sizeof *table);
    bool is_all = sg_trace_reader_fill(&block);
    PyObject *result = NULL;
    if (!table || !sg_trace_block_pack(&block, &numbers, table, &payload))
        PyErr_NoMemory();
    else
        result = Py_BuildValue("y#IINN", payload.bytes.bytes, (Py_ssize_t)payload.bytes.size,
                               payload.packing, payload.raw_bytes, PyBool_FromLong(is_all),
                               PyBool_FromLong(sg_trace_reader_has_loss()));
    sg_encoder_buffer_free(&payload.bytes);
    sg_trace_block_free(&block);
    free(table);
    return result;
}

PyMethodDef sg_trace_bindings[] = {
    {"trace_set_native", trace_set_native, METH_VARARGS, "see _core_testing.pyi"},
    {"trace_native_alloc", trace_native_alloc, METH_VARARGS, "see _core_testing.pyi"},
    {"trace_native_free", trace_native_free, METH_VARARGS, "see _core_testing.pyi"},
    {"trace_fill", trace_fill, METH_NOARGS, "see _core_testing.pyi"},
    {"trace_begin", trace_begin, METH_VARARGS, "see _core_testing.pyi"},
    {"trace_end", trace_end, METH_NOARGS, "see _core_testing.pyi"},
    {"trace_hold_lane", trace_hold_lane, METH_VARARGS, "see _core_testing.pyi"},
    {"trace_settle", trace_settle, METH_NOARGS, "see _core_testing.pyi"},
    {"encode_event_block", encode_event_block, METH_VARARGS, "see _core_testing.pyi"},
    {"take_words_up_to_an_end", take_words_up_to_an_end, METH_NOARGS, "see _core_testing.pyi"},
    {"reserve_after_losses", reserve_after_losses, METH_VARARGS, "see _core_testing.pyi"},
    {"pack_lz4", pack_lz4, METH_VARARGS, "see _core_testing.pyi"},
    {NULL, NULL, 0, NULL},
};
