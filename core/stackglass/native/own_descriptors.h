/* A descriptor table for the engine's threads alone.
 *
 *     program's threads, symboliser ──▶ table of the process    0 1 2 …  (as it was)
 *     writer and what it starts     ──▶ table of its own        sockets, perf events
 *
 * So nothing of ours is seen in /proc/PID/fd, closed by a closerange, inherited by a child, or
 * counted against the program's limit. The symboliser stays in the program's table: finalizers of
 * the program may run on it, and what they close must be theirs. */
#ifndef STACKGLASS_OWN_DESCRIPTORS_H
#define STACKGLASS_OWN_DESCRIPTORS_H

/* Give the calling thread, and those that it starts from now on, an empty table (0, 1 and 2 lead
 * to /dev/null). 0 or -errno; on an error the table is still shared, and untouched. */
int sg_own_descriptors(void);

#endif
