/* Machine: a processor's table for calls in a foreign thread.
 *
 * The table has offsets into the registers that PTRACE_GETREGSET returns. So the code that uses the
 * table is the same on every processor, and the table of one processor can be tested on another. */
#ifndef STACKGLASS_INJECT_MACHINE_H
#define STACKGLASS_INJECT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SG_REGISTERS_MAX = 272, /* bytes; aarch64 has the most */
    SG_ARGUMENTS_MAX = 6,   /* of a system call */
    SG_NO_REGISTER = 0xffff,
};

struct sg_machine {
    const char *name;
    size_t registers_size; /* bytes of NT_PRSTATUS */

    /* Byte offsets of 64-bit registers in NT_PRSTATUS; SG_NO_REGISTER = there is none. */
    uint16_t program_counter;
    uint16_t stack_pointer;
    uint16_t flags;
    uint16_t result;
    uint16_t link;             /* return address of a called function; none = on the stack */
    uint16_t system_call;      /* number of the system call in which the thread is stopped */
    uint16_t system_call_slot; /* number of the system call that the thread is to make */
    uint16_t call_argument[SG_ARGUMENTS_MAX];
    uint16_t system_call_argument[SG_ARGUMENTS_MAX];

    /* Flag bits that a called function may rely on being clear. */
    uint64_t flags_to_clear;
    /* True if the system_call register is -1 while the thread is in no system call. If false, the
     * instruction at the program counter, or right before it, shows whether the thread is in a
     * system call. */
    bool has_system_call_number;
    /* The kernel prepares the restart of an interrupted timed wait only after the first stop. */
    bool stops_twice;

    uint8_t system_call_instruction[4];
    size_t system_call_instruction_size;

    /* Register sets (ELF note types, NT_…) beyond the general ones that a called function may
     * change; 0 ends the list. */
    int vector_notes[3];
    /* The register set that holds the number of the interrupted system call; 0 = there is none. */
    int system_call_note;

    long mmap, munmap, rt_sigaction, futex; /* system call numbers */
    /* Numbers of system calls that the C library does not make while it holds a lock of malloc or
     * the loader, ended by -1. The list has the calls in which threads wait, and the calls that
     * programs make in loops, so that a thread that does little else can be used. It does not have
     * the calls that malloc, the loader and the start of a thread need (brk, mmap, clone, openat,
     * close, ...). */
    const int16_t *lockless_calls;
};

/* Return the register at `offset`; 0 if `offset` is SG_NO_REGISTER. */
uint64_t sg_machine_get_register(const void *registers, uint16_t offset);

/* Change `registers` so that the thread, when resumed, calls `function` on the stack that ends at
 * `stack_top` and returns to address 0. Returns the address at which the caller must write 8 zero
 * bytes, or 0 if the return address is in a register. */
uint64_t sg_machine_prepare_call(const struct sg_machine *machine, void *registers,
                                 uint64_t function, const uint64_t *arguments, size_t n_arguments,
                                 uint64_t stack_top);
/* Change `registers` so that a single step executes the system call instruction at `address`, with
 * the system call `number` and SG_ARGUMENTS_MAX `arguments`. */
void sg_machine_prepare_system_call(const struct sg_machine *machine, void *registers,
                                    uint64_t address, long number, const uint64_t *arguments);

#endif
