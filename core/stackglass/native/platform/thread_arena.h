/* The malloc arena of the engine's threads: one that the program has, not one of their own.
 *
 * The C library makes an arena for each new thread that allocates, 64 MiB of address space which it
 * never gives back; a program under RLIMIT_AS would be short of them after every attach. Which
 * arena a thread uses is a word of the C library's thread-local storage. On a thread of the program
 * that word is found by what it points to, and on the engine's it is set before the first malloc:
 *
 *     program's thread   TLS … │ arena │ …      engine's thread   TLS … │ NULL ─▶ arena │ …
 *                                 └─▶ bins: 127 lists in a row, each empty and so pointing to
 * itself, or of chunks that point back: nothing else looks like that
 *
 * Where it is not found (another malloc, another C library) the threads get arenas as usual. */
#ifndef STACKGLASS_PLATFORM_THREAD_ARENA_H
#define STACKGLASS_PLATFORM_THREAD_ARENA_H

#include <stdbool.h>

/* Find the word, on a thread of the program that has allocated. Allocates nothing; takes the
 * loader's lock. */
void sg_thread_arena_learn(void);

/* By an engine thread: first of all, and last of all. */
void sg_thread_arena_enter(void);
void sg_thread_arena_leave(void);

/* Whether the calling thread has the learned arena: for tests. */
bool sg_thread_arena_is_set(void);

#endif
