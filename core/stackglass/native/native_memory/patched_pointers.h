/* Patched pointers: pointers in libraries' tables and read-only pages (RELRO), and what they held
 * before. One thread at a time: the one that has the claim of private_allocators.c. `patch`, `cut`
 * and `restore` are called under the loader's lock, so that no library is unloaded meanwhile. */
#ifndef STACKGLASS_NATIVE_MEMORY_PATCHED_POINTERS_H
#define STACKGLASS_NATIVE_MEMORY_PATCHED_POINTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Replace `original` in `slot` by `wrapper`. Returns false if that fails or the list is full. */
bool sg_patched_pointers_patch(void **slot, void *original, void *wrapper);
uint32_t sg_patched_pointers_count(void);
/* Restore all pointers but the first `n`, and forget them. */
void sg_patched_pointers_cut(uint32_t n);
/* Restore the pointers in [start, end) that still hold the wrapper. */
void sg_patched_pointers_restore(uintptr_t start, uintptr_t end);
/* Forget the pointers whose address is not `is_there`: their libraries have been unloaded. */
void sg_patched_pointers_keep(bool is_there(uintptr_t address));
void sg_patched_pointers_forget(void);

/* Restore the pointers that are still mapped, in a forked child, where the loader's lock may be
 * held for ever. */
void sg_patched_pointers_restore_in_child(void);

#endif
