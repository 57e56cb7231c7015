/* All that we know of the processor: where a signal interrupted a thread, what a system call looks
 * like in machine code, how long a function's prologue may be, and how imports are numbered. */
#ifndef STACKGLASS_PLATFORM_MACHINE_H
#define STACKGLASS_PLATFORM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)

/* Bytes of _PyEval_EvalFrameDefault that a sample cannot trust on 3.11 and 3.12: the thread's
 * control frame is published there before it is filled (measured: 308 of 308 torn walks). */
enum { SG_CALL_ENTRY_BYTES = 0x120, SG_SYSCALL_BYTES = 2 };

/* How far into it the stack pointer is final, and how near to that its control frame lies: at
 * 0x80, 0xa0 and 0xb0 in the builds that were looked at. */
enum { SG_PROLOGUE_BYTES = 0x18, SG_ENTRY_STACK_BYTES = 0x140, SG_N_REGISTERS = REG_RSP };

/* How a library says what it imports: ELF's JUMP_SLOT, GLOB_DAT and plain 64-bit address. */
enum { SG_RELOCATION_CALL = 7, SG_RELOCATION_POINTER = 6, SG_RELOCATION_DATUM = 1 };

static inline uintptr_t sg_machine_pc(const ucontext_t *context) {
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

static inline uintptr_t sg_machine_sp(const ucontext_t *context) {
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

/* General registers 0 … SG_N_REGISTERS - 1, in the system's order. */
static inline uintptr_t sg_machine_register(const ucontext_t *context, int i) {
    return (uintptr_t)context->uc_mcontext.gregs[i];
}

/* What a system call has returned, or a function. */
static inline intptr_t sg_machine_result(const ucontext_t *context) {
    return (intptr_t)context->uc_mcontext.gregs[REG_RAX];
}

static inline bool sg_machine_is_syscall(const uint8_t code[SG_SYSCALL_BYTES]) {
    return code[0] == 0x0f && code[1] == 0x05; /* syscall */
}

#elif defined(__aarch64__)

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
#error "Stackglass knows x86-64 and aarch64"
#endif

#endif
