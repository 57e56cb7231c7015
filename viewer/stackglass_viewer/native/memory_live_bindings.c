/* Python bindings that sum the live objects of a replay and complete their types. */
#include <stddef.h>
#include <stdlib.h>

#include "memory_bindings.h"

/* Distance at which the slot and the row of a block are prefetched, in blocks. */
enum { SLOT_AHEAD = 32, ROW_AHEAD = 16 };

/* Live objects of one stack and type. */
struct live_site {
    uint32_t stack, type;
    int64_t n, bytes;
};

/* Sum live objects by stack and type: in tables[1] those born before the trace, in tables[0] all
 * others. Returns 0, or -1 if memory is short. */
static int sum_blocks(const struct sg_blocks *blocks, struct sg_table *tables) {
    for (size_t row = 1; row < blocks->rows.n; row++) {
        const struct sg_block *block = sg_block_at(blocks, (uint32_t)row);
        if (!block->is_used || block->space != SG_SPACE_OBJECT)
            continue;
        struct sg_table *table = &tables[block->flags & SG_BORN_BEFORE ? 1 : 0];
        struct live_site *site = sg_table_find(table, block->stack, block->type);
        if (!site)
            return -1;
        site->n++;
        site->bytes += (int64_t)block->size;
    }
    return 0;
}

static int sum_start(const struct sg_replay *replay, struct sg_table *table) {
    const struct sg_start *start = replay->blocks.start;
    const struct sg_start_site *sites =
        (const struct sg_start_site *)(void *)start->sites.items.data;
    size_t n = start->sites.items.n;
    struct sg_start_sum *sums = malloc((n + 1) * sizeof *sums);
    int result = sums ? 0 : -1;
    if (sums)
        sg_start_sum(start, replay->n_events, sums);
    for (size_t i = 0; i < n && result == 0; i++) {
        struct live_site *site =
            sums[i].n ? sg_table_find(table, sites[i].stack, sites[i].type) : NULL;
        if (site) {
            site->n += sums[i].n;
            site->bytes += sums[i].bytes;
        } else if (sums[i].n) {
            result = -1;
        }
    }
    free(sums);
    return result;
}

PyObject *sg_replay_sum_live(PyObject *self, PyObject *args) {
    static const struct sg_row_field fields[] = {
        {"stack", SG_U32, offsetof(struct live_site, stack), 4},
        {"type", SG_U32, offsetof(struct live_site, type), 4},
        {"n", SG_I64, offsetof(struct live_site, n), 8},
        {"bytes", SG_I64, offsetof(struct live_site, bytes), 8},
    };
    struct sg_replay_object *object = sg_claim(self);
    if (!object)
        return NULL;
    struct sg_table tables[2];
    for (int i = 0; i < 2; i++)
        tables[i] = (struct sg_table){.width = sizeof(struct live_site),
                                      .seed = object->replay.blocks.seed};
    PyThreadState *state = PyEval_SaveThread();
    int result = sum_blocks(&object->replay.blocks, tables);
    if (result == 0 && object->replay.blocks.start)
        result = sum_start(&object->replay, &tables[1]);
    PyEval_RestoreThread(state);
    PyObject *module = PyType_GetModule(Py_TYPE(self)), *sums[2] = {NULL, NULL};
    if (sg_settle(object, result, "") == 0)
        for (int i = 0; i < 2; i++)
            sums[i] =
                sg_export_rows(module, fields, sizeof fields / sizeof *fields, tables[i].items.data,
                               sizeof(struct live_site), NULL, tables[i].items.n);
    for (int i = 0; i < 2; i++)
        sg_table_free(&tables[i]);
    if (sums[0] && sums[1])
        return Py_BuildValue("NN", sums[0], sums[1]);
    Py_XDECREF(sums[0]);
    Py_XDECREF(sums[1]);
    return NULL;
}

/* Set the types of live blocks that have none. The arguments are columns of address, birth event
 * and type, which events after the replay's current one have proven. */
PyObject *sg_replay_resolve(PyObject *self, PyObject *args) {
    PyObject *objects[3];
    struct sg_array arrays[3] = {0};
    if (!PyArg_ParseTuple(args, "OOO:resolve", &objects[0], &objects[1], &objects[2]))
        return NULL;
    struct sg_replay_object *object = sg_claim(self);
    if (!object)
        return NULL;
    int is_fitting = sg_view(objects[0], SG_U64, 0, "address", &arrays[0]) == 0 &&
                     sg_view(objects[1], SG_I64, 0, "birth_event", &arrays[1]) == 0 &&
                     sg_view(objects[2], SG_U32, 0, "type", &arrays[2]) == 0;
    if (is_fitting && (arrays[0].n != arrays[1].n || arrays[0].n != arrays[2].n)) {
        PyErr_SetString(PyExc_ValueError, "columns differ in length");
        is_fitting = 0;
    }
    const uint64_t *address = arrays[0].buffer.buf;
    const int64_t *birth_event = arrays[1].buffer.buf;
    const uint32_t *type = arrays[2].buffer.buf;
    const struct sg_blocks *blocks = &object->replay.blocks;
    for (size_t i = 0; is_fitting && i < arrays[0].n; i++) {
        if (i + SLOT_AHEAD < arrays[0].n)
            sg_blocks_prefetch(blocks, SG_SPACE_OBJECT, address[i + SLOT_AHEAD]);
        if (i + ROW_AHEAD < arrays[0].n)
            sg_blocks_prefetch_row(blocks, SG_SPACE_OBJECT, address[i + ROW_AHEAD]);
        uint32_t row = sg_blocks_find(&object->replay.blocks, SG_SPACE_OBJECT, address[i]);
        struct sg_block *block = row ? sg_block_at(&object->replay.blocks, row) : NULL;
        if (block && !block->type && !(block->flags & SG_RECYCLED) &&
            block->birth_event == (uint64_t)birth_event[i]) {
            block->type = type[i];
            block->flags |= SG_TYPED_LATER;
        }
    }
    sg_drop(arrays, 3);
    object->is_busy = 0;
    if (!is_fitting)
        return NULL;
    Py_RETURN_NONE;
}
