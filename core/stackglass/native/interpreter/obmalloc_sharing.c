/* How an interpreter is made, which is what the search relies on:
 *
 *     listed, with the maker's GIL held → GIL released → settings → own GIL made → objects
 *
 * The settings are written before the pointer to the GIL and never change afterwards. So an
 * interpreter that has a GIL has its settings. */
#include "interpreter/obmalloc_sharing.h"

#include <Python.h>

#include <stdint.h>

#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    FIRST_MINOR_OF_MANY_GILS = 12,
    FAKE_BYTES = 1 << 18,   /* every field that is needed lies below this offset */
    N_INT_BITS = 16,        /* bits of an int's index in the fake struct */
    MAIN_OBMALLOC = 1 << 5, /* Py_RTFLAGS_USE_MAIN_OBMALLOC */
    GIL_AT_IN_3_12 = 384,   /* offset of the pointer to the GIL in 3.12 */
    OWN_GIL_BEHIND_GIL = 8, /* int own_gil follows the pointer, 3.12 to 3.15 */
    MOST_STATE_BYTES = 1 << 20,
    MOST_INTERPRETERS = 1 << 16,
    MOST_SETTINGS = 64,
    USE_MAIN_OBMALLOC = 0, /* index of use_main_obmalloc in the settings */
    GIL = 6,               /* index of gil in the settings */
    OWN_GIL = 2,           /* its value PyInterpreterConfig_OWN_GIL */
};

/* CPython's PyInterpreterConfig, which the stable ABI hides: 7 ints, with room for more. */
struct settings {
    int values[MOST_SETTINGS];
};

typedef void *interpreter_fn(void);
typedef void *next_fn(void *interpreter);
typedef int has_feature_fn(void *interpreter, unsigned long feature);       /* 3.12 */
typedef int read_settings_fn(struct settings *settings, void *interpreter); /* 3.13 and later */

/* Written by the GIL worker at its first call; then constant. */
static bool is_learnt, is_known;
static interpreter_fn *get_head;
static uintptr_t main_interpreter;
static struct { uintptr_t next, gil, flags; } at;

/* Fill each int with ones if its index has `bit`, with zeros if not. */
static void fill(int *fake, int bit) {
    for (int i = 0; i < FAKE_BYTES / (int)sizeof *fake; i++)
        fake[i] = i >> bit & 1 ? -1 : 0;
}

static void learn_next(uintptr_t *fake, next_fn *get_next) {
    for (uintptr_t i = 0; i < FAKE_BYTES / sizeof *fake; i++)
        fake[i] = i * sizeof *fake;
    at.next = (uintptr_t)get_next(fake);
}

/* Learn where an interpreter state has its settings. CPython's functions read a setting from a
 * state. They are called with fake states in which each int holds one bit of its own index, and so
 * return the index of the setting bit by bit. */
static void learn_settings(int *fake, has_feature_fn *has_feature, read_settings_fn *read) {
    uintptr_t flags = 0, own_gil = 0;
    for (int bit = 0; bit < N_INT_BITS; bit++) {
        struct settings settings = {0};
        fill(fake, bit);
        if (read)
            read(&settings, fake);
        else
            settings.values[USE_MAIN_OBMALLOC] = has_feature(fake, MAIN_OBMALLOC);
        flags |= (uintptr_t)(settings.values[USE_MAIN_OBMALLOC] != 0) << bit;
        own_gil |= (uintptr_t)(settings.values[GIL] == OWN_GIL) << bit;
    }
    at.flags = flags * sizeof *fake;
    at.gil = read ? own_gil * sizeof *fake - OWN_GIL_BEHIND_GIL : GIL_AT_IN_3_12;
}

static uintptr_t read_word(uintptr_t interpreter, uintptr_t offset) {
    uintptr_t word;
    return sg_memory_read(interpreter + offset, &word, sizeof word) ? word : 0;
}

/* Do the offsets fit the main interpreter? Its GIL lies in its own state, and its allocator is the
 * main one. */
static bool are_offsets_right(void) {
    uintptr_t gil_offset = read_word(main_interpreter, at.gil) - main_interpreter;
    return at.next < FAKE_BYTES && at.gil < FAKE_BYTES && at.flags < FAKE_BYTES &&
           gil_offset < MOST_STATE_BYTES && read_word(main_interpreter, at.flags) & MAIN_OBMALLOC;
}

static void learn(void) {
    interpreter_fn *get_main;
    next_fn *get_next;
    has_feature_fn *has_feature;
    read_settings_fn *read;
    is_learnt = true;
    if (sg_python_symbols_running_minor() < FIRST_MINOR_OF_MANY_GILS)
        return;
    sg_python_symbols_look_up("PyInterpreterState_Main", &get_main);
    sg_python_symbols_look_up("PyInterpreterState_Head", &get_head);
    sg_python_symbols_look_up("PyInterpreterState_Next", &get_next);
    sg_python_symbols_look_up("_PyInterpreterState_HasFeature", &has_feature);
    sg_python_symbols_look_up("_PyInterpreterConfig_InitFromState", &read);
    void *fake = sg_memory_map(FAKE_BYTES);
    if (fake && get_main && get_head && get_next && (read || has_feature)) {
        main_interpreter = (uintptr_t)get_main();
        learn_next(fake, get_next);
        learn_settings(fake, has_feature, read);
        is_known = are_offsets_right();
    }
    sg_memory_unmap(fake, FAKE_BYTES);
}

/* Does the interpreter share the main allocator, but not `main_gil`? Reads the GIL before the
 * settings, because an interpreter that has a GIL has its settings. */
static bool shares(uintptr_t interpreter, uintptr_t main_gil) {
    uintptr_t gil = read_word(interpreter, at.gil);
    if (gil == main_gil)
        return false;
    return !gil || read_word(interpreter, at.flags) & MAIN_OBMALLOC;
}

bool sg_obmalloc_sharing_is_shared(void) {
    if (!is_learnt)
        learn();
    if (!is_known)
        return false;
    uintptr_t main_gil = read_word(main_interpreter, at.gil), interpreter = (uintptr_t)get_head();
    bool has_main = false;
    for (int n = 0; interpreter && n < MOST_INTERPRETERS; n++) {
        if (interpreter == main_interpreter)
            has_main = true;
        else if (shares(interpreter, main_gil))
            return true;
        interpreter = read_word(interpreter, at.next);
    }
    /* An interpreter with its own GIL may end during the walk, which then ends in its freed state.
     * The main interpreter is the oldest and the last in the list: a walk that has reached it has
     * seen all interpreters. */
    return interpreter || !has_main;
}
