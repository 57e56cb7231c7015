/* aarch64: offsets of registers, and the system calls that wait without a lock.
 *
 * NOT RUN: cross-compiled, and the table is unit-tested on another processor. Its facts are from
 * the kernel's arch/arm64/kernel/{signal,ptrace}.c. */
#include "inject/aarch64.h"

/* struct user_pt_regs, 34 words: x0…x30 sp pc pstate */
enum { SP = 31 * 8, PC = 32 * 8, PSTATE = 33 * 8, WORDS = 34 };
#define X(n) ((n)*8)

enum {
    NOTE_PRFPREG = 2,
    NOTE_ARM_SVE = 0x405,
    NOTE_ARM_SYSTEM_CALL = 0x404,
    PSTATE_BTYPE = 3 << 10, /* kind of the last jump: a called function expects none */
    PSTATE_SS = 1 << 21,
};

static const int16_t waiting_calls[] = {
    22,  /* epoll_pwait */
    32,  /* flock */
    63,  /* read */
    64,  /* write */
    65,  /* readv */
    66,  /* writev */
    67,  /* pread64 */
    68,  /* pwrite64 */
    72,  /* pselect6 */
    73,  /* ppoll */
    82,  /* fsync */
    83,  /* fdatasync */
    95,  /* waitid */
    98,  /* futex, where its operation is also looked at */
    101, /* nanosleep */
    115, /* clock_nanosleep */
    128, /* restart_syscall: what a timed wait shows after any interruption */
    133, /* rt_sigsuspend */
    137, /* rt_sigtimedwait */
    188, /* msgrcv */
    192, /* semtimedop */
    193, /* semop */
    202, /* accept */
    203, /* connect */
    206, /* sendto */
    207, /* recvfrom */
    211, /* sendmsg */
    212, /* recvmsg */
    242, /* accept4 */
    260, /* wait4 */
    426, /* io_uring_enter */
    441, /* epoll_pwait2 */
    449, /* futex_waitv */
    -1,
};

const struct sg_machine sg_aarch64_machine = {
    .name = "aarch64",
    .registers_size = WORDS * 8,
    .program_counter = PC,
    .stack_pointer = SP,
    .flags = PSTATE,
    .result = X(0),
    .link = X(30),
    .system_call = X(8),
    .system_call_slot = X(8),
    .call_argument = {X(0), X(1), X(2), X(3), X(4), X(5)},
    .system_call_argument = {X(0), X(1), X(2), X(3), X(4), X(5)},
    .flags_to_clear = PSTATE_BTYPE | PSTATE_SS,
    .has_system_call_number = false,
    .stops_twice = true,
    .system_call_instruction = {0x01, 0x00, 0x00, 0xd4}, /* svc #0 */
    .system_call_instruction_size = 4,
    .vector_notes = {NOTE_PRFPREG, NOTE_ARM_SVE, 0},
    .system_call_note = NOTE_ARM_SYSTEM_CALL,
    .mmap = 222,
    .munmap = 215,
    .futex = 98,
    .waiting_calls = waiting_calls,
};
