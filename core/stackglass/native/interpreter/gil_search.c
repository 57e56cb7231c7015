/* The places that are tried, each by is_gil, which reads them by calls that cannot fault:
 *
 *     3.13 and later   the target of one pointer, at a known offset
 *     3.12             the target of every word of the interpreter's state that points into it
 *     up to 3.11       every place of _PyRuntime that has the calling thread as last holder */
#include "interpreter/gil_search.h"

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    LONGEST_INTERVAL_US = 1000 * 1000 * 1000,
    FIRST_MINOR_WITH_POINTER = 12,
    INTERP_WORDS = 2048, /* words of an interpreter state that may be the pointer to its GIL */
    MOST_INTERP_BYTES = 1024 * 1024,
    UNKNOWN_RUNTIME_BYTES = 64 * 1024,
    CHUNK = 4096,
    WORD = sizeof(uintptr_t),
};

struct search {
    uintptr_t state;           /* the state of the calling thread, which holds the GIL */
    unsigned long interval_us; /* 0 = not known */
    uintptr_t found;           /* address of a GIL; 0 = none yet */
    uintptr_t place;           /* address of the pointer to that GIL; 0 = there is none */
    bool is_ambiguous;
};

/* Return sys.getswitchinterval() in microseconds; 0 = not known. If the program has replaced that
 * function, it is not called. */
static unsigned long read_interval_us(void) {
    PyObject *function = PySys_GetObject("getswitchinterval"); /* borrowed from sys */
    if (!function || !PyCFunction_Check(function))
        return 0;
    PyObject *seconds = PyObject_CallFunctionObjArgs(function, NULL);
    double value = seconds ? PyFloat_AsDouble(seconds) : 0;
    Py_XDECREF(seconds);
    PyErr_Clear();
    return value > 0 && value <= LONGEST_INTERVAL_US / 1e6 ? (unsigned long)(value * 1e6 + 0.5) : 0;
}

/* Does this look like a mutex of the default kind, as the interpreter makes it? */
static bool is_mutex(const pthread_mutex_t *mutex) {
#if defined(__GLIBC__)
    enum { KIND = 3 }; /* higher bits: whether the C library elides the lock */
    return (mutex->__data.__kind & KIND) == PTHREAD_MUTEX_TIMED_NP && mutex->__data.__lock >= 0 &&
           mutex->__data.__owner >= 0;
#else
    (void)mutex;
    return true;
#endif
}

static bool is_gil(const struct search *search, uintptr_t at) {
    struct sg_gil gil;
    return sg_memory_read(at, &gil, sizeof gil) && gil.last_holder == search->state &&
           gil.locked == 1 && gil.interval_us && gil.interval_us <= LONGEST_INTERVAL_US &&
           (!search->interval_us || gil.interval_us == search->interval_us) &&
           is_mutex(&gil.mutex) && is_mutex(&gil.switch_mutex);
}

static void try_place(struct search *search, uintptr_t at, uintptr_t place) {
    if (at == search->found || !is_gil(search, at))
        return;
    search->is_ambiguous = search->found != 0;
    search->found = at;
    search->place = place;
}

/* Return how many bytes of _PyRuntime to search: if the main interpreter's state lies in it, those
 * before that state. The state itself begins with a list of threads, which looks like a GIL while
 * one thread has been started: a number, the newest thread, and 1. */
static size_t count_runtime_bytes(uintptr_t interp) {
    uintptr_t start = (uintptr_t)sg_python_symbols.runtime;
    size_t known = sg_python_symbols.runtime_bytes, n_bytes = known ? known : UNKNOWN_RUNTIME_BYTES;
    return interp > start && interp - start < n_bytes ? interp - start : n_bytes;
}

static void search_runtime(struct search *search, uintptr_t interp) {
    uintptr_t words[CHUNK / WORD], start = (uintptr_t)sg_python_symbols.runtime;
    uintptr_t end = start + count_runtime_bytes(interp);
    for (uintptr_t chunk = start; chunk < end; chunk += CHUNK) {
        size_t n_bytes = end - chunk < CHUNK ? end - chunk : CHUNK;
        if (!sg_memory_read(chunk, words, n_bytes))
            return;
        for (size_t i = 0; i < n_bytes / WORD; i++) {
            uintptr_t at = chunk + i * WORD - offsetof(struct sg_gil, last_holder);
            if (words[i] == search->state && at >= start && at + sizeof(struct sg_gil) <= end)
                try_place(search, at, 0);
        }
    }
}

static void search_pointers(struct search *search, uintptr_t interp) {
    uintptr_t words[CHUNK / WORD];
    for (uintptr_t chunk = interp; chunk < interp + INTERP_WORDS * WORD; chunk += CHUNK) {
        if (!sg_memory_read(chunk, words, CHUNK))
            return;
        for (size_t i = 0; i < CHUNK / WORD; i++) {
            if (words[i] % WORD == 0 && words[i] - interp < MOST_INTERP_BYTES)
                try_place(search, words[i], chunk + i * WORD);
        }
    }
}

const char *sg_gil_search(uintptr_t *gil, int32_t *pointer) {
    uintptr_t state = (uintptr_t)PyThreadState_Get(), at;
    uintptr_t interp = sg_memory_load(state + (uintptr_t)sg_debug_offsets.thread_interp);
    struct search search = {.state = state, .interval_us = read_interval_us()};
    if (sg_debug_offsets.interp_gil >= 0) {
        uintptr_t place = interp + (uintptr_t)sg_debug_offsets.interp_gil;
        if (sg_memory_read(place, &at, sizeof at))
            try_place(&search, at, place);
    } else if (sg_debug_offsets.minor >= FIRST_MINOR_WITH_POINTER) {
        search_pointers(&search, interp);
    } else {
        search_runtime(&search, interp);
    }
    bool is_found = search.found && !search.is_ambiguous;
    *gil = is_found ? search.found : 0;
    *pointer = is_found && search.place ? (int32_t)(search.place - interp) : 0;
    if (search.is_ambiguous)
        return "more than one place in this interpreter looks like its GIL";
    return is_found ? NULL : "the GIL is not where it is expected in this interpreter";
}
