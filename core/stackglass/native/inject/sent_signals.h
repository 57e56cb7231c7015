/* Sent signals: fault signals (SIGSEGV, SIGTRAP, …) that another thread or process sends to the
 * thread during an injected call. They cannot be blocked, since a fault of the thread itself marks
 * the end of the call. So they are recognised, kept, and sent again after the call. */
#ifndef STACKGLASS_INJECT_SENT_SIGNALS_H
#define STACKGLASS_INJECT_SENT_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

#include "inject/tracee.h"

/* Is `signal` one that the kernel sends for a fault? */
bool sg_sent_signals_is_fault(int signal);
/* Has the stopped thread faulted, with the signal still pending? Then no call may be made, because
 * the signal would be taken for the end of the call. */
bool sg_sent_signals_has_faulted(pid_t thread);
/* The thread is about to get `signal`. If another thread or process has sent it, keep it in `saved`
 * and return true. Returns false if the thread itself has caused the signal. `is_step`: the thread
 * makes a single step, which ends with a SIGTRAP. */
bool sg_sent_signals_keep(pid_t thread, int signal, bool is_step, struct sg_saved *saved);
/* Send the kept signals to the thread, which has been restored and is still stopped. */
void sg_sent_signals_give_back(pid_t pid, pid_t thread, struct sg_saved *saved);

#endif
