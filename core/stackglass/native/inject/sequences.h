/* Restartable sequences (rseq): a thread that is stopped inside such a sequence must not make an
 * injected call. */
#ifndef STACKGLASS_INJECT_SEQUENCES_H
#define STACKGLASS_INJECT_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Is the stopped thread, whose next instruction is `at`, inside a restartable sequence? Returns
 * false on kernels before 5.13, which do not show that. The calling thread has seized the thread
 * with ptrace. */
bool sg_sequences_is_inside(pid_t pid, pid_t thread, uint64_t at);

#endif
