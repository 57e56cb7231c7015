/* Names of libraries with arenas (native_memory/arenas.h), and of the frames that stand for them.
 */
#ifndef STACKGLASS_FRAMES_ARENA_NAMES_H
#define STACKGLASS_FRAMES_ARENA_NAMES_H

#include <stdint.h>

enum { SG_MOST_ARENA_LIBRARIES = 31 };

/* The number of a library's file, a new one if it has none; 0 if there are too many. The writer's
 * call. */
uint32_t sg_arena_names_number(const char *file);

/* By number, constant; number 0 stands for all libraries without one. The frame's is "<arena of
 * libduckdb.so>". Any thread, once it has the number. */
const char *sg_arena_names_file(uint32_t number);
const char *sg_arena_names_frame(uint32_t number);

#endif
