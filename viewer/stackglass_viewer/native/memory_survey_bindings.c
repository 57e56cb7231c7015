/* Python bindings of a replay's survey. */
#include <stddef.h>
#include <string.h>

#include "memory_bindings.h"
#include "memory_granules.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FIELD(type, member, name, kind, width)                                                     \
    { name, kind, offsetof(struct type, member), width }

/* Return the replay of a method's self, claimed for this thread. Returns NULL with an error set if
 * another thread uses it or if it has no survey. */
static struct sg_replay_object *claim_survey(PyObject *self) {
    struct sg_replay_object *object = sg_claim(self);
    if (object && !object->replay.survey) {
        object->is_busy = 0;
        PyErr_SetString(PyExc_ValueError, "this replay has no survey");
        return NULL;
    }
    return object;
}

static PyObject *export_vector(PyObject *self, const struct sg_row_field *fields, size_t n_fields,
                               const struct sg_vector *vector, size_t stride) {
    return sg_export_rows(PyType_GetModule(Py_TYPE(self)), fields, n_fields, vector->data, stride,
                          NULL, vector->n);
}

#define SITE(member, kind, width) FIELD(sg_site, member, #member, kind, width)
#define DEAD(n)                                                                                    \
    {"n_dead_" #n, SG_I64, offsetof(struct sg_site, n_dead) + 8 * (n), 8}, {                       \
        "bytes_dead_" #n, SG_I64, offsetof(struct sg_site, bytes_dead) + 8 * (n), 8                \
    }

PyObject *sg_replay_take_sites(PyObject *self, PyObject *args) {
    static const struct sg_row_field fields[] = {
        SITE(stack, SG_U32, 4),
        SITE(type, SG_U32, 4),
        SITE(n, SG_I64, 8),
        SITE(bytes, SG_I64, 8),
        DEAD(0),
        DEAD(1),
        DEAD(2),
        DEAD(3),
        DEAD(4),
        DEAD(5),
        DEAD(6),
        DEAD(7),
    };
    struct sg_replay_object *object = claim_survey(self);
    if (!object)
        return NULL;
    PyObject *dict = export_vector(self, fields, COUNT(fields), &object->survey.sites.items,
                                   sizeof(struct sg_site));
    object->is_busy = 0;
    return dict;
}

PyObject *sg_replay_take_site_step(PyObject *self, PyObject *args) {
    static const struct sg_row_field fields[] = {
        SITE(stack, SG_U32, 4),
        SITE(type, SG_U32, 4),
        SITE(n_since, SG_I64, 8),
        SITE(bytes_since, SG_I64, 8),
    };
    struct sg_replay_object *object = claim_survey(self);
    struct sg_vector rows = {0};
    if (!object)
        return NULL;
    struct sg_site *sites = (struct sg_site *)(void *)object->survey.sites.items.data;
    size_t n_sites = object->survey.sites.items.n;
    if (sg_reserve(&rows, n_sites, sizeof(uint32_t)) < 0) {
        sg_settle(object, -1, "");
        return NULL;
    }
    uint32_t *row = (uint32_t *)(void *)rows.data;
    for (size_t i = 0; i < n_sites; i++)
        if (sites[i].n_since)
            row[rows.n++] = (uint32_t)i;
    PyObject *dict = sg_export_rows(PyType_GetModule(Py_TYPE(self)), fields, COUNT(fields), sites,
                                    sizeof *sites, row, rows.n);
    for (size_t i = 0; dict && i < n_sites; i++)
        sites[i].n_since = sites[i].bytes_since = 0;
    sg_release(&rows);
    object->is_busy = 0;
    return dict;
}

static PyObject *export_rates(PyObject *self, const struct sg_table *rates, const char *key) {
    const struct sg_row_field fields[] = {
        FIELD(sg_rate, bin, "bin", SG_U32, 4),
        FIELD(sg_rate, key, key, SG_U32, 4),
        FIELD(sg_rate, n, "n", SG_I64, 8),
        FIELD(sg_rate, bytes, "bytes", SG_I64, 8),
    };
    return export_vector(self, fields, COUNT(fields), &rates->items, sizeof(struct sg_rate));
}

PyObject *sg_replay_take_rates(PyObject *self, PyObject *args) {
    struct sg_replay_object *object = claim_survey(self);
    if (!object)
        return NULL;
    PyObject *dict = export_rates(self, &object->survey.rates, "type");
    object->is_busy = 0;
    return dict;
}

PyObject *sg_replay_take_line_rates(PyObject *self, PyObject *args) {
    struct sg_replay_object *object = claim_survey(self);
    if (!object)
        return NULL;
    PyObject *dict = export_rates(self, &object->survey.lines, "line");
    object->is_busy = 0;
    return dict;
}

