/* Interrupted system calls. */
#include "unwind/system_call.h"

#include <string.h>

#include "platform/memory.h"

#ifdef __x86_64__

enum {
    SYSCALL_BYTES = 2, /* 0F 05 */
    MOVE_BYTES = 5,    /* B8 and the number: mov $number, %eax */
    CLEAR_BYTES = 2,   /* 31 C0: xor %eax, %eax */
    BEFORE_BYTES = MOVE_BYTES,
};

static const unsigned char SYSCALL[] = {0x0F, 0x05}, CLEAR[] = {0x31, 0xC0};

/* The number that the instructions before `syscall` load; libraries have both side by side. */
static uint32_t read_number(const unsigned char *before) {
    uint32_t number;
    if (before[0] == 0xB8) {
        memcpy(&number, before + 1, sizeof number);
        return number;
    }
    bool is_cleared = !memcmp(before + BEFORE_BYTES - CLEAR_BYTES, CLEAR, CLEAR_BYTES);
    return is_cleared ? 0 : SG_SYSTEM_CALL_UNKNOWN;
}

/* The instruction leaves the address behind it in rcx, and the kernel keeps rcx. A call that is to
 * begin again has its number in rax, and rip at the instruction. */
bool sg_system_call_find(const ucontext_t *context, struct sg_frame *frame) {
    const greg_t *values = context->uc_mcontext.gregs;
    uintptr_t pc = (uintptr_t)values[REG_RIP], behind = (uintptr_t)values[REG_RCX];
    if (behind != pc && behind != pc + SYSCALL_BYTES)
        return false;
    unsigned char code[BEFORE_BYTES + SYSCALL_BYTES];
    if (!sg_memory_read_probed(behind - sizeof code, code, sizeof code) ||
        memcmp(code + BEFORE_BYTES, SYSCALL, SYSCALL_BYTES))
        return false;
    uint64_t number = behind == pc ? read_number(code) : (uint64_t)values[REG_RAX];
    if (number > SG_SYSTEM_CALL_UNKNOWN)
        number = SG_SYSTEM_CALL_UNKNOWN;
    *frame = sg_frame_of_native(SG_SYSTEM_CALL_BASE + (number + 1) * SG_SYSTEM_CALL_STEP);
    return true;
}

#else

bool sg_system_call_find(const ucontext_t *context, struct sg_frame *frame) {
    (void)context;
    (void)frame;
    return false;
}

#endif
