/* Arena names: libraries that manage memory in arenas (native_memory/arenas.h), and the name of the
 * frame that stands for each library's arenas. */
#ifndef STACKGLASS_FRAMES_ARENA_NAMES_H
#define STACKGLASS_FRAMES_ARENA_NAMES_H

#include <stdint.h>

enum { SG_MOST_ARENA_LIBRARIES = 31 };

/* Return the number of the library whose file is `file`, and assign one at the first call. Returns
 * 0 if SG_MOST_ARENA_LIBRARIES libraries have one already. Only the writer calls this. */
uint32_t sg_arena_names_number(const char *file);

/* Return the file and the frame's name ("<arena of libduckdb.so>") of library `number`, both
 * constant texts. 0 stands for all libraries without a number. Any thread may ask for a number that
 * sg_arena_names_number has returned. */
const char *sg_arena_names_file(uint32_t number);
const char *sg_arena_names_frame(uint32_t number);

#endif
