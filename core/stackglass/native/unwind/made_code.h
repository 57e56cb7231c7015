/* Code made at run time: machine code in no library's file, which its maker may free, or replace.
 *
 * What was decoded of it is watched: once its bytes are others, nothing is known of it any more.
 * One engine thread. */
#ifndef STACKGLASS_UNWIND_MADE_CODE_H
#define STACKGLASS_UNWIND_MADE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The executable memory around `pc`; false if there is none, or it must not be read. */
bool sg_made_code_find(uintptr_t pc, uintptr_t *low, uintptr_t *high);
/* Copy some of it: a sg_code_read_fn. */
bool sg_made_code_read(void *context, uintptr_t address, void *copy, size_t size);
/* Watch [low, high). False if there is no room: then it must not be relied on. */
bool sg_made_code_watch(uintptr_t low, uintptr_t high);
/* Whether all that is watched is as it was. Compares at most once a second. */
bool sg_made_code_is_same(int64_t now_ns);
/* Watch nothing. */
void sg_made_code_forget(void);

#endif
