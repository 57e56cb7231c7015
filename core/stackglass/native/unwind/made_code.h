/* Run-time code: machine code in no library's file, which a JIT compiler may free or replace.
 *
 * The decoded parts are watched: once their bytes change, everything learned from them is
 * discarded. Only one engine thread uses it. */
#ifndef STACKGLASS_UNWIND_MADE_CODE_H
#define STACKGLASS_UNWIND_MADE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Find the executable memory around `pc`. Returns false if there is none or it must not be read. */
bool sg_made_code_find(uintptr_t pc, uintptr_t *low, uintptr_t *high);
/* Copy some of the code; a sg_code_read_fn. */
bool sg_made_code_read(void *context, uintptr_t address, void *copy, size_t size);
/* Watch [low, high). Returns false if there is no room, it is too large or cannot be read: then the
 * code must not be relied on. */
bool sg_made_code_watch(uintptr_t low, uintptr_t high);
/* Return whether all watched code is unchanged. Compares at most once a second. */
bool sg_made_code_is_same(int64_t now_ns);
/* Stop watching all code. */
void sg_made_code_forget(void);

#endif
