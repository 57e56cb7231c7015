/* Search for interpreters that share an allocator but not the GIL.
 *
 *     made and listed, maker's GIL held → GIL released → settings → own GIL made → objects
 *
 * The settings are written before the pointer to the GIL and never change afterwards, so that an
 * interpreter with a GIL has its settings. */
#include "interpreter/obmalloc_sharing.h"

#include <Python.h>

#include <stdint.h>

#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    FIRST_MINOR_OF_MANY_GILS = 12,
    FAKE_BYTES = 1 << 18, /* every field needed lies below this offset */
    N_INT_BITS = 16,      /* of the number of an int among them */
    MAIN_OBMALLOC = 1 << 5,
    GIL_AT_IN_3_12 = 384,   /* the debug offsets begin with 3.13 */
    OWN_GIL_BEHIND_GIL = 8, /* int own_gil follows the pointer, 3.12 to 3.15 */
    MOST_STATE_BYTES = 1 << 20,
    MOST_INTERPRETERS = 1 << 16,
    MOST_SETTINGS = 64,
    USE_MAIN_OBMALLOC = 0, /* places among the settings */
    GIL = 6,
    OWN_GIL = 2,
};

/* As in the interpreter's headers, which hide it from the stable ABI: 7 ints. */
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

/* Each of the interpreter's own functions returns one setting. For fake structures in which each
 * int holds one bit of its own index, it returns the index of that setting bit by bit. */
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

/* The main interpreter's GIL lies in its own state, and its allocator is the main one. */
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

/* Reads the GIL before the settings, for the reason given at the top. */
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
    /* An interpreter with its own GIL may end meanwhile; its freed state leads nowhere. The main
     * interpreter is the oldest and last of the list: a walk that reached it has seen them all. */
    return interpreter || !has_main;
}
