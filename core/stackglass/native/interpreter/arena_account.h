/* Arena account: how many arenas Python's own object allocator has, according to the statistics
 * that _PyObject_DebugMallocStats prints in all versions from 3.9 to 3.15, and how many blocks.
 *
 * The interpreter prints no statistics while the object allocator is hooked. So the allocator as it
 * was at sg_arena_account_prepare is put in place meanwhile. That is safe with the GIL held and if
 * there is one interpreter, since no other thread allocates objects then. */
#ifndef STACKGLASS_INTERPRETER_ARENA_ACCOUNT_H
#define STACKGLASS_INTERPRETER_ARENA_ACCOUNT_H

#include <stdint.h>

/* Remember the present allocator. Called before anything is hooked, with the GIL held. */
void sg_arena_account_prepare(void);
/* Return the number of arenas. Returns -1 if the interpreter does not export the statistics, if
 * memory is short, or if the allocator is hooked: by another tool, or by the engine while there are
 * several interpreters. The interpreter visits each pool of 16 KiB (4 KiB up to 3.9), which takes 6
 * to 40 ns each. The caller holds the GIL. */
long sg_arena_account_count(void);
/* Return the number of blocks in use, as sys.getallocatedblocks() counts them; -1 = not known. From
 * 3.12 on CPython visits the pools of all interpreters for it, and crashes if one with a GIL of its
 * own frees an arena meanwhile. So there is no number while there are several interpreters. The
 * caller holds the GIL. */
int64_t sg_arena_account_blocks(void);

#endif
