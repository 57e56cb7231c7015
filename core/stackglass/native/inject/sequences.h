/* Restartable sequences (rseq): a thread that is stopped within one must not be given a call. */
#ifndef STACKGLASS_INJECT_SEQUENCES_H
#define STACKGLASS_INJECT_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Does the stopped thread, whose next instruction is `at`, stand in a restartable sequence? Kernels
 * before 5.13 do not say: then false. Called by the thread that has seized it with ptrace. */
bool sg_sequences_is_inside(pid_t pid, pid_t thread, uint64_t at);

#endif
