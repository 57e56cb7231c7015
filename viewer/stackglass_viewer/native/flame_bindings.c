/* Python bindings of the flame graph's layout, raster and names. */
#include "bindings.h"
#include "glyphs.h"
#include "layout.h"
#include "raster.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static PyObject *export_layout(PyObject *module, struct sg_layout *layout) {
    PyObject *dict = PyDict_New();
    if (dict && (sg_export_into(module, dict, "row_start", &layout->row_start, SG_I32) < 0 ||
                 sg_export_into(module, dict, "left", &layout->left, SG_F64) < 0 ||
                 sg_export_into(module, dict, "right", &layout->right, SG_F64) < 0 ||
                 sg_export_into(module, dict, "node", &layout->node, SG_I32) < 0 ||
                 sg_export_into(module, dict, "box_of_node", &layout->box_of_node, SG_I32) < 0))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *lay_out(PyObject *module, PyObject *args) {
    PyObject *parent, *frame, *size, *rank, *before;
    int is_by_rank;
    struct sg_array a[5] = {0};
    struct sg_layout layout = {0};
    if (!PyArg_ParseTuple(args, "OOOOpO:lay_out", &parent, &frame, &size, &rank, &is_by_rank,
                          &before))
        return NULL;
    if (sg_view(parent, SG_I32, 0, "parent", &a[0]) < 0 ||
        sg_view(frame, SG_I32, 0, "frame", &a[1]) < 0 ||
        sg_view(size, SG_I64, 0, "size", &a[2]) < 0 ||
        sg_view(rank, SG_I32, 0, "rank", &a[3]) < 0 ||
        sg_view(before, SG_I32, 0, "before", &a[4]) < 0) {
        sg_drop(a, COUNT(a));
        return NULL;
    }
    int result = -1;
    PyThreadState *saved = PyEval_SaveThread();
    if (a[0].n == a[1].n && a[0].n == a[2].n && a[0].n < INT32_MAX) {
        struct sg_layout_tree tree = {
            .parent = a[0].buffer.buf,
            .frame = a[1].buffer.buf,
            .size = a[2].buffer.buf,
            .n_nodes = a[0].n,
            .rank = is_by_rank ? a[3].buffer.buf : NULL,
            .n_frames = a[3].n,
            .before = a[4].buffer.buf,
            .n_before = a[4].n,
        };
        result = sg_layout_build(&tree, &layout);
    }
    PyEval_RestoreThread(saved);
    sg_drop(a, COUNT(a));
    PyObject *dict = NULL;
    if (result == 0)
        dict = export_layout(module, &layout);
    else if (result == -2)
        PyErr_NoMemory();
    else
        PyErr_SetString(PyExc_ValueError, "a reference is out of range");
    sg_release(&layout.row_start);
    sg_release(&layout.left);
    sg_release(&layout.right);
    sg_release(&layout.node);
    sg_release(&layout.box_of_node);
    return dict;
}

static int view_boxes(PyObject *const objects[4], struct sg_array a[4], struct sg_boxes *boxes) {
    if (sg_view(objects[0], SG_I32, 0, "row_start", &a[0]) < 0 ||
        sg_view(objects[1], SG_F64, 0, "left", &a[1]) < 0 ||
        sg_view(objects[2], SG_F64, 0, "right", &a[2]) < 0 ||
        sg_view(objects[3], SG_I32, 0, "node", &a[3]) < 0)
        return -1;
    const int32_t *start = a[0].buffer.buf;
    int is_valid = a[0].n > 0 && start[0] == 0 && a[1].n == a[2].n && a[1].n == a[3].n &&
                   (size_t)start[a[0].n - 1] == a[1].n;
    for (size_t i = 1; i < a[0].n && is_valid; i++)
        is_valid = start[i] >= start[i - 1];
    if (!is_valid) {
        PyErr_SetString(PyExc_ValueError, "rows and boxes do not fit together");
        return -1;
    }
    *boxes =
        (struct sg_boxes){start, a[0].n - 1, a[1].buffer.buf, a[2].buffer.buf, a[3].buffer.buf};
    return 0;
}

