/* Python bindings: the Texts type, a table of texts that takes a few bytes for each. */
#include <string.h>

#include "bindings.h"
#include "texts.h"

struct texts_object {
    PyObject base;
    struct sg_texts texts;
};

static struct sg_texts *as_texts(PyObject *self) {
    return &((struct texts_object *)(void *)self)->texts;
}

static PyObject *texts_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    if (!PyArg_ParseTuple(args, ":Texts"))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *self = allocate(type, 0);
    if (self && sg_texts_init(as_texts(self)) < 0) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return self;
}

static void texts_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    sg_texts_free(as_texts(self));
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* Return why a text was not added. */
static PyObject *refuse(PyObject *self) {
    if (!as_texts(self)->is_sealed)
        return PyErr_NoMemory();
    PyErr_SetString(PyExc_ValueError, "the texts are sealed");
    return NULL;
}

/* Add a text, or append it without a look-up. Returns its number, or -1 with an exception. */
static int32_t put(PyObject *self, PyObject *text, int is_looked_up) {
    struct sg_texts *texts = as_texts(self);
    PyObject *encoded = NULL;
    Py_ssize_t n;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &n);
    if (!bytes && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        char *odd;
        PyErr_Clear();
        encoded = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
        if (encoded && PyBytes_AsStringAndSize(encoded, &odd, &n) == 0)
            bytes = odd;
        texts->has_surrogates = 1;
    }
    int32_t number = -1;
    if (bytes && is_looked_up)
        number = sg_texts_number(texts, (const unsigned char *)bytes, (size_t)n);
    else if (bytes && sg_texts_append(texts, (const unsigned char *)bytes, (size_t)n) == 0)
        number = (int32_t)texts->end.n - 1;
    if (bytes && number < 0)
        (void)refuse(self);
    Py_XDECREF(encoded);
    return number;
}

static PyObject *add(PyObject *self, PyObject *text) {
    int32_t number = put(self, text, 1);
    return number < 0 ? NULL : PyLong_FromLong(number);
}

static PyObject *append(PyObject *self, PyObject *text) {
    if (put(self, text, 0) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static int is_ascii(const unsigned char *text, size_t n) {
    unsigned char all = 0;
    for (size_t i = 0; i < n; i++)
        all |= text[i];
    return all < 0x80;
}

/* Append a text, in which what is not UTF-8 is replaced. Returns 0, or -1 with an exception. */
static int append_piece(PyObject *self, const unsigned char *text, size_t n) {
    if (is_ascii(text, n)) {
        if (sg_texts_append(as_texts(self), text, n) == 0)
            return 0;
        (void)refuse(self);
        return -1;
    }
    PyObject *piece = PyUnicode_DecodeUTF8((const char *)text, (Py_ssize_t)n, "replace");
    Py_ssize_t n_bytes;
    const char *bytes = piece ? PyUnicode_AsUTF8AndSize(piece, &n_bytes) : NULL;
    int result = -1;
    if (bytes) {
        result = sg_texts_append(as_texts(self), (const unsigned char *)bytes, (size_t)n_bytes);
        if (result < 0)
            (void)refuse(self);
    }
    Py_XDECREF(piece);
    return result;
}

static int append_all(PyObject *self, const struct sg_array arrays[3]) {
    const unsigned char *content = arrays[0].buffer.buf;
    const int64_t *start = arrays[1].buffer.buf, *length = arrays[2].buffer.buf;
    if (arrays[1].n != arrays[2].n) {
        PyErr_SetString(PyExc_ValueError, "as many lengths as starts are needed");
        return -1;
    }
    for (size_t i = 0; i < arrays[1].n; i++) {
        if (start[i] < 0 || length[i] < 0 || (size_t)start[i] > arrays[0].n ||
            (size_t)length[i] > arrays[0].n - (size_t)start[i]) {
            PyErr_SetString(PyExc_ValueError, "a piece lies outside of the text");
            return -1;
        }
        if (append_piece(self, content + start[i], (size_t)length[i]) < 0)
            return -1;
    }
    return 0;
}

static PyObject *append_pieces(PyObject *self, PyObject *args) {
    PyObject *objects[3];
    struct sg_array arrays[3] = {0};
    if (!PyArg_ParseTuple(args, "OOO:append_pieces", &objects[0], &objects[1], &objects[2]))
        return NULL;
    int result = -1;
    if (sg_view(objects[0], SG_BYTES, 0, "content", &arrays[0]) == 0 &&
        sg_view(objects[1], SG_I64, 0, "start", &arrays[1]) == 0 &&
        sg_view(objects[2], SG_I64, 0, "length", &arrays[2]) == 0)
        result = append_all(self, arrays);
    sg_drop(arrays, 3);
    if (result < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *seal(PyObject *self, PyObject *unused) {
    sg_texts_seal(as_texts(self));
    Py_RETURN_NONE;
}

static Py_ssize_t count(PyObject *self) { return (Py_ssize_t)as_texts(self)->end.n; }

static PyObject *get_item(PyObject *self, Py_ssize_t number) {
    const struct sg_texts *texts = as_texts(self);
    if (number < 0 || (size_t)number >= texts->end.n) {
        PyErr_SetString(PyExc_IndexError, "there is no text of this number");
        return NULL;
    }
    size_t n = sg_texts_length(texts, (size_t)number);
    const char *bytes = n ? texts->bytes.data + sg_texts_begin(texts, (size_t)number) : "";
    return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)n, "surrogatepass");
}

static PyObject *get_subscript(PyObject *self, PyObject *key) {
    if (PyIndex_Check(key)) {
        Py_ssize_t number = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (number == -1 && PyErr_Occurred())
            return NULL;
        return get_item(self, number < 0 ? number + count(self) : number);
    }
    PyObject *all = PySequence_Tuple(self);
    PyObject *found = all ? PyObject_GetItem(all, key) : NULL; /* a slice, or a TypeError */
    Py_XDECREF(all);
    return found;
}

static PyObject *find_index(PyObject *self, PyObject *text) {
    Py_ssize_t number = PySequence_Index(self, text);
    return number < 0 ? NULL : PyLong_FromSsize_t(number);
}

static PyObject *count_text(PyObject *self, PyObject *text) {
    Py_ssize_t n = PySequence_Count(self, text);
    return n < 0 ? NULL : PyLong_FromSsize_t(n);
}

static PyMethodDef texts_methods[] = {
    {"add", add, METH_O, "Return the number of a text, which is added if it is new."},
    {"append", append, METH_O, "Append a text without a look-up."},
    {"append_pieces", append_pieces, METH_VARARGS, "Append pieces of a content."},
    {"count", count_text, METH_O, "Return how often a text comes."},
    {"index", find_index, METH_O, "Return the first number of a text."},
    {"seal", seal, METH_NOARGS, "Free what look-ups need; no text can be added then."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot texts_slots[] = {
    {Py_tp_new, texts_new},           {Py_tp_dealloc, texts_dealloc},
    {Py_tp_methods, texts_methods},   {Py_sq_length, count},
    {Py_sq_item, get_item},           {Py_mp_length, count},
    {Py_mp_subscript, get_subscript}, {0, NULL},
};

static PyType_Spec texts_spec = {
    .name = "stackglass_viewer.native._loops.Texts",
    .basicsize = sizeof(struct texts_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = texts_slots,
};

int sg_add_texts_type(PyObject *module) {
    PyObject *type = PyType_FromModuleAndSpec(module, &texts_spec, NULL);
    int result = type ? PyModule_AddObjectRef(module, "Texts", type) : -1;
    Py_XDECREF(type);
    return result;
}
