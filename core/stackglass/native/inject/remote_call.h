/* Remote call: one function call or system call in a foreign thread that is stopped and saved. */
#ifndef STACKGLASS_INJECT_REMOTE_CALL_H
#define STACKGLASS_INJECT_REMOTE_CALL_H

#include "inject/tracee.h"

/* SG_RAN: the call returned. SG_RAN_FAULT: it faulted. SG_RAN_GONE: the thread has ended.
 * SG_RAN_ERROR: the tracer could not make the call; errno says why. */
enum sg_ran { SG_RAN, SG_RAN_FAULT, SG_RAN_GONE, SG_RAN_ERROR };

/* Make a saved, stopped thread call `function`, or make the system call `number` at the system call
 * instruction `instruction`, and stop again. `result` becomes what the function returned, or what
 * the kernel returned, which is a negative errno if the system call failed. */
enum sg_ran sg_remote_call_run(pid_t pid, pid_t thread, struct sg_saved *saved, uint64_t stack_top,
                               uint64_t function, const uint64_t *arguments, size_t n_arguments,
                               uint64_t *result);
enum sg_ran sg_remote_call_run_system_call(pid_t thread, struct sg_saved *saved,
                                           uint64_t instruction, long number,
                                           const uint64_t *arguments, int64_t *result);
/* The same without a signal at the end, which the program may ignore (dispositions.h); slower. */
enum sg_ran sg_remote_call_run_quiet_system_call(pid_t thread, struct sg_saved *saved,
                                                 uint64_t instruction, long number,
                                                 const uint64_t *arguments, int64_t *result);

#endif
