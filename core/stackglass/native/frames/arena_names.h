/* Names of libraries with arenas (native_memory/arenas.h), and of the frames that stand for them.
 */
#ifndef STACKGLASS_FRAMES_ARENA_NAMES_H
#define STACKGLASS_FRAMES_ARENA_NAMES_H

#include <stdint.h>

enum { SG_MOST_ARENA_LIBRARIES = 31 };

/* The number of a library's file, a new one if it has none; 0 if there are too many. Called by the
 * writer. */
uint32_t sg_arena_names_number(const char *file);

/* Constant texts by number; 0 stands for all libraries without a number. A frame's name is "<arena
 * of libduckdb.so>". Any thread that has the number. */
const char *sg_arena_names_file(uint32_t number);
const char *sg_arena_names_frame(uint32_t number);

#endif
