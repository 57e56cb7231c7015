/* Rules for the moment at which a thread may be made to call the loader. */
#ifndef STACKGLASS_INJECT_RULES_H
#define STACKGLASS_INJECT_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inject/machine.h"

/* Code during which the thread may hold a lock of the C library or its loader. */
struct sg_range {
    uint64_t start;
    uint64_t end;
    bool has_calls; /* but not while it is in a system call of the machine's list */
};

/* May a thread with these registers be made to call the loader? `code` is the machine code around
 * its program counter: as many bytes as a system call instruction has before it, and as many at it.
 */
bool sg_rules_may_inject(const struct sg_machine *machine, const void *registers,
                         const uint8_t *code, const struct sg_range *ranges, size_t n_ranges);

#endif
