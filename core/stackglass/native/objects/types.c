/* Known types: a hash table by address for one slice, and rows by name for the whole walk.
 *
 *     type ─▶ known[hash]: slice = this one? ──yes──▶ row, size, traverse
 *                            └─no: read it anew ─▶ name ─▶ row
 *
 * A slice is one hold of the GIL: between two of them the type may have died, and another may have
 * its address. Raising `slice` empties the table without touching it. */
#include "objects/types.h"

#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/image.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "objects/collector_lists.h"
#include "platform/memory.h"
#include "platform/vector.h"

enum { METHOD_DEFINITION = 40 }; /* offset of PyMethodDescrObject.d_method */

/* Flags of tp_flags, from CPython's object.h. */
static const uint64_t HEAP_TYPE = 1u << 9, HAVE_GC = 1u << 14, LIST_SUBCLASS = 1u << 25,
                      TUPLE_SUBCLASS = 1u << 26, DICT_SUBCLASS = 1u << 29, TYPE_SUBCLASS = 1u << 31,
                      INLINE_VALUES = 1u << 2, MANAGED_DICT = 1u << 4, MANAGED_WEAKREF = 1u << 3;

enum {
    MANAGED_BYTES = 16,     /* two words before the object, since 3.11 */
    FIRST_TABLE_SIZE = 256, /* types */
    LONGEST_NAME = 1000,    /* bytes, with the NUL; a longer name is cut */
};

typedef PyObject *lookup_fn(void *type, PyObject *name);
typedef PyObject *descr_get_fn(PyObject *descriptor, PyObject *object, PyObject *type);

/* Written by prepare, the same each time, under the GIL; the references are borrowed from the
 * interpreter. */
static struct {
    lookup_fn *lookup; /* _PyType_Lookup: a borrowed reference, no Python code */
    void *method_type, *getset_type;
    PyObject *module, *qualname; /* getters of the class `type`, for any type */
    PyCFunction object_size;
} python;

static PyObject *lookup(uintptr_t type, const char *name) {
    PyObject *text = PyUnicode_InternFromString(name);
    PyObject *found = text ? python.lookup((void *)type, text) : NULL; /* borrowed from a type */
    Py_XDECREF(text);
    return found;
}

/* Return the C function of a type's `__sizeof__` if it is one of the interpreter's; else NULL. */
static PyCFunction own_size_of(uintptr_t type) {
    PyObject *found = lookup(type, "__sizeof__");
    if (!found || sg_memory_load((uintptr_t)found + SG_OB_TYPE) != (uintptr_t)python.method_type)
        return NULL;
    const PyMethodDef *definition =
        (const void *)sg_memory_load((uintptr_t)found + METHOD_DEFINITION);
    bool is_own = sg_interpreter_image_has_code((uintptr_t)definition->ml_meth);
    return is_own && definition->ml_flags == METH_NOARGS ? definition->ml_meth : NULL;
}

const char *sg_object_types_prepare(void) {
    if (!sg_python_symbols_look_up("_PyType_Lookup", &python.lookup) ||
        !sg_python_symbols_look_up("PyMethodDescr_Type", &python.method_type) ||
        !sg_python_symbols_look_up("PyGetSetDescr_Type", &python.getset_type))
        return "this interpreter does not export how to look up an attribute of a type";
    python.module = lookup((uintptr_t)&PyType_Type, "__module__");
    python.qualname = lookup((uintptr_t)&PyType_Type, "__qualname__");
    python.object_size = own_size_of((uintptr_t)&PyBaseObject_Type);
    const PyObject *getters[] = {python.module, python.qualname};
    for (int i = 0; i < 2; i++)
        if (!getters[i] ||
            sg_memory_load((uintptr_t)getters[i] + SG_OB_TYPE) != (uintptr_t)python.getset_type)
            return "the names of this interpreter's types cannot be read";
    return python.object_size ? NULL : "the sizes of this interpreter's objects cannot be read";
}

