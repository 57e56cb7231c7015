/* How the function objects of three binding tools are laid out in memory.
 *
 *     Cython     object │ … │ definition ─▶ │ name │ code │
 *     pybind11   PyCFunction ─▶ definition, self ─▶ record │ name │ code │ definition │ next │
 *     nanobind   object │ … │ func_data │ func_data │ …        one for each overload
 *
 * The layouts differ between versions of a tool, and no field says which one an object has. So each
 * object is checked before it is trusted: a pybind11 record must refer to the same name and
 * definition as its function, a nanobind record must have the function's name among its texts
 * (unless it is a property's accessor, which has no name), and only an address that the caller
 * looks for is reported. An address that may be no pointer is read with sg_memory_read, which
 * cannot fault. */
#include "frames/callables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames/code_info.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

enum {
    WORD = sizeof(uint64_t),
    CAPSULE_POINTER = 16, /* offset in a capsule */
    PROPERTY_GET = 16,    /* offsets in a property: prop_get, */
    PROPERTY_SET = 24,    /* prop_set */
    VECTORCALL = 24,      /* offset in an nb_func */
    ML_METH = 8,          /* offset in a PyMethodDef */
    MOST_OVERLOADS = 64,
    MOST_NAME_BYTES = 256,
    MOST_NESTED = 3, /* a property that wraps an instance method that wraps a function */
};

/* Fields of pybind11's function_record in 2.x and 3.x, in words of 8 bytes. The index of the
 * definition (`def`) depends on the version. */
enum {
    RECORD_NAME = 0,
    RECORD_IMPL = 6,
    RECORD_FIRST_DEFINITION = 11,
    RECORD_LAST_DEFINITION = 15,
    RECORD_NEXT = 3, /* counted from the definition */
    RECORD_WORDS = RECORD_LAST_DEFINITION + RECORD_NEXT + 1,
};

/* Fields of nanobind's func_data, in words of 8 bytes; the other constants are in bytes. */
enum {
    DATA_IMPL = 4,
    DATA_FIRST_TEXT = 5,
    DATA_LEAST_BYTES = 12 * WORD,
    DATA_WORDS = 32,
    FUNCTION_LEAST_BYTES = 40,
    FUNCTION_MOST_BYTES = 128,
};

struct seeing {
    const struct sg_callable_search *search;
    const char *owner, *name;
    bool is_accessor; /* the value is a property's getter or setter, which has no name of its own */
};

static const char *type_name(PyObject *object) {
    return (const char *)sg_memory_load((uintptr_t)Py_TYPE(object) + SG_TP_NAME);
}

static bool is_named(const char *type, const char *name) {
    const char *dot = strrchr(type, '.');
    return !strcmp(dot ? dot + 1 : type, name);
}

static bool is_wanted(const struct seeing *it, uintptr_t code) {
    return code && it->search->wanted(it->search->context, code);
}

/* The dispatcher calls every function of pybind11 or nanobind, so it is no method of `owner`. */
static void report_dispatcher(const struct seeing *it, uintptr_t code, const char *name) {
    if (is_wanted(it, code))
        it->search->found(it->search->context, code, name, "", 0);
}

/* Report `code` by Python's name for it within its module, such as "norm" or "Vec.norm". */
static void report(const struct seeing *it, uintptr_t code, const char *name) {
    char text[2 * MOST_NAME_BYTES];
    snprintf(text, sizeof text, "%s%s%s", it->owner, *it->owner ? "." : "", name);
    it->search->found(it->search->context, code, text, "", 0);
}

/* ---- Cython ---- */

/* Does the object have a Cython function's definition with code that the caller looks for? An
 * object of another class of the same name has not. */
static bool has_wanted_code(const struct seeing *it, PyObject *function, uintptr_t *code) {
    uint64_t definition = sg_memory_load((uintptr_t)function + SG_C_FUNCTION_DEFINITION), words[2];
    bool is_read = definition % WORD == 0 && sg_memory_read(definition, words, sizeof words);
    *code = is_read ? words[1] : 0;
    return is_wanted(it, *code);
}

static void see_cython(const struct seeing *it, PyObject *function) {
    uintptr_t address;
    if (!has_wanted_code(it, function, &address))
        return;
    PyObject *code = sg_python_text_plain_attribute(function, "__code__");
    PyObject *qualname = sg_python_text_plain_attribute(function, "__qualname__");
    char *name = sg_python_text_copy(qualname);
    struct sg_code_info info = {0};
    bool has_info = code && !strcmp(type_name(code), "code") && !sg_code_info_copy(code, &info);
    if (name && *name)
        it->search->found(it->search->context, address, name, has_info ? info.filename : "",
                          has_info ? info.first_line : 0);
    if (has_info)
        sg_code_info_free(&info);
    free(name);
    Py_XDECREF(qualname);
    Py_XDECREF(code);
}

/* A Cython function with fused types (templates) has one function for each combination of types. */
static void see_fused(const struct seeing *it, PyObject *function) {
    PyObject *all = sg_python_text_plain_attribute(function, "__signatures__");
    PyObject *key, *value; /* borrowed from the dictionary */
    Py_ssize_t at = 0;
    see_cython(it, function);
    while (all && PyDict_Check(all) && PyDict_Next(all, &at, &key, &value))
        if (is_named(type_name(value), "fused_cython_function") ||
            is_named(type_name(value), "cython_function_or_method"))
            see_cython(it, value);
    Py_XDECREF(all);
}

/* ---- pybind11 ---- */

