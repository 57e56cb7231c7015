/* Restartable sequences of a stopped thread.
 *
 * A sequence changes data of one processor with no lock, and ends with a single store. If the
 * thread is interrupted before that, it must not go on: the kernel moves it to the sequence's abort
 * address, on its way back to the program. It looks at where the thread stands then. A thread that
 * was given to a call in between stands elsewhere, the kernel forgets the sequence, and once the
 * registers are restored the thread would go on in the middle of it, with another thread's stores
 * overwritten. A signal does no such harm: the kernel moves the thread before it calls a handler.
 */
#include "inject/sequences.h"

#include <sys/ptrace.h>

#include "inject/tracee.h"

enum {
    GET_RSEQ_CONFIGURATION = 0x420f, /* PTRACE_…, Linux 5.13 */
    SEQUENCE_OF_AREA = 8,            /* bytes into struct rseq */
};

struct configuration { /* struct ptrace_rseq_configuration */
    uint64_t area;     /* struct rseq of the thread; 0 = none is registered */
    uint32_t area_size, signature, flags, unused;
};

struct sequence { /* struct rseq_cs */
    uint32_t version, flags;
    uint64_t start, size, abort;
};

bool sg_sequences_is_inside(pid_t pid, pid_t thread, uint64_t at) {
    struct configuration configuration = {.area = 0};
    void *size = (void *)(uintptr_t)sizeof configuration;
    /* As a plain number: the constant is younger than the oldest C library. */
    if (ptrace((enum __ptrace_request)GET_RSEQ_CONFIGURATION, thread, size, &configuration) < 0 ||
        configuration.area == 0) {
        return false;
    }
    uint64_t address = 0;
    struct sequence sequence = {.size = 0};
    if (sg_tracee_read_memory(pid, configuration.area + SEQUENCE_OF_AREA, &address,
                              sizeof address) != 0) {
        return true;
    }
    return address != 0 && (sg_tracee_read_memory(pid, address, &sequence, sizeof sequence) != 0 ||
                            at - sequence.start < sequence.size);
}