/* Return the text that a getter returns for `type`, malloc'ed; NULL if it returns no text. */
static char *get_text(PyObject *getter, uintptr_t type) {
    descr_get_fn *get;
    uint64_t slot = sg_memory_load((uintptr_t)python.getset_type + SG_TP_DESCR_GET);
    memcpy(&get, &slot, sizeof get);
    PyObject *value = get(getter, (PyObject *)type, (PyObject *)&PyType_Type);
    char *text = sg_python_text_copy(value);
    Py_XDECREF(value);
    PyErr_Clear();
    return text;
}

static char *name_of(uintptr_t type) {
    char *module = get_text(python.module, type), *qualname = get_text(python.qualname, type);
    char *name = malloc(LONGEST_NAME);
    if (name)
        snprintf(name, LONGEST_NAME, "%s%s%s", module ? module : "", module ? "." : "",
                 qualname ? qualname : "<unknown>");
    free(module);
    free(qualname);
    return name;
}

/* ---- Rows, by name ---- */

/* FNV-1a. */
static uint32_t hash_text(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 16777619u;
    return hash;
}

struct wanted {
    const struct sg_census_types *types;
    const char *name;
};

static bool has_name(uint32_t row, const void *key) {
    const struct wanted *wanted = key;
    return strcmp(wanted->types->rows.at[row].name, wanted->name) == 0;
}

static uint32_t row_of(struct sg_census_types *types, uintptr_t type) {
    char *name = name_of(type);
    if (!name)
        return SG_NO_TYPE;
    const struct wanted wanted = {types, name};
    uint32_t hash = hash_text(name);
    uint32_t row = sg_hash_index_find(&types->names, hash, has_name, &wanted);
    if (row != UINT32_MAX) {
        free(name);
        return row;
    }
    char *kept = strdup(name); /* of the size that it needs */
    free(name);
    if (!kept)
        return SG_NO_TYPE;
    if (!sg_hash_index_reserve(&types->names) ||
        !SG_ROWS_ADD(&types->rows, (struct sg_census_row){.name = kept})) {
        free(kept);
        return SG_NO_TYPE;
    }
    row = (uint32_t)types->rows.n - 1;
    sg_hash_index_put(&types->names, hash, row);
    return row;
}

/* ---- Types, by address ---- */

/* Return the number of bytes before an object in its memory block: the collector's head, and the
 * pointers to a managed dictionary and to weak references. */
static uint32_t count_header_bytes(uint64_t flags) {
    uint64_t managed = sg_debug_offsets.minor >= 12   ? MANAGED_DICT | MANAGED_WEAKREF
                       : sg_debug_offsets.minor == 11 ? MANAGED_DICT
                                                      : 0;
    return (flags & HAVE_GC ? SG_COLLECTOR_HEAD_BYTES : 0u) +
           (flags & managed ? MANAGED_BYTES : 0u);
}

uint32_t sg_object_types_front_bytes(uintptr_t type) {
    return count_header_bytes(sg_memory_load(type + SG_TP_FLAGS));
}

static void find_kind(struct sg_known_type *known, uint64_t flags) {
    const struct {
        bool applies;
        enum sg_type_kind kind;
        const void *exact;
    } kinds[] = {
        {flags & LIST_SUBCLASS, SG_TYPE_LIST, &PyList_Type},
        {flags & TUPLE_SUBCLASS, SG_TYPE_TUPLE, &PyTuple_Type},
        {flags & DICT_SUBCLASS, SG_TYPE_DICT, &PyDict_Type},
        {known->type == (uintptr_t)&PySet_Type, SG_TYPE_SET, &PySet_Type},
        {known->type == (uintptr_t)&PyFrozenSet_Type, SG_TYPE_SET, &PyFrozenSet_Type},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].applies) {
            known->kind = kinds[i].kind;
            known->is_exact = known->type == (uintptr_t)kinds[i].exact;
        }
}