/* Report the overloads of a pybind11 function. Two pointers prove that `self` has a
 * function_record: the record's name is the name of the function's definition, and one of the
 * record's fields points to that definition. */
static void see_pybind11(const struct seeing *it, PyObject *function, PyObject *self) {
    uintptr_t definition = sg_memory_load((uintptr_t)function + SG_C_FUNCTION_DEFINITION);
    uintptr_t at = sg_memory_load((uintptr_t)self + CAPSULE_POINTER);
    uint64_t record[RECORD_WORDS], name = sg_memory_load(definition);
    if (at % WORD || !sg_memory_read(at, record, sizeof record) || record[RECORD_NAME] != name)
        return;
    int field = RECORD_FIRST_DEFINITION;
    while (field <= RECORD_LAST_DEFINITION && record[field] != definition)
        field++;
    if (!name || field > RECORD_LAST_DEFINITION)
        return;
    const char *own = (const char *)name;
    report_dispatcher(it, sg_memory_load(definition + ML_METH), "pybind11 dispatcher");
    for (int n = 0; n < MOST_OVERLOADS; n++) {
        if (is_wanted(it, record[RECORD_IMPL]))
            report(it, record[RECORD_IMPL], *own && !it->is_accessor ? own : it->name);
        at = record[field + RECORD_NEXT];
        if (!at || at % WORD || !sg_memory_read(at, record, sizeof record))
            return;
    }
}

static void see_c_function(const struct seeing *it, PyObject *function) {
    PyObject *self = PyCFunction_GetSelf(function); /* borrowed from the function */
    const char *type = self ? type_name(self) : "";
    if (!strcmp(type, "PyCapsule") || strstr(type, "pybind11_detail_function_record"))
        see_pybind11(it, function, self);
}

/* ---- nanobind ---- */

static bool is_text(uint64_t address, const char *text) {
    char copy[MOST_NAME_BYTES];
    size_t size = strlen(text) + 1;
    return size <= sizeof copy && sg_memory_read(address, copy, size) && !memcmp(copy, text, size);
}

static bool has_text(const uint64_t *data, size_t n_words, const char *text) {
    for (size_t i = DATA_FIRST_TEXT; i < n_words; i++)
        if (data[i] && is_text(data[i], text))
            return true;
    return false;
}

static void see_nanobind(const struct seeing *it, PyObject *function) {
    uintptr_t type = (uintptr_t)Py_TYPE(function);
    uint64_t basic = sg_memory_load(type + SG_TP_BASICSIZE);
    uint64_t size = sg_memory_load(type + SG_TP_ITEMSIZE), data[DATA_WORDS];
    uint64_t n = sg_memory_load((uintptr_t)function + SG_OB_SIZE);
    if (basic < FUNCTION_LEAST_BYTES || basic > FUNCTION_MOST_BYTES || size < DATA_LEAST_BYTES ||
        size > sizeof data || size % WORD || n > MOST_OVERLOADS)
        return;
    report_dispatcher(it, sg_memory_load((uintptr_t)function + VECTORCALL), "nanobind dispatcher");
    for (uint64_t i = 0; i < n; i++)
        if (sg_memory_read((uintptr_t)function + basic + i * size, data, size) &&
            is_wanted(it, data[DATA_IMPL]) &&
            (it->is_accessor || has_text(data, size / WORD, it->name)))
            report(it, data[DATA_IMPL], it->name);
}

/* ---- All ---- */

static void see(const struct seeing *it, PyObject *value, int depth);

static void see_field(const struct seeing *it, PyObject *value, int offset, int depth) {
    PyObject *inner = (PyObject *)sg_memory_load((uintptr_t)value + (uintptr_t)offset);
    if (inner && depth < MOST_NESTED)
        see(it, inner, depth + 1);
}

static void see_property(const struct seeing *it, PyObject *value, int depth) {
    struct seeing accessor = *it;
    accessor.is_accessor = true;
    see_field(&accessor, value, PROPERTY_GET, depth);
    see_field(&accessor, value, PROPERTY_SET, depth);
}

/* A class of the program may have the name of the following types, so the name proves nothing: from
 * an object of these types, fields are followed without a check. */
static bool is_property(PyObject *value) {
    return Py_TYPE(value) == &PyProperty_Type ||
           (is_named(type_name(value), "pybind11_static_property") &&
            PyType_IsSubtype(Py_TYPE(value), &PyProperty_Type));
}

static bool is_wrapper(PyObject *value) {
    const void *type = Py_TYPE(value);
    return type == sg_python_symbols_address("PyInstanceMethod_Type") ||
           type == sg_python_symbols_address("PyStaticMethod_Type") ||
           type == sg_python_symbols_address("PyClassMethod_Type");
}

static void see(const struct seeing *it, PyObject *value, int depth) {
    if (Py_TYPE(value) == &PyCFunction_Type) {
        see_c_function(it, value);
        return;
    }
    const char *type = type_name(value);
    if (is_named(type, "cython_function_or_method"))
        see_cython(it, value);
    else if (is_named(type, "fused_cython_function"))
        see_fused(it, value);
    else if (is_named(type, "nb_func") || is_named(type, "nb_method"))
        see_nanobind(it, value);
    else if (is_property(value))
        see_property(it, value, depth);
    else if (is_wrapper(value))
        see_field(it, value, SG_FIRST_FIELD, depth);
}

void sg_callables_see(const struct sg_callable_search *search, PyObject *value, const char *owner,
                      const char *name) {
    const struct seeing it = {.search = search, .owner = owner, .name = name};
    see(&it, value, 0);
}
