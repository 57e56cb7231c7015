/* The thread must not hold a lock of malloc or of the loader: the call would deadlock. The holders
 * of these locks are not visible from outside, but only code of the C library runs while they are
 * held. So a thread may be used if its program counter is outside that code, or if the thread is in
 * a system call that is never made with such a lock held. */
#include "inject/rules.h"

#include <string.h>

enum {
    FUTEX_COMMAND = 0x7f,  /* mask of the command, without FUTEX_PRIVATE_FLAG and CLOCK_REALTIME */
    FUTEX_WAIT_BITSET = 9, /* semaphores and conditions; malloc's lock waits with FUTEX_WAIT */
    FUTEX_OPERATION = 1,   /* index of the argument futex_op */
};

static const struct sg_range *find_range(const struct sg_range *ranges, size_t n_ranges,
                                         uint64_t address) {
    for (size_t i = 0; i < n_ranges; i++) {
        if (address >= ranges[i].start && address < ranges[i].end) {
            return &ranges[i];
        }
    }
    return NULL;
}

/* Return the number of the system call in which the thread is, or from which it has just returned;
 * -1 = none. */
static int64_t current_call(const struct sg_machine *machine, const void *registers,
                            const uint8_t *code) {
    if (!machine->has_system_call_number) {
        size_t size = machine->system_call_instruction_size;
        bool behind = memcmp(code, machine->system_call_instruction, size) == 0;
        bool before = memcmp(code + size, machine->system_call_instruction, size) == 0;
        if (!behind && !before) {
            return -1;
        }
    }
    return (int64_t)sg_machine_get_register(registers, machine->system_call);
}

static bool is_made_without_lock(const struct sg_machine *machine, const void *registers,
                                 int64_t call) {
    const int16_t *known = machine->lockless_calls;
    while (*known != -1 && *known != call) {
        known++;
    }
    if (*known == -1) {
        return false;
    }
    if (call == machine->futex) {
        uint64_t operation =
            sg_machine_get_register(registers, machine->system_call_argument[FUTEX_OPERATION]);
        return (operation & FUTEX_COMMAND) == FUTEX_WAIT_BITSET;
    }
    return true;
}

bool sg_rules_may_inject(const struct sg_machine *machine, const void *registers,
                         const uint8_t *code, const struct sg_range *ranges, size_t n_ranges) {
    uint64_t at = sg_machine_get_register(registers, machine->program_counter);
    const struct sg_range *range = find_range(ranges, n_ranges, at);
    if (range == NULL) {
        return true;
    }
    if (!range->has_calls) {
        return false;
    }
    int64_t call = current_call(machine, registers, code);
    return call >= 0 && is_made_without_lock(machine, registers, call);
}
