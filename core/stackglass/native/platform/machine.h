/* Processor: the registers of an interrupted thread, the machine code of a system call, the longest
 * prologue of a function, and the relocation types of imports. */
#ifndef STACKGLASS_PLATFORM_MACHINE_H
#define STACKGLASS_PLATFORM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)

/* Number of bytes at the start of _PyEval_EvalFrameDefault in which a sample cannot trust the
 * control frame (3.11 and 3.12): the frame is published before it is filled in (measured: 308 of
 * 308 torn walks). */
enum { SG_CALL_ENTRY_BYTES = 0x120, SG_SYSCALL_BYTES = 2 };

/* Number of bytes of the prologue, after which the stack pointer is final; and a bound for the
 * distance from the stack pointer to the control frame, which is 0x80, 0xa0 and 0xb0 in the builds
 * examined. */
enum { SG_PROLOGUE_BYTES = 0x18, SG_ENTRY_STACK_BYTES = 0x140, SG_N_REGISTERS = REG_RSP };

/* Relocation types of imports: JUMP_SLOT, GLOB_DAT and a plain 64-bit address. */
enum { SG_RELOCATION_CALL = 7, SG_RELOCATION_POINTER = 6, SG_RELOCATION_DATUM = 1 };

static inline uintptr_t sg_machine_pc(const ucontext_t *context) {
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

static inline uintptr_t sg_machine_sp(const ucontext_t *context) {
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

/* General register `i`, 0 … SG_N_REGISTERS - 1, in the kernel's order. */
static inline uintptr_t sg_machine_register(const ucontext_t *context, int i) {
    return (uintptr_t)context->uc_mcontext.gregs[i];
}

/* Return value of a system call, or of a function. */
static inline intptr_t sg_machine_result(const ucontext_t *context) {
    return (intptr_t)context->uc_mcontext.gregs[REG_RAX];
}

static inline bool sg_machine_is_syscall(const uint8_t code[SG_SYSCALL_BYTES]) {
    return code[0] == 0x0f && code[1] == 0x05; /* syscall */
}

#elif defined(__aarch64__)

/* The same constants for aarch64. */
enum { SG_CALL_ENTRY_BYTES = 0x180, SG_SYSCALL_BYTES = 4 };
enum { SG_PROLOGUE_BYTES = 0x30, SG_ENTRY_STACK_BYTES = 0x180, SG_N_REGISTERS = 31 };
enum { SG_RELOCATION_CALL = 1026, SG_RELOCATION_POINTER = 1025, SG_RELOCATION_DATUM = 257 };

static inline uintptr_t sg_machine_pc(const ucontext_t *context) {
    return (uintptr_t)context->uc_mcontext.pc;
}

static inline uintptr_t sg_machine_sp(const ucontext_t *context) {
    return (uintptr_t)context->uc_mcontext.sp;
}

static inline uintptr_t sg_machine_register(const ucontext_t *context, int i) {
    return (uintptr_t)context->uc_mcontext.regs[i];
}

static inline intptr_t sg_machine_result(const ucontext_t *context) {
    return (intptr_t)context->uc_mcontext.regs[0];
}

static inline bool sg_machine_is_syscall(const uint8_t code[SG_SYSCALL_BYTES]) {
    static const uint8_t svc0[SG_SYSCALL_BYTES] = {0x01, 0x00, 0x00, 0xd4};
    return memcmp(code, svc0, sizeof svc0) == 0;
}

#else
#error "Stackglass supports x86-64 and aarch64"
#endif

#endif
