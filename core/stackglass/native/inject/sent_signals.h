/* Signals of faults that are not those of a call in the thread. They cannot be blocked meanwhile,
 * as a fault marks the end of the call. */
#ifndef STACKGLASS_INJECT_SENT_SIGNALS_H
#define STACKGLASS_INJECT_SENT_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

#include "inject/tracee.h"

bool sg_sent_signals_is_fault(int signal);
/* Has the stopped thread faulted, and is the signal still to come? A call would be taken for its
 * cause. */
bool sg_sent_signals_has_faulted(pid_t thread);
/* Was the signal that the thread is about to get sent by another thread or process, and not caused
 * by a fault of its own? Then it is kept. `is_step`: the thread makes a single step, whose end is a
 * SIGTRAP. */
bool sg_sent_signals_keep(pid_t thread, int signal, bool is_step, struct sg_saved *saved);
/* Send the thread, which has been restored and is still stopped, what was kept. */
void sg_sent_signals_give_back(pid_t pid, pid_t thread, struct sg_saved *saved);

#endif
