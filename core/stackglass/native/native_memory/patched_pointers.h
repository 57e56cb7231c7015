/* Patched pointers in libraries' read-only pages (RELRO), and what they held before. One thread at
 * a time; all but the last call under the loader's lock, so that no library is unloaded meanwhile.
 */
#ifndef STACKGLASS_NATIVE_MEMORY_PATCHED_POINTERS_H
#define STACKGLASS_NATIVE_MEMORY_PATCHED_POINTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Replace `original` in a slot by `wrapper`; false if that fails. */
bool sg_patched_pointers_patch(void **slot, void *original, void *wrapper);
uint32_t sg_patched_pointers_count(void);
/* Restore all but the first `n`. */
void sg_patched_pointers_cut(uint32_t n);
/* Restore those in [start, end) that still hold the wrapper. */
void sg_patched_pointers_restore(uintptr_t start, uintptr_t end);
/* Forget those that are not `is_there`: their libraries have been unloaded. */
void sg_patched_pointers_keep(bool is_there(uintptr_t address));
void sg_patched_pointers_forget(void);

/* Restore what can be, in a forked child, where the loader's lock may be held for ever. */
void sg_patched_pointers_restore_in_child(void);

#endif
