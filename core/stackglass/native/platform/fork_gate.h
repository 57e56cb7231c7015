/* Fork gate: keeps a fork of the program out of the moments in which an engine thread holds a lock
 * that the forked child would inherit without its owner.
 *
 *     engine thread:  enter … leave         waits while a fork is in progress
 *     fork handlers:  before … after        waits while an engine thread is inside
 *
 * The locks meant here are those that the C library and the interpreter do not release in a child:
 * the loader's list of libraries, and up to 3.10 the interpreter's list of thread states. Both
 * sides wait for SG_FORK_GATE_LIMIT_NS at most, so that they cannot be part of a deadlock with
 * another lock of the program. */
#ifndef STACKGLASS_PLATFORM_FORK_GATE_H
#define STACKGLASS_PLATFORM_FORK_GATE_H

#include <stdbool.h>
#include <stdint.h>

#define SG_FORK_GATE_LIMIT_NS (INT64_C(1000) * 1000 * 1000)

/* Called by engine threads, and by the thread that starts the engine. Not nested. */
void sg_fork_gate_enter(void);
void sg_fork_gate_leave(void);

/* Fork handlers: before the fork; after it, in the parent and in the child. */
void sg_fork_gate_before(void);
void sg_fork_gate_after(void);
void sg_fork_gate_after_in_child(void);

/* For tests: whether no fork is in progress, and no engine thread is inside. */
bool sg_fork_gate_is_free(void);

#endif