static PyObject *thin_out(PyObject *module, PyObject *args) {
    PyObject *objects[4];
    double cell;
    struct sg_array a[4] = {0};
    struct sg_boxes boxes;
    struct sg_thinned thinned = {0};
    if (!PyArg_ParseTuple(args, "OOOOd:thin_out", &objects[0], &objects[1], &objects[2],
                          &objects[3], &cell))
        return NULL;
    if (!(cell > 0)) {
        PyErr_SetString(PyExc_ValueError, "a cell without width");
        return NULL;
    }
    if (view_boxes(objects, a, &boxes) < 0) {
        sg_drop(a, COUNT(a));
        return NULL;
    }
    int result;
    PyThreadState *saved = PyEval_SaveThread();
    result = sg_raster_thin_out(&boxes, cell, &thinned);
    PyEval_RestoreThread(saved);
    sg_drop(a, COUNT(a));
    PyObject *dict = result < 0 ? PyErr_NoMemory() : PyDict_New();
    if (dict && (sg_export_into(module, dict, "row_start", &thinned.row_start, SG_I32) < 0 ||
                 sg_export_into(module, dict, "left", &thinned.left, SG_F64) < 0 ||
                 sg_export_into(module, dict, "right", &thinned.right, SG_F64) < 0 ||
                 sg_export_into(module, dict, "node", &thinned.node, SG_I32) < 0))
        Py_CLEAR(dict);
    sg_release(&thinned.row_start);
    sg_release(&thinned.left);
    sg_release(&thinned.right);
    sg_release(&thinned.node);
    return dict;
}

static int check_viewport(const struct sg_viewport *viewport) {
    enum { MAX_PX = 1 << 20 };
    if (viewport->right > viewport->left && viewport->row_height_px > 0 && viewport->width_px > 0 &&
        viewport->height_px > 0 && viewport->row_height_px < MAX_PX &&
        viewport->width_px < MAX_PX && viewport->height_px < MAX_PX)
        return 0;
    PyErr_SetString(PyExc_ValueError, "a viewport without area");
    return -1;
}

