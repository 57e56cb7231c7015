/* Arena account: how many arenas Python's own allocator has, by the account that the interpreter
 * prints and that all versions from 3.9 to 3.15 export.
 *
 * The interpreter refuses while the allocator of objects is hooked. So for the time of the account
 * the allocator is the one that it was at `prepare`: with the GIL held, and where there is one
 * interpreter, no other thread allocates objects meanwhile. */
#ifndef STACKGLASS_INTERPRETER_ARENA_ACCOUNT_H
#define STACKGLASS_INTERPRETER_ARENA_ACCOUNT_H

/* Before anything is hooked. Caller holds the GIL, as for the account. */
void sg_arena_account_prepare(void);
/* -1 = the interpreter does not export it, another tool hooks the allocator, or there are several
 * interpreters. It looks at each pool of 16 KiB (4 KiB up to 3.9), which takes 6 to 40 ns. */
long sg_arena_account_count(void);

#endif
