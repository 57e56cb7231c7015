/* A restartable sequence changes data of one processor without a lock, and commits with a single
 * store:
 *
 *     start ─▶ read the processor's data ─▶ compute ─▶ store
 *                        └─ interrupted ─▶ the kernel sets the thread to the abort address
 *
 * The kernel does this when the thread returns from the kernel to the program, if its program
 * counter is inside the sequence at that moment. If an interrupted thread makes an injected call
 * first, its program counter is elsewhere, and the kernel forgets the sequence. After the call the
 * registers are restored, the thread continues in the middle of the sequence, and its store
 * overwrites data that other threads have stored since. A signal does no such harm: the kernel sets
 * the thread to the abort address before it calls the handler. */
#include "inject/sequences.h"

#include <sys/ptrace.h>

#include "inject/tracee.h"

enum {
    GET_RSEQ_CONFIGURATION = 0x420f, /* PTRACE_GET_RSEQ_CONFIGURATION, Linux 5.13 */
    SEQUENCE_OF_AREA = 8,            /* offset of rseq_cs in struct rseq */
};

struct configuration { /* struct ptrace_rseq_configuration */
    uint64_t area;     /* address of the thread's struct rseq; 0 = none is registered */
    uint32_t area_size, signature, flags, unused;
};

struct sequence { /* struct rseq_cs */
    uint32_t version, flags;
    uint64_t start, size, abort;
};

bool sg_sequences_is_inside(pid_t pid, pid_t thread, uint64_t at) {
    struct configuration configuration = {.area = 0};
    void *size = (void *)(uintptr_t)sizeof configuration;
    /* The oldest supported C library does not have the constant, so the request is a number. */
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
