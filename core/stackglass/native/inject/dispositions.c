/* An action is read and written back in the kernel's layout, of which only the beginning is known
 * here: the handler. A program that has changed the action meanwhile keeps its own. */
#include "inject/dispositions.h"

#include <signal.h>

#include "inject/machines.h"
#include "inject/remote_call.h"
#include "inject/sent_signals.h"

enum { MASK_BYTES = 8 }; /* of the kernel's sigset_t */

static bool is_ignored(const struct sg_injection *injection, int signal) {
    return sg_sent_signals_is_fault(signal) &&
           (injection->ignored_signals >> (signal - 1) & 1) != 0;
}

bool sg_dispositions_has_ignored(const struct sg_injection *injection) {
    bool has_any = false;
    for (int signal = 1; signal <= SIGSYS; signal++)
        has_any |= is_ignored(injection, signal);
    return has_any;
}

void sg_dispositions_restore(const struct sg_injection *injection, pid_t thread,
                             struct sg_saved *saved, uint64_t scratch) {
    const long number = sg_machines_here->rt_sigaction;
    const uint64_t at = injection->system_call, ignore = (uint64_t)(uintptr_t)SIG_IGN;
    for (int signal = 1; signal <= SIGSYS; signal++) {
        const uint64_t read[SG_ARGUMENTS_MAX] = {(uint64_t)signal, 0, scratch, MASK_BYTES};
        const uint64_t write[SG_ARGUMENTS_MAX] = {(uint64_t)signal, scratch, 0, MASK_BYTES};
        uint64_t handler = 0;
        int64_t failed = 0;
        if (is_ignored(injection, signal) &&
            sg_remote_call_run_quiet_system_call(thread, saved, at, number, read, &failed) ==
                SG_RAN &&
            !failed &&
            sg_tracee_read_memory(injection->pid, scratch, &handler, sizeof handler) == 0 &&
            handler == (uint64_t)(uintptr_t)SIG_DFL &&
            sg_tracee_write_memory(injection->pid, scratch, &ignore, sizeof ignore) == 0)
            sg_remote_call_run_quiet_system_call(thread, saved, at, number, write, &failed);
    }
}
