/* Atexit slots: see atexit_slots.h.
 *
 * The list is in the state of the module (3.9) or of the interpreter (3.10 to 3.13), at an unknown
 * offset. It is found by its form: a pointer to slots, their number, which atexit._ncallbacks()
 * returns, and their capacity; and one of the slots has the callback. */
#include "worker/atexit_slots.h"

#include <stdbool.h>
#include <string.h>

#include "platform/memory.h"

enum {
    SCANNED_BYTES = 512 * 1024, /* an interpreter's state is some 100 to 400 KiB */
    PAGE_BYTES = 4096,
    MAX_CALLBACKS = 1 << 16,
};

struct list {
    uintptr_t slots; /* each a pointer to a struct that starts with the function */
    int n;
    int room;
};

static int count_callbacks(PyObject *atexit) {
    PyObject *count = PyObject_CallMethod(atexit, "_ncallbacks", NULL);
    long n = count ? PyLong_AsLong(count) : -1;
    Py_XDECREF(count);
    PyErr_Clear();
    return n > 0 && n <= MAX_CALLBACKS ? (int)n : 0;
}

/* The slot of the list that holds `callback`; -1 = none, or it is no list. */
static int find_in(const struct list *list, int n, const PyObject *callback) {
    if (list->n != n || list->room < n || list->room > 4 * MAX_CALLBACKS || list->slots % 8)
        return -1;
    for (int i = n; i-- > 0;) {
        uintptr_t slot, function;
        if (!sg_memory_read(list->slots + 8 * (uintptr_t)i, &slot, sizeof slot))
            return -1;
        if (slot && sg_memory_read(slot, &function, sizeof function) &&
            function == (uintptr_t)callback)
            return i;
    }
    return -1;
}

static struct sg_atexit_slot scan(uintptr_t start, size_t size, int n, const PyObject *callback) {
    for (size_t done = 0; done < size; done += PAGE_BYTES) {
        uint8_t page[PAGE_BYTES + sizeof(struct list)];
        size_t wanted = size - done < sizeof page ? size - done : sizeof page;
        if (!sg_memory_read(start + done, page, wanted))
            break;
        for (size_t at = 0; at < PAGE_BYTES && at + sizeof(struct list) <= wanted; at += 8) {
            struct list list;
            memcpy(&list, page + at, sizeof list);
            int found = find_in(&list, n, callback);
            if (found >= 0)
                return (struct sg_atexit_slot){start + done + at, found};
        }
    }
    return (struct sg_atexit_slot){0, 0};
}

struct sg_atexit_slot sg_atexit_slot_find(PyObject *atexit, PyObject *callback) {
    int n = count_callbacks(atexit);
    struct sg_atexit_slot found = {0, 0};
    void *state = PyModule_GetState(atexit);
    if (n && state)
        found = scan((uintptr_t)state, sizeof(struct list), n, callback);
    if (n && !found.list)
        found = scan((uintptr_t)PyInterpreterState_Get(), SCANNED_BYTES, n, callback);
    return found;
}

void sg_atexit_slot_close(const struct sg_atexit_slot *slot) {
    struct list *list = (struct list *)slot->list;
    if (!list || slot->at >= list->n)
        return;
    void **slots = (void **)list->slots;
    if (slots[slot->at]) /* 3.14 and later leave no empty slot */
        return;
    memmove(slots + slot->at, slots + slot->at + 1,
            (size_t)(list->n - slot->at - 1) * sizeof *slots);
    list->n--;
    slots[list->n] = NULL;
}
