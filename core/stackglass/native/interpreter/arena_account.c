/* The interpreter prints its statistics to a stream in memory, and the number is read from the line
 * "# arenas allocated current". Meanwhile the object allocator is the one from before any hook. */
#include "interpreter/arena_account.h"

#include <Python.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter/allocator_patch.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "interpreter/python_symbols.h"

enum { DOMAIN_OBJ = 2 }; /* PYMEM_DOMAIN_OBJ */
enum { FIRST_MINOR_OF_MANY_GILS = 12 };

typedef void allocator_fn(int domain, struct sg_allocator *allocator);
typedef int print_fn(FILE *out);

/* Guarded by the GIL; NULL = not exported. */
static allocator_fn *get_allocator, *set_allocator;
static print_fn *print_stats;
static struct sg_allocator own; /* the object allocator at prepare */

static void find_functions(void) {
    sg_python_symbols_look_up("PyMem_GetAllocator", &get_allocator);
    sg_python_symbols_look_up("PyMem_SetAllocator", &set_allocator);
    sg_python_symbols_look_up("_PyObject_DebugMallocStats", &print_stats);
}

void sg_arena_account_prepare(void) {
    find_functions();
    if (get_allocator)
        get_allocator(DOMAIN_OBJ, &own);
}

static void print(FILE *out) {
    struct sg_allocator top;
    bool is_known = own.malloc && get_allocator && set_allocator && sg_interpreters_count() == 1;
    if (is_known) {
        get_allocator(DOMAIN_OBJ, &top);
        set_allocator(DOMAIN_OBJ, &own);
    }
    print_stats(out);
    if (is_known)
        set_allocator(DOMAIN_OBJ, &top);
}

/* Return the number in a text such as "   1,908". */
static long read_number(const char *text) {
    long number = 0;
    for (text += strspn(text, " "); *text == ',' || (*text >= '0' && *text <= '9'); text++)
        number = *text == ',' ? number : 10 * number + (*text - '0');
    return number;
}

long sg_arena_account_count(void) {
    static const char line[] = "# arenas allocated current";
    char *text = NULL;
    size_t size = 0;
    long n = -1;
    if (!print_stats)
        find_functions();
    FILE *out = print_stats ? open_memstream(&text, &size) : NULL;
    if (!out)
        return n;
    print(out);
    if (!fclose(out)) {
        const char *found = strstr(text, line);
        const char *value = found ? strchr(found, '=') : NULL;
        n = value ? read_number(value + 1) : -1;
    }
    free(text);
    return n;
}

int64_t sg_arena_account_blocks(void) {
    if (!sg_python_symbols.interpreter_head ||
        (sg_debug_offsets.minor >= FIRST_MINOR_OF_MANY_GILS && sg_interpreters_count() > 1))
        return -1;
    PyObject *function = PySys_GetObject("getallocatedblocks"); /* borrowed from sys */
    if (!function || !PyObject_TypeCheck(function, &PyCFunction_Type))
        return -1;
    PyObject *n = PyObject_CallObject(function, NULL);
    int64_t count = n ? PyLong_AsLongLong(n) : -1;
    Py_XDECREF(n);
    PyErr_Clear();
    return count;
}