static PyObject *fill_rows(PyObject *module, PyObject *args) {
    PyObject *objects[4], *frame, *colours, *image;
    unsigned int root_colour, background;
    struct sg_viewport viewport;
    struct sg_array a[7] = {0};
    struct sg_boxes boxes;
    if (!PyArg_ParseTuple(args, "OOOO(dddiii)(OOII)O:fill_rows", &objects[0], &objects[1],
                          &objects[2], &objects[3], &viewport.left, &viewport.right,
                          &viewport.top_px, &viewport.row_height_px, &viewport.width_px,
                          &viewport.height_px, &frame, &colours, &root_colour, &background, &image))
        return NULL;
    if (check_viewport(&viewport) < 0 || view_boxes(objects, a, &boxes) < 0 ||
        sg_view(frame, SG_I32, 0, "frame", &a[4]) < 0 ||
        sg_view(colours, SG_U32, 0, "colours", &a[5]) < 0 ||
        sg_view(image, SG_U32, 1, "image", &a[6]) < 0) {
        sg_drop(a, COUNT(a));
        return NULL;
    }
    int result = -1;
    PyThreadState *saved = PyEval_SaveThread();
    struct sg_paint paint = {
        .frame = a[4].buffer.buf,
        .n_nodes = a[4].n,
        .colours = a[5].buffer.buf,
        .n_frames = a[5].n,
        .root_colour = root_colour,
        .background = background,
    };
    if (a[6].n == (size_t)viewport.width_px * (size_t)viewport.height_px)
        result = sg_raster_paint(&boxes, &viewport, &paint, a[6].buffer.buf);
    PyEval_RestoreThread(saved);
    sg_drop(a, COUNT(a));
    if (result < 0) {
        PyErr_SetString(PyExc_ValueError, "an image of another size, or a node without a colour");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *find_labels(PyObject *module, PyObject *args) {
    PyObject *objects[4];
    int min_width_px;
    struct sg_viewport viewport;
    struct sg_array a[4] = {0};
    struct sg_boxes boxes;
    struct sg_labels labels = {0};
    if (!PyArg_ParseTuple(args, "OOOO(dddiii)i:find_labels", &objects[0], &objects[1], &objects[2],
                          &objects[3], &viewport.left, &viewport.right, &viewport.top_px,
                          &viewport.row_height_px, &viewport.width_px, &viewport.height_px,
                          &min_width_px))
        return NULL;
    if (check_viewport(&viewport) < 0 || view_boxes(objects, a, &boxes) < 0) {
        sg_drop(a, COUNT(a));
        return NULL;
    }
    int result;
    PyThreadState *saved = PyEval_SaveThread();
    result = sg_raster_find_labels(&boxes, &viewport, min_width_px, &labels);
    PyEval_RestoreThread(saved);
    sg_drop(a, COUNT(a));
    PyObject *dict = result < 0 ? PyErr_NoMemory() : PyDict_New();
    if (dict && (sg_export_into(module, dict, "node", &labels.node, SG_I32) < 0 ||
                 sg_export_into(module, dict, "left_px", &labels.left_px, SG_I32) < 0 ||
                 sg_export_into(module, dict, "top_px", &labels.top_px, SG_I32) < 0 ||
                 sg_export_into(module, dict, "width_px", &labels.width_px, SG_I32) < 0))
        Py_CLEAR(dict);
    sg_release(&labels.node);
    sg_release(&labels.left_px);
    sg_release(&labels.top_px);
    sg_release(&labels.width_px);
    return dict;
}

static PyObject *draw_names(PyObject *module, PyObject *args) {
    (void)module;
    enum { MAX_PX = 1 << 20 };
    PyObject *coverage, *glyph, *end, *left, *top, *colour, *pixels;
    struct sg_glyph_sheet sheet;
    struct sg_glyph_image image;
    struct sg_array a[7] = {0};
    if (!PyArg_ParseTuple(args, "(Oiiid)(OOOOO)Oii:draw_names", &coverage, &sheet.width_px,
                          &sheet.height_px, &sheet.pen_px, &sheet.advance_px, &glyph, &end, &left,
                          &top, &colour, &pixels, &image.width_px, &image.height_px))
        return NULL;
    if (sg_view(coverage, SG_U32, 0, "coverage", &a[0]) < 0 ||
        sg_view(glyph, SG_I32, 0, "glyph", &a[1]) < 0 ||
        sg_view(end, SG_I32, 0, "end", &a[2]) < 0 ||
        sg_view(left, SG_F64, 0, "left_px", &a[3]) < 0 ||
        sg_view(top, SG_I32, 0, "top_px", &a[4]) < 0 ||
        sg_view(colour, SG_U32, 0, "colour", &a[5]) < 0 ||
        sg_view(pixels, SG_U32, 1, "pixels", &a[6]) < 0) {
        sg_drop(a, COUNT(a));
        return NULL;
    }
    int is_valid = sheet.width_px > 0 && sheet.width_px < MAX_PX && sheet.height_px > 0 &&
                   sheet.height_px < MAX_PX && sheet.pen_px >= 0 && sheet.pen_px < MAX_PX &&
                   image.width_px > 0 && image.width_px < MAX_PX && image.height_px > 0 &&
                   image.height_px < MAX_PX && a[2].n == a[3].n && a[2].n == a[4].n &&
                   a[2].n == a[5].n && a[6].n == (size_t)image.width_px * (size_t)image.height_px;
    int result = -1;
    if (is_valid) {
        size_t cell_px = (size_t)sheet.width_px * (size_t)sheet.height_px;
        sheet.coverage = a[0].buffer.buf;
        sheet.n_glyphs = a[0].n / (cell_px * SG_GLYPH_PHASES);
        image.pixels = a[6].buffer.buf;
        struct sg_glyph_names names = {
            .glyph = a[1].buffer.buf,
            .n_glyphs = a[1].n,
            .end = a[2].buffer.buf,
            .left_px = a[3].buffer.buf,
            .top_px = a[4].buffer.buf,
            .colour = a[5].buffer.buf,
            .n = a[2].n,
        };
        PyThreadState *saved = PyEval_SaveThread();
        result = sg_glyphs_draw(&sheet, &names, &image);
        PyEval_RestoreThread(saved);
    }
    sg_drop(a, COUNT(a));
    if (result < 0) {
        PyErr_SetString(PyExc_ValueError, "names, sheet and image do not fit together");
        return NULL;
    }
    Py_RETURN_NONE;
}

PyMethodDef sg_flame_bindings[] = {
    {"lay_out", lay_out, METH_VARARGS, "Lay out a call tree as rows of boxes."},
    {"thin_out", thin_out, METH_VARARGS, "Join narrow boxes, for small pictures."},
    {"fill_rows", fill_rows, METH_VARARGS, "Paint the visible rows into an image."},
    {"find_labels", find_labels, METH_VARARGS, "Find boxes with room for a name."},
    {"draw_names", draw_names, METH_VARARGS, "Draw names into an image."},
    {NULL, NULL, 0, NULL},
};
