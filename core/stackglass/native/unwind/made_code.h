/* Run-time code: machine code in no library's file, which a JIT compiler may free or replace.
 *
 * The decoded parts are watched by a hash of their bytes. Once a hash differs, the caller discards
 * everything that it has learned from such code. Only one engine thread uses it. */
#ifndef STACKGLASS_UNWIND_MADE_CODE_H
#define STACKGLASS_UNWIND_MADE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Find the executable memory around `pc`. Returns false if there is none or it must not be read. */
bool sg_made_code_find(uintptr_t pc, uintptr_t *low, uintptr_t *high);
/* Copy some of the code; a sg_code_read_fn. Cannot fault, however soon the code is unmapped. */
bool sg_made_code_read(void *context, uintptr_t address, void *copy, size_t size);
/* Hash the bytes of [low, high). Returns false if they are too many or cannot be read. */
bool sg_made_code_hash(uintptr_t low, uintptr_t high, uint64_t *hash);
/* Watch [low, high), which had this hash before it was decoded. Returns false if it has changed
 * since, or if there is no room: then what was decoded must not be used. */
bool sg_made_code_watch(uintptr_t low, uintptr_t high, uint64_t hash);
/* Compare watched code with its hashes: all of it once a second, but no longer than until `end_ns`
 * in one call; the next call goes on. Returns false if some of it has changed, or if there was no
 * room to watch more: then the caller calls sg_made_code_forget. Both times: CLOCK_MONOTONIC. */
bool sg_made_code_is_valid(int64_t now_ns, int64_t end_ns);
/* Stop watching all code. */
void sg_made_code_forget(void);

#endif
