/* Attributes in place: the values of an instance and the names in its type's shared keys have the
 * same order, so the position of a value is that of its name.
 *
 *     3.11            word -4 before the object: the values; word -3: the dictionary, or NULL
 *     3.12            word -3: the values' address - 1, or the dictionary, or NULL
 *     from 3.13 on    behind the object: sizes, "valid", the values; word -3 as in 3.11
 *
 * Where a type keeps its shared keys is learned once, from a class with one attribute. */
#include "objects/inline_values.h"

#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "platform/memory.h"

enum {
    FIRST_KEYS_AT = 400, /* lowest offset in a heap type at which its shared keys are looked for */
    /* Words before the object. */
    DICT_WORD = -3,       /* 3.12: or the values' address - 1, which is odd */
    VALUES_WORD_311 = -4, /* NULL = there are none */
    /* From 3.13 on: behind the object, sizes and flags of one byte, then the values. */
    VALUES_VALID = 3,
    VALUES_FIRST = 8,
    SPLIT_KEYS = 2, /* the kind DICT_KEYS_SPLIT */
    MOST_LOG2_INDEX_BYTES = 16,
};

/* Flags of types that the stable ABI does not name. */
static const unsigned long INLINE_VALUES = 1u << 2, MANAGED_DICT = 1u << 4;

/* PyDictKeysObject; its indices follow, then its entries. */
struct keys {
    int64_t references;
    uint8_t log2_size, log2_index_bytes, kind;
    uint32_t version;
    int64_t n_usable, n_entries;
};
struct entry {
    PyObject *key;
    void *unused; /* the instances have the values */
};

/* Guarded by the GIL. */
static bool is_prepared;
static int32_t keys_at; /* offset in a heap type; 0 = not known */

static bool is_managed(PyObject *object) {
    return sg_debug_offsets.minor >= 11 && PyType_GetFlags(Py_TYPE(object)) & MANAGED_DICT;
}

static uint64_t load_word(const PyObject *object, int word) {
    return sg_memory_load((uintptr_t)object + (uintptr_t)(intptr_t)(8 * word));
}

/* Return the values of an instance without a dictionary; NULL if it has a dictionary, or no
 * attributes. */
static PyObject *const *find_values(PyObject *object) {
    uint64_t dict = load_word(object, DICT_WORD);
    uintptr_t inside =
        (uintptr_t)object + sg_memory_load((uintptr_t)Py_TYPE(object) + SG_TP_BASICSIZE);
    switch (sg_debug_offsets.minor) {
    case 11:
        return dict ? NULL : (PyObject *const *)load_word(object, VALUES_WORD_311);
    case 12:
        return dict & 1 ? (PyObject *const *)(dict + 1) : NULL;
    default:
        if (dict || !(PyType_GetFlags(Py_TYPE(object)) & INLINE_VALUES) ||
            !((const uint8_t *)inside)[VALUES_VALID])
            return NULL;
        return (PyObject *const *)(inside + VALUES_FIRST);
    }
}

static const struct entry *find_entries(uintptr_t address, const struct keys *keys) {
    return (const struct entry *)(address + sizeof *keys + (1u << keys->log2_index_bytes));
}

PyObject *sg_inline_values_name(PyObject *object, PyObject *value) {
    PyObject *const *values = keys_at && is_managed(object) ? find_values(object) : NULL;
    uintptr_t address =
        values ? sg_memory_load((uintptr_t)Py_TYPE(object) + (uintptr_t)keys_at) : 0;
    const struct keys *keys = (const struct keys *)address;
    if (!keys || keys->kind != SPLIT_KEYS)
        return NULL;
    const struct entry *entries = find_entries(address, keys);
    for (int64_t i = 0; i < keys->n_entries; i++) {
        if (values[i] == value) {
            Py_INCREF(entries[i].key);
            return entries[i].key;
        }
    }
    return NULL;
}

/* Return the bytes of an object of variable size, in whole words. */
static int64_t count_bytes(PyObject *object) {
    uintptr_t type = (uintptr_t)Py_TYPE(object);
    int64_t n = (int64_t)sg_memory_load((uintptr_t)object + SG_OB_SIZE);
    uint64_t bytes = sg_memory_load(type + SG_TP_BASICSIZE) +
                     (uint64_t)(n < 0 ? -n : n) * sg_memory_load(type + SG_TP_ITEMSIZE);
    return (int64_t)((bytes + 7) & ~UINT64_C(7));
}

bool sg_inline_values_has_dict(PyObject *object) {
    if (is_managed(object)) {
        uint64_t dict = load_word(object, DICT_WORD);
        return dict && !(sg_debug_offsets.minor == 12 && dict & 1);
    }
    int64_t at = (int64_t)sg_memory_load((uintptr_t)Py_TYPE(object) + SG_TP_DICTOFFSET);
    /* A negative offset counts from the end of an object of variable size, such as an instance of a
     * subclass of tuple. */
    if (at < 0)
        at += count_bytes(object);
    return at > 0 && sg_memory_load((uintptr_t)object + (uintptr_t)at);
}

/* Whether the keys at `address` are those of a type with one attribute, `name`. */
static bool are_keys_of(uintptr_t address, const PyObject *name) {
    struct keys keys;
    struct entry entry;
    return address && address % 8 == 0 && sg_memory_read(address, &keys, sizeof keys) &&
           keys.kind == SPLIT_KEYS && keys.n_entries == 1 &&
           keys.log2_index_bytes <= MOST_LOG2_INDEX_BYTES &&
           sg_memory_read((uintptr_t)find_entries(address, &keys), &entry, sizeof entry) &&
           entry.key == name;
}

/* Find `keys_at` by `probe`, an instance with the only attribute `name`. */
static void learn(PyObject *probe, PyObject *name) {
    uintptr_t type = (uintptr_t)Py_TYPE(probe);
    int32_t end = (int32_t)sg_memory_load((uintptr_t)&PyType_Type + SG_TP_BASICSIZE);
    for (int32_t at = FIRST_KEYS_AT; at < end && !keys_at; at += 8) {
        if (are_keys_of(sg_memory_load(type + (uintptr_t)at), name))
            keys_at = at;
    }
    PyObject *found = sg_inline_values_name(probe, Py_None);
    if (found != name)
        keys_at = 0;
    Py_XDECREF(found);
}

void sg_inline_values_prepare(void) {
    if (is_prepared || sg_debug_offsets.minor < 11)
        return;
    PyObject *name = PyUnicode_InternFromString("stackglass");
    PyObject *type = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "Probe");
    PyObject *probe = type ? PyObject_CallObject(type, NULL) : NULL;
    if (name && probe && !PyObject_SetAttr(probe, name, Py_None)) {
        learn(probe, name);
        is_prepared = true;
    }
    PyErr_Clear();
    Py_XDECREF(probe);
    Py_XDECREF(type);
    Py_XDECREF(name);
}
