/* Sets registers for a call, by the offsets of the processor's table. */
#include "inject/machine.h"

#include <string.h>

uint64_t sg_machine_get_register(const void *registers, uint16_t offset) {
    uint64_t value = 0;
    if (offset != SG_NO_REGISTER) {
        memcpy(&value, (const uint8_t *)registers + offset, sizeof value);
    }
    return value;
}

static void set_register(void *registers, uint16_t offset, uint64_t value) {
    if (offset != SG_NO_REGISTER) {
        memcpy((uint8_t *)registers + offset, &value, sizeof value);
    }
}

uint64_t sg_machine_prepare_call(const struct sg_machine *machine, void *registers,
                                 uint64_t function, const uint64_t *arguments, size_t n_arguments,
                                 uint64_t stack_top) {
    uint64_t stack = stack_top & ~UINT64_C(15);
    uint64_t return_slot = 0;
    if (machine->link == SG_NO_REGISTER) {
        /* A function expects the stack as a call instruction leaves it: the return address is
         * pushed on a multiple of 16. */
        stack -= 8;
        return_slot = stack;
    }
    for (size_t i = 0; i < n_arguments && i < SG_ARGUMENTS_MAX; i++) {
        set_register(registers, machine->call_argument[i], arguments[i]);
    }
    uint64_t flags = sg_machine_get_register(registers, machine->flags) & ~machine->flags_to_clear;
    set_register(registers, machine->flags, flags);
    set_register(registers, machine->link, 0);
    set_register(registers, machine->stack_pointer, stack);
    set_register(registers, machine->program_counter, function);
    if (machine->has_system_call_number) {
        /* With -1 as the number, the kernel does not restart the interrupted system call. */
        set_register(registers, machine->result, 0);
        set_register(registers, machine->system_call, UINT64_MAX);
    }
    return return_slot;
}

void sg_machine_prepare_system_call(const struct sg_machine *machine, void *registers,
                                    uint64_t address, long number, const uint64_t *arguments) {
    for (size_t i = 0; i < SG_ARGUMENTS_MAX; i++) {
        set_register(registers, machine->system_call_argument[i], arguments[i]);
    }
    if (machine->has_system_call_number) {
        set_register(registers, machine->system_call, UINT64_MAX);
    }
    set_register(registers, machine->system_call_slot, (uint64_t)number);
    set_register(registers, machine->program_counter, address);
}
