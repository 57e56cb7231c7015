/* Pointers in libraries' closed pages that lead to us for a while, and what they held before. One
 * thread at a time; all but the last under the loader's lock, so that no library goes meanwhile. */
#ifndef STACKGLASS_NATIVE_MEMORY_PATCHED_POINTERS_H
#define STACKGLASS_NATIVE_MEMORY_PATCHED_POINTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Put `ours` into a slot that holds `original`; false if that cannot be done. */
bool sg_patched_pointers_patch(void **slot, void *original, void *ours);
uint32_t sg_patched_pointers_count(void);
/* Put back all but the first `n` of them. */
void sg_patched_pointers_cut(uint32_t n);
/* Put back those that lie in [start, end) and still lead to us. */
void sg_patched_pointers_restore(uintptr_t start, uintptr_t end);
/* Forget those that lie in no library any more. */
void sg_patched_pointers_keep(bool is_there(uintptr_t address));
void sg_patched_pointers_forget(void);

/* Put back what can be, in a forked child, where the loader's lock may be held for ever. */
void sg_patched_pointers_restore_in_child(void);

#endif
