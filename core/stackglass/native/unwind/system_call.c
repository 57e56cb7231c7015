/* The registers and the machine code around the instruction `syscall` give the call's number. */
#include "unwind/system_call.h"

#include <string.h>

#include "platform/memory.h"

#ifdef __x86_64__

enum {
    SYSCALL_BYTES = 2, /* 0F 05 */
    MOVE_BYTES = 5,    /* B8 and the number: mov $number, %eax */
    CLEAR_BYTES = 2,   /* 31 C0: xor %eax, %eax */
    BEFORE_BYTES = MOVE_BYTES,
    CALL_BYTES = 5,     /* E8 and the distance */
    SLOT_BYTES = 4,     /* bytes before the offset of `mov offset(%rsp)` */
    OFFSET_MASK = 0x7F, /* never negative: the slot is an argument */
    MOST_FUNCTION_BYTES = 128,
    MOST_BACK = 32, /* most bytes from the instruction that loads the number to the call */
};

static const unsigned char SYSCALL[] = {0x0F, 0x05}, CLEAR[] = {0x31, 0xC0};
static const unsigned char LOAD_RAX[] = {0x48, 0x8B, 0x44, 0x24};       /* mov offset(%rsp), %rax */
static const unsigned char LOAD_RSI[] = {0x48, 0x8B, 0x74, 0x24};       /* mov offset(%rsp), %rsi */
static const unsigned char KEEP_R11[] = {0x4C, 0x89, 0x5C, 0x24, 0x08}; /* mov %r11, 8(%rsp) */

/* Return the number that the instruction before `syscall` loads: a mov of a constant, or an xor for
 * 0. */
static uint32_t read_number(const unsigned char *before) {
    uint32_t number;
    if (before[0] == 0xB8) {
        memcpy(&number, before + 1, sizeof number);
        return number;
    }
    bool is_cleared = !memcmp(before + BEFORE_BYTES - CLEAR_BYTES, CLEAR, CLEAR_BYTES);
    return is_cleared ? 0 : SG_SYSTEM_CALL_UNKNOWN;
}

/* From 2.41 on, glibc makes all cancellable calls in one place. The number is the seventh argument,
 * so it lies on the stack, and stays there. It is loaded right before `syscall`, or, in threaded
 * programs, by the caller of the function that contains `syscall`:
 *
 *     mov  0x30(%rsp), %rsi        the number
 *     ...                          moves between registers
 *     call __syscall_cancel_arch   whose last instruction before `syscall` is KEEP_R11 */
static uint32_t read_number_on_stack(const unsigned char *before, uintptr_t behind, uintptr_t sp) {
    uintptr_t slot = 0, after_call;
    if (!memcmp(before, LOAD_RAX, SLOT_BYTES)) {
        slot = sp + (before[SLOT_BYTES] & OFFSET_MASK);
    } else if (!memcmp(before, KEEP_R11, sizeof KEEP_R11)) {
        unsigned char code[MOST_BACK + CALL_BYTES];
        int32_t distance;
        if (!sg_memory_read_probed(sp, &after_call, sizeof after_call) ||
            !sg_memory_read_probed(after_call - sizeof code, code, sizeof code) ||
            code[MOST_BACK] != 0xE8)
            return SG_SYSTEM_CALL_UNKNOWN;
        memcpy(&distance, code + MOST_BACK + 1, sizeof distance);
        uintptr_t function = after_call + (uintptr_t)(intptr_t)distance;
        if (behind - function > MOST_FUNCTION_BYTES)
            return SG_SYSTEM_CALL_UNKNOWN; /* another call returns to this address */
        for (int at = MOST_BACK - SLOT_BYTES - 1; at >= 0 && !slot; at--)
            if (!memcmp(code + at, LOAD_RSI, SLOT_BYTES))
                slot = sp + sizeof after_call + (code[at + SLOT_BYTES] & OFFSET_MASK);
    }
    uint64_t number;
    if (!slot || !sg_memory_read_probed(slot, &number, sizeof number) ||
        number > SG_SYSTEM_CALL_UNKNOWN)
        return SG_SYSTEM_CALL_UNKNOWN;
    return (uint32_t)number;
}

/* `syscall` leaves the address behind it in rcx, and the kernel keeps rcx. A call that will be
 * restarted has its number in rax, and rip at the instruction. */
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
    if (behind == pc && number == SG_SYSTEM_CALL_UNKNOWN)
        number = read_number_on_stack(code, behind, (uintptr_t)values[REG_RSP]);
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
