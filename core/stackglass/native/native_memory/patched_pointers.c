/* Patched pointers: a list of slots with the value each had before. */
#include "native_memory/patched_pointers.h"

#include "interpreter/got_patch.h"
#include "platform/memory.h"

enum { MOST = 1024 };

/* Guarded by the claim of private_allocators.c, except in a forked child. */
static struct {
    void **slot;
    void *original, *wrapper;
} pointers[MOST];
static uint32_t n_pointers;

bool sg_patched_pointers_patch(void **slot, void *original, void *wrapper) {
    if (n_pointers == MOST || !sg_got_patch_store(slot, original, wrapper))
        return false;
    pointers[n_pointers].slot = slot;
    pointers[n_pointers].original = original;
    pointers[n_pointers++].wrapper = wrapper;
    return true;
}

uint32_t sg_patched_pointers_count(void) { return n_pointers; }

void sg_patched_pointers_cut(uint32_t n) {
    while (n_pointers > n) {
        n_pointers--;
        sg_got_patch_store(pointers[n_pointers].slot, pointers[n_pointers].wrapper,
                           pointers[n_pointers].original);
    }
}

void sg_patched_pointers_restore(uintptr_t start, uintptr_t end) {
    for (uint32_t i = 0; i < n_pointers; i++) {
        if ((uintptr_t)pointers[i].slot - start < end - start &&
            *pointers[i].slot == pointers[i].wrapper)
            sg_got_patch_store(pointers[i].slot, pointers[i].wrapper, pointers[i].original);
    }
}

void sg_patched_pointers_keep(bool is_there(uintptr_t address)) {
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < n_pointers; i++) {
        if (is_there((uintptr_t)pointers[i].slot))
            pointers[n_kept++] = pointers[i];
    }
    n_pointers = n_kept;
}

void sg_patched_pointers_forget(void) { n_pointers = 0; }

/* A library may have been unloaded, so slots are read by calls that cannot fault. */
void sg_patched_pointers_restore_in_child(void) {
    for (uint32_t i = 0; i < n_pointers; i++) {
        void *value;
        if (sg_memory_read((uintptr_t)pointers[i].slot, &value, sizeof value) &&
            value == pointers[i].wrapper)
            sg_got_patch_store(pointers[i].slot, value, pointers[i].original);
    }
    n_pointers = 0;
}
