/* The child's side of fork(): see after_fork.h. */
#include "after_fork.h"

#include <pthread.h>
#include <stdatomic.h>

#include "agent.h"
#include "asyncio_hooks.h"
#include "census.h"
#include "contention.h"
#include "cpu.h"
#include "exit_hook.h"
#include "fork_gate.h"
#include "fork_warning.h"
#include "gil_looks.h"
#include "heap.h"
#include "lock_circles.h"
#include "lock_hooks.h"
#include "lock_look.h"
#include "lock_names.h"
#include "native_alloc.h"
#include "other_waits.h"
#include "own_descriptors.h"

static atomic_flag is_registered = ATOMIC_FLAG_INIT; /* lock-free */

/* Only this thread exists, and the parent's engine may have been in the middle of anything. The
 * descriptors of the engine's own table did not come along. */
static void reset_child(void) {
    sg_fork_gate_open();
    if (sg_agent_state() == SG_AGENT_ABSENT)
        return;
    sg_census_after_fork_in_child();
    sg_lock_names_after_fork_in_child();
    sg_lock_look_after_fork_in_child();
    sg_lock_circles_after_fork_in_child();
    sg_asyncio_hooks_after_fork_in_child();
    sg_lock_hooks_after_fork_in_child();
    sg_other_waits_after_fork_in_child();
    sg_contention_after_fork_in_child();
    sg_heap_after_fork_in_child();
    sg_gil_after_fork_in_child();
    sg_native_alloc_after_fork_in_child();
    sg_cpu_after_fork_in_child();
    sg_exit_forget();
    sg_fork_warning_unhook();
    sg_own_descriptors_after_fork_in_child();
    sg_agent_after_fork_in_child();
}

void sg_after_fork_register(void) {
    if (!atomic_flag_test_and_set(&is_registered))
        pthread_atfork(sg_fork_gate_close, sg_fork_gate_open, reset_child);
}