PyObject *sg_replay_count_lines(PyObject *self, PyObject *args) {
    PyObject *lines;
    unsigned int n_joined;
    if (!PyArg_ParseTuple(args, "OI:count_lines", &lines, &n_joined))
        return NULL;
    if (!n_joined) {
        PyErr_SetString(PyExc_ValueError, "no bins of time are joined");
        return NULL;
    }
    struct sg_replay_object *object = claim_survey(self);
    if (!object)
        return NULL;
    struct sg_array line_of = {0};
    if (sg_view(lines, SG_U32, 0, "line_of", &line_of) < 0) {
        sg_drop(&line_of, 1);
        object->is_busy = 0;
        return NULL;
    }
    int result = sg_survey_lines(&object->survey, line_of.buffer.buf, line_of.n, n_joined);
    sg_drop(&line_of, 1);
    if (sg_settle(object, result, "") < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *sg_replay_take_lifetimes(PyObject *self, PyObject *args) {
    static const struct sg_row_field fields[] = {
        {"n", SG_I64, offsetof(struct sg_survey, n_lifetimes), 8},
        {"bytes", SG_I64, offsetof(struct sg_survey, bytes_lifetimes), 8},
    };
    struct sg_replay_object *object = claim_survey(self);
    if (!object)
        return NULL;
    PyObject *dict = sg_export_rows(PyType_GetModule(Py_TYPE(self)), fields, COUNT(fields),
                                    &object->survey, 8, NULL, SG_LIFETIME_CLASSES);
    uint64_t n = object->survey.n_ended_before, bytes = object->survey.bytes_ended_before;
    object->is_busy = 0;
    if (!dict)
        return NULL;
    return Py_BuildValue("N(KK)", dict, (unsigned long long)n, (unsigned long long)bytes);
}

PyObject *sg_replay_take_proofs(PyObject *self, PyObject *args) {
    static const struct sg_row_field fields[] = {
        FIELD(sg_proof, address, "address", SG_U64, 8),
        FIELD(sg_proof, birth_event, "birth_event", SG_I64, 8),
        FIELD(sg_proof, since_event, "since_event", SG_I64, 8),
        FIELD(sg_proof, type, "type", SG_U64, 8),
    };
    struct sg_replay_object *object = claim_survey(self);
    if (!object)
        return NULL;
    PyObject *dict =
        export_vector(self, fields, COUNT(fields), &object->survey.proofs, sizeof(struct sg_proof));
    if (dict)
        object->survey.proofs.n = 0;
    object->is_busy = 0;
    return dict;
}

/* Add the wide objects that live at the end of the trace to the survey's list. Returns 0, or -1 if
 * memory is short. */
static int add_living(struct sg_replay_object *object) {
    struct sg_blocks *blocks = &object->replay.blocks;
    for (size_t row = 1; row < blocks->rows.n; row++) {
        const struct sg_block *block = sg_block_at(blocks, (uint32_t)row);
        if (!block->is_used || block->space != SG_SPACE_OBJECT || block->size <= SG_GRANULE_BYTES)
            continue;
        struct sg_wide wide = {block->address, block->size, block->birth_ns,
                               INT64_MAX,      block->type, block->stack};
        if (sg_reserve(&object->survey.wide, 1, sizeof wide) < 0)
            return -1;
        ((struct sg_wide *)(void *)object->survey.wide.data)[object->survey.wide.n++] = wide;
    }
    return 0;
}

PyObject *sg_replay_take_wide(PyObject *self, PyObject *args) {
    static const struct sg_row_field fields[] = {
        FIELD(sg_wide, address, "address", SG_U64, 8),
        FIELD(sg_wide, size, "size", SG_U64, 8),
        FIELD(sg_wide, birth_ns, "birth_ns", SG_I64, 8),
        FIELD(sg_wide, death_ns, "death_ns", SG_I64, 8),
        FIELD(sg_wide, type, "type", SG_U32, 4),
        FIELD(sg_wide, stack, "stack", SG_U32, 4),
    };
    int is_last;
    if (!PyArg_ParseTuple(args, "p:take_wide", &is_last))
        return NULL;
    struct sg_replay_object *object = claim_survey(self);
    if (!object)
        return NULL;
    if (is_last && add_living(object) < 0) {
        sg_settle(object, -1, "");
        return NULL;
    }
    PyObject *dict =
        export_vector(self, fields, COUNT(fields), &object->survey.wide, sizeof(struct sg_wide));
    if (dict)
        object->survey.wide.n = 0;
    object->is_busy = 0;
    return dict;
}

/* take_step(patience, is_key): return a step of the granule log, or None if more than `patience`
 * granules have changed, so that the caller can wait. */
PyObject *sg_replay_take_step(PyObject *self, PyObject *args) {
    unsigned long long patience;
    int is_key;
    if (!PyArg_ParseTuple(args, "Kp:take_step", &patience, &is_key))
        return NULL;
    struct sg_replay_object *object = claim_survey(self);
    struct sg_granule_step step = {0};
    if (!object)
        return NULL;
    struct sg_blocks *blocks = &object->replay.blocks;
    if (sg_granules_count_dirty(blocks) > patience) {
        object->is_busy = 0;
        Py_RETURN_NONE;
    }
    PyThreadState *state = PyEval_SaveThread();
    int result = sg_granules_drain(blocks, object->replay.n_events, is_key, &step);
    PyEval_RestoreThread(state);
    object->survey.last_step = object->replay.n_events;
    PyObject *module = PyType_GetModule(Py_TYPE(self)), *dict = NULL;
    if (sg_settle(object, result, "") == 0)
        dict = PyDict_New();
    if (dict && (sg_export_into(module, dict, "granule", &step.granule, SG_U32) < 0 ||
                 sg_export_into(module, dict, "bytes", &step.bytes, SG_I64) < 0 ||
                 sg_export_into(module, dict, "type", &step.type, SG_U32) < 0 ||
                 sg_export_into(module, dict, "stack", &step.stack, SG_U32) < 0 ||
                 sg_export_into(module, dict, "size_class", &step.size_class, SG_U32) < 0 ||
                 sg_export_into(module, dict, "birth_ns", &step.birth_ns, SG_I64) < 0))
        Py_CLEAR(dict);
    sg_granules_free(&step);
    return dict;
}

PyObject *sg_replay_list_granules(PyObject *self, PyObject *args) {
    static const struct sg_row_field fields[] = {FIELD(sg_granule, number, "number", SG_U64, 8)};
    struct sg_replay_object *object = sg_claim(self);
    if (!object)
        return NULL;
    PyObject *dict = export_vector(self, fields, COUNT(fields), &object->replay.blocks.granules,
                                   sizeof(struct sg_granule));
    object->is_busy = 0;
    return dict;
}
