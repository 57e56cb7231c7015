/* What the bindings of memory traces share: the replay object, and the export of rows. */
#ifndef SG_MEMORY_BINDINGS_H
#define SG_MEMORY_BINDINGS_H

#include "bindings.h"
#include "memory_replay.h"

struct sg_replay_object {
    PyObject base;
    struct sg_replay replay;
    struct sg_survey survey;
    struct sg_raster raster;
    struct sg_changes changes;
    PyObject *start;         /* StartBlocks; owned; NULL = none */
    struct sg_array held[6]; /* arrays that the raster uses while it is drawn */
    int is_ready;            /* `replay.blocks` is initialized */
    int is_busy;             /* a thread uses the replay without the GIL */
};

/* A column of exported rows. */
struct sg_row_field {
    const char *name;
    enum sg_kind kind;
    size_t offset, width; /* bytes: place of the number in a row; its size, 1, 4 or 8 */
};

/* Return a dict with a column for each field of `n` rows of `stride` bytes, or NULL with an error
 * set. `rows` has the numbers of the rows; NULL = the first `n` rows in their order. */
PyObject *sg_export_rows(PyObject *module, const struct sg_row_field *fields, size_t n_fields,
                         const void *data, size_t stride, const uint32_t *rows, size_t n);

/* Return the replay of a method's self and mark it as busy. Returns NULL with an error set if
 * another thread uses it. */
struct sg_replay_object *sg_claim(PyObject *self);
/* Release a claimed replay and set an error if `result` is negative: MemoryError for -1, ValueError
 * with `text` for less. Returns `result`. */
int sg_settle(struct sg_replay_object *object, int result, const char *text);

/* Methods of replays that are defined in other files. */
PyObject *sg_replay_begin_from(PyObject *self, PyObject *args);
PyObject *sg_replay_sum_live(PyObject *self, PyObject *args);
PyObject *sg_replay_resolve(PyObject *self, PyObject *args);
PyObject *sg_replay_begin_map(PyObject *self, PyObject *args);
PyObject *sg_replay_end_map(PyObject *self, PyObject *args);
PyObject *sg_replay_take_sites(PyObject *self, PyObject *args);
PyObject *sg_replay_take_site_step(PyObject *self, PyObject *args);
PyObject *sg_replay_take_rates(PyObject *self, PyObject *args);
PyObject *sg_replay_count_lines(PyObject *self, PyObject *args);
PyObject *sg_replay_take_line_rates(PyObject *self, PyObject *args);
PyObject *sg_replay_take_lifetimes(PyObject *self, PyObject *args);
PyObject *sg_replay_take_proofs(PyObject *self, PyObject *args);
PyObject *sg_replay_take_wide(PyObject *self, PyObject *args);
PyObject *sg_replay_take_step(PyObject *self, PyObject *args);
PyObject *sg_replay_list_granules(PyObject *self, PyObject *args);

PyObject *sg_replay_pack(PyObject *self, PyObject *args);
PyObject *sg_replay_load(PyObject *self, PyObject *args);
PyObject *sg_replay_pack_delta(PyObject *self, PyObject *args);
PyObject *sg_replay_apply_delta(PyObject *self, PyObject *args);

/* Functions of the module that are defined beside these methods. */
PyObject *sg_find_in_checkpoint(PyObject *module, PyObject *args);
PyObject *sg_find_removed(PyObject *module, PyObject *args);

/* Make the type of replays. */
int sg_add_replay_type(PyObject *module);
/* Make the type of start blocks. */
int sg_add_start_type(PyObject *module);

#endif
