/* Malloc arena of the engine's threads: they share the program's, instead of getting new ones.
 *
 * The C library makes an arena for each new thread that allocates: 64 MiB of address space, never
 * unmapped. A program under RLIMIT_AS would lose them at every attach. A word of the C library's
 * thread-local storage says which arena a thread uses. On a thread of the program that word is
 * found by what it points to; on an engine thread it is set before the first malloc:
 *
 *     program's thread   TLS … │ arena │ …      engine thread   TLS … │ NULL ─▶ arena │ …
 *                                  └─▶ bins: 127 lists, each empty (its head points to itself)
 *                                            or of chunks that point back to the head
 *
 * Nothing else looks like that. If the word is not found (another malloc, another C library), the
 * engine's threads get arenas as usual. */
#ifndef STACKGLASS_PLATFORM_THREAD_ARENA_H
#define STACKGLASS_PLATFORM_THREAD_ARENA_H

/* Find the word. Called by a thread of the program that has used malloc. Allocates nothing; takes
 * the loader's lock. */
void sg_thread_arena_learn(void);

/* Set and clear the word of an engine thread; its first and its last call. */
void sg_thread_arena_enter(void);
void sg_thread_arena_leave(void);

#endif