static void find_size(struct sg_known_type *known, uint64_t flags) {
    PyCFunction size_of = NULL;
    for (uintptr_t base = known->type; base && !size_of; base = sg_memory_load(base + SG_TP_BASE))
        size_of = own_size_of(base);
    bool has_inline_values = sg_debug_offsets.minor >= 13 && flags & INLINE_VALUES;
    if (size_of == python.object_size && !sg_memory_load(known->type + SG_TP_ITEMSIZE) &&
        !has_inline_values)
        known->fixed_bytes = known->front_bytes + sg_memory_load(known->type + SG_TP_BASICSIZE);
    memcpy(&known->size_of, &size_of, sizeof size_of); /* C casts no function to a void * */
}

/* Return the entry of a type, or the empty entry for it. An entry of an earlier slice counts as
 * empty. */
static struct sg_known_type *place_of_type(const struct sg_census_types *types, uintptr_t type) {
    size_t at = (size_t)(type * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (types->n_known - 1);
    while (types->known[at].slice == types->slice && types->known[at].type != type)
        at = (at + 1) & (types->n_known - 1);
    return &types->known[at];
}

/* Move the types of this slice to a larger table. */
static bool grow_known(struct sg_census_types *types) {
    size_t n_old = types->n_known;
    struct sg_known_type *old = types->known;
    struct sg_known_type *known = calloc(n_old ? 2 * n_old : FIRST_TABLE_SIZE, sizeof *known);
    if (!known)
        return false;
    types->known = known;
    types->n_known = n_old ? 2 * n_old : FIRST_TABLE_SIZE;
    for (size_t i = 0; i < n_old; i++)
        if (old[i].slice == types->slice)
            *place_of_type(types, old[i].type) = old[i];
    free(old);
    return true;
}

void sg_object_types_begin_slice(struct sg_census_types *types) {
    types->slice++;
    types->n_in_slice = 0;
}

const struct sg_known_type *sg_object_types_of(struct sg_census_types *types, uintptr_t type) {
    static const struct sg_known_type nothing = {.row = SG_NO_TYPE};
    if (2 * types->n_in_slice >= types->n_known && !grow_known(types))
        return &nothing;
    struct sg_known_type *known = place_of_type(types, type);
    if (known->slice == types->slice)
        return known;
    uint64_t flags = sg_memory_load(type + SG_TP_FLAGS);
    *known = (struct sg_known_type){
        .type = type,
        .slice = types->slice,
        .front_bytes = count_header_bytes(flags),
        .has_values =
            flags & MANAGED_DICT && sg_debug_offsets.minor >= 11 && sg_debug_offsets.minor <= 12,
        .is_metatype = flags & TYPE_SUBCLASS,
    };
    uint64_t traverse = sg_memory_load(type + SG_TP_TRAVERSE);
    memcpy(&known->traverse, &traverse, sizeof traverse);
    find_kind(known, flags);
    find_size(known, flags);
    known->row = row_of(types, type);
    types->n_in_slice++;
    return known;
}

uint64_t sg_object_types_size(const struct sg_known_type *known, void *object) {
    if (known->fixed_bytes)
        return known->fixed_bytes;
    PyCFunction size_of;
    memcpy(&size_of, &known->size_of, sizeof size_of);
    PyObject *number = size_of ? size_of(object, NULL) : NULL;
    long long bytes = number ? PyLong_AsLongLong(number) : -1;
    Py_XDECREF(number);
    if (bytes < 0) {
        PyErr_Clear();
        bytes = (long long)sg_memory_load(known->type + SG_TP_BASICSIZE);
    }
    return known->front_bytes + (uint64_t)bytes;
}

uintptr_t sg_object_types_block(const struct sg_known_type *known, const void *object) {
    uintptr_t address = (uintptr_t)object;
    if (known->is_metatype && !(sg_memory_load(address + SG_TP_FLAGS) & HEAP_TYPE))
        return address;
    return address - known->front_bytes;
}

void sg_object_types_clear(struct sg_census_types *types) {
    for (size_t i = 0; i < types->rows.n; i++)
        free(types->rows.at[i].name);
    SG_ROWS_FREE(&types->rows);
    sg_hash_index_discard(&types->names);
    free(types->known);
    memset(types, 0, sizeof *types);
}
