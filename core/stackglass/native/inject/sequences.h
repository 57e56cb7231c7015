/* Restartable sequences (rseq): code that the kernel starts anew if the thread is interrupted in
 * it. */
#ifndef STACKGLASS_INJECT_SEQUENCES_H
#define STACKGLASS_INJECT_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Does the stopped thread stand in one, at the instruction `at`? False if the kernel is older than
 * 5.13, which does not tell. Called by the thread that seized it. */
bool sg_sequences_is_inside(pid_t pid, pid_t thread, uint64_t at);

#endif
