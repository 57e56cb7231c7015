/* Descriptor table of the engine's threads, apart from the program's.
 *
 *     program's threads, GIL worker  ──▶ table of the process    0 1 2 …  (as it was)
 *     writer, and what it starts     ──▶ the engine's table      sockets, perf events
 *
 * So no descriptor of the engine is visible in /proc/PID/fd, closed by a closerange, inherited by a
 * child, or counted against the program's limit. The GIL worker stays in the program's table:
 * finalizers of the program may run on it, and they close the program's descriptors. */
#ifndef STACKGLASS_PLATFORM_FD_TABLE_H
#define STACKGLASS_PLATFORM_FD_TABLE_H

#include <stdbool.h>

/* Leave the program's table: give the calling thread, and the threads that it starts from now on,
 * an empty table (0, 1 and 2 are /dev/null). Where a system call filter forbids that, they share
 * the program's table:
 *
 *     0 1 2 3 …  the program's  … │ 960 …  the engine's
 *
 * The engine's numbers are high, so that a number which the program closes is not reused soon; the
 * engine then finds its descriptor closed, and detaches. */
void sg_fd_table_leave(void);
bool sg_fd_table_is_shared(void);

/* Keep a descriptor open. Returns its number from now on. Called by engine threads. */
int sg_fd_table_keep(int descriptor);
/* Close a kept descriptor. */
void sg_fd_table_close(int descriptor);
/* Close the descriptors that a forked child inherited through a shared table. */
void sg_fd_table_after_fork_in_child(void);

#endif
