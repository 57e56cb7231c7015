/* Seen tasks: the tasks that earlier slices of a dump have read, so that later ones pass over
 * them. */
#ifndef STACKGLASS_THREADS_DUMP_SEEN_H
#define STACKGLASS_THREADS_DUMP_SEEN_H

#include "threads/dump_rows.h"

/* Add the tasks of the last slice to `dump->seen`, and drop second rows of tasks that it has read
 * twice. Called after each slice, best without the GIL; if it was not, the next slice calls it. */
void sg_dump_seen_note(struct sg_thread_dump *dump);

#endif
