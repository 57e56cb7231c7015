/* A called function returns to address 0, and faults there; a system call is a single step, which
 * ends with SIGTRAP. Both ends are signals that only the tracer sees, but before it sees them, the
 * kernel makes the default action of a signal that the program ignores (dispositions.h). A quiet
 * system call ends without a signal:
 *
 *     stopped ──SYSCALL──▶ enters the call ──INTERRUPT, CONT──▶ TRAP: the call is done
 *
 * Unlike a stop at the call's end, that last stop is one after which the kernel restarts the call
 * that the thread was interrupted in. */
#include "inject/remote_call.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>

#include "inject/machines.h"
#include "inject/sent_signals.h"

enum { SYSTEM_CALL_STOP = SIGTRAP | 0x80 }; /* with PTRACE_O_TRACESYSGOOD */

/* Let the thread run until the called code faults or traps. There is no time-out: a thread in the
 * middle of a call cannot be restored. */
static enum sg_ran run_until_fault(pid_t thread, int request, struct sg_saved *saved, int *fault) {
    int deliver = 0;
    for (;;) {
        if (ptrace(request, thread, NULL, (void *)(intptr_t)deliver) != 0) {
            return errno == ESRCH ? SG_RAN_GONE : SG_RAN_ERROR;
        }
        deliver = 0;
        int signal = 0;
        switch (sg_tracee_wait_stop(thread, SG_NO_TIMEOUT, &signal)) {
        case SG_STOP_SIGNAL:
            if (sg_sent_signals_is_fault(signal)) {
                if (sg_sent_signals_keep(thread, signal, request == PTRACE_SINGLESTEP, saved)) {
                    break;
                }
                *fault = signal;
                return SG_RAN;
            }
            deliver = signal; /* SIGSTOP takes effect after the detach; or a change of users */
            break;
        case SG_STOP_TRAP:
        case SG_STOP_GROUP:
            break;
        default:
            saved->end_signal = signal;
            return SG_RAN_GONE;
        }
    }
}

/* Let the thread make the system call for which its registers are set, without a signal. */
static enum sg_ran run_quietly(pid_t thread, struct sg_saved *saved) {
    int request = PTRACE_SYSCALL, deliver = 0;
    if (ptrace(PTRACE_SETOPTIONS, thread, NULL, (void *)(intptr_t)PTRACE_O_TRACESYSGOOD) != 0)
        return errno == ESRCH ? SG_RAN_GONE : SG_RAN_ERROR;
    for (;;) {
        if (ptrace(request, thread, NULL, (void *)(intptr_t)deliver) != 0)
            return errno == ESRCH ? SG_RAN_GONE : SG_RAN_ERROR;
        deliver = 0;
        int signal = 0;
        switch (sg_tracee_wait_stop(thread, SG_NO_TIMEOUT, &signal)) {
        case SG_STOP_SIGNAL:
            if (signal == SYSTEM_CALL_STOP) {
                request = PTRACE_CONT;
                if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0)
                    return SG_RAN_GONE;
            } else if (!sg_sent_signals_is_fault(signal)) {
                deliver = signal;
            } else if (!sg_sent_signals_keep(thread, signal, false, saved)) {
                return SG_RAN_FAULT;
            }
            break;
        case SG_STOP_TRAP:
        case SG_STOP_GROUP:
            if (request == PTRACE_CONT)
                return SG_RAN;
            break;
        default:
            saved->end_signal = signal;
            return SG_RAN_GONE;
        }
    }
}

/* Let the thread run with `registers` until it faults or traps, or with PTRACE_SYSCALL through a
 * quiet system call; then `registers` become the thread's registers at that point. */
static enum sg_ran run_with(uint8_t *registers, pid_t thread, int request, struct sg_saved *saved,
                            int *fault) {
    if (sg_tracee_set_registers(thread, registers) != 0) {
        return SG_RAN_ERROR;
    }
    enum sg_ran ran = request == PTRACE_SYSCALL ? run_quietly(thread, saved)
                                                : run_until_fault(thread, request, saved, fault);
    if (ran == SG_RAN && sg_tracee_get_registers(thread, registers) != 0) {
        return SG_RAN_GONE;
    }
    return ran;
}

enum sg_ran sg_remote_call_run(pid_t pid, pid_t thread, struct sg_saved *saved, uint64_t stack_top,
                               uint64_t function, const uint64_t *arguments, size_t n_arguments,
                               uint64_t *result) {
    const struct sg_machine *machine = sg_machines_here;
    uint8_t registers[SG_REGISTERS_MAX];
    memcpy(registers, saved->registers, sizeof registers);
    uint64_t slot =
        sg_machine_prepare_call(machine, registers, function, arguments, n_arguments, stack_top);
    const uint64_t nowhere = 0;
    if (slot != 0 && sg_tracee_write_memory(pid, slot, &nowhere, sizeof nowhere) != 0) {
        return SG_RAN_ERROR;
    }
    int fault = 0;
    enum sg_ran ran = run_with(registers, thread, PTRACE_CONT, saved, &fault);
    if (ran != SG_RAN) {
        return ran;
    }
    *result = sg_machine_get_register(registers, machine->result);
    bool returned = sg_machine_get_register(registers, machine->program_counter) == 0 &&
                    (fault == SIGSEGV || fault == SIGBUS);
    return returned ? SG_RAN : SG_RAN_FAULT;
}

enum sg_ran sg_remote_call_run_system_call(pid_t thread, struct sg_saved *saved,
                                           uint64_t instruction, long number,
                                           const uint64_t *arguments, int64_t *result) {
    uint8_t registers[SG_REGISTERS_MAX];
    memcpy(registers, saved->registers, sizeof registers);
    sg_machine_prepare_system_call(sg_machines_here, registers, instruction, number, arguments);
    int fault = 0;
    enum sg_ran ran = run_with(registers, thread, PTRACE_SINGLESTEP, saved, &fault);
    if (ran != SG_RAN) {
        return ran;
    }
    *result = (int64_t)sg_machine_get_register(registers, sg_machines_here->result);
    return fault == SIGTRAP ? SG_RAN : SG_RAN_FAULT;
}

enum sg_ran sg_remote_call_run_quiet_system_call(pid_t thread, struct sg_saved *saved,
                                                 uint64_t instruction, long number,
                                                 const uint64_t *arguments, int64_t *result) {
    uint8_t registers[SG_REGISTERS_MAX];
    memcpy(registers, saved->registers, sizeof registers);
    sg_machine_prepare_system_call(sg_machines_here, registers, instruction, number, arguments);
    enum sg_ran ran = run_with(registers, thread, PTRACE_SYSCALL, saved, NULL);
    if (ran == SG_RAN)
        *result = (int64_t)sg_machine_get_register(registers, sg_machines_here->result);
    return ran;
}
