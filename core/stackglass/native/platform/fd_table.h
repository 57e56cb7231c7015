/* A descriptor table for the engine's threads alone.
 *
 *     program's threads, symboliser ──▶ table of the process    0 1 2 …  (as it was)
 *     writer and what it starts     ──▶ table of its own        sockets, perf events
 *
 * So nothing of ours is seen in /proc/PID/fd, closed by a closerange, inherited by a child, or
 * counted against the program's limit. The symboliser stays in the program's table: finalizers of
 * the program may run on it, and what they close must be theirs. */
#ifndef STACKGLASS_PLATFORM_FD_TABLE_H
#define STACKGLASS_PLATFORM_FD_TABLE_H

#include <stdbool.h>

/* Give the calling thread, and those that it starts from now on, an empty table (0, 1 and 2 lead
 * to /dev/null). Where a system call filter forbids that, the table stays the program's:
 *
 *     0 1 2 3 …  the program's  … │ 960 …  the engine's
 *
 * High numbers, so that one that the program closes is not given out again soon; the engine then
 * finds its descriptor closed, and leaves. */
void sg_fd_table(void);
bool sg_fd_table_are_shared(void);

/* A descriptor that is to stay open: its number from now on. Engine threads. */
int sg_fd_table_keep(int descriptor);
/* Close one that was kept. */
void sg_fd_table_close(int descriptor);
/* In a forked child: close what came along in a shared table. */
void sg_fd_table_after_fork_in_child(void);

#endif
