/* Rules: at which moment a thread may be made to call the loader. */
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
    bool has_calls; /* the thread holds no lock there during a call of machine.h's lockless_calls */
};

/* May a thread with these registers be made to call the loader? `code` is the machine code around
 * the thread's program counter: the bytes of one system call instruction before it, and of one at
 * it. */
bool sg_rules_may_inject(const struct sg_machine *machine, const void *registers,
                         const uint8_t *code, const struct sg_range *ranges, size_t n_ranges);

#endif
