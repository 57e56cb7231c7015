/* Offsets of aarch64's registers, and the system calls that the C library makes without holding a
 * lock of malloc or the loader.
 *
 * NOT RUN on aarch64: the code is cross-compiled, and the table is unit-tested on another
 * processor. Its facts are from the kernel's arch/arm64/kernel/{signal,ptrace}.c. */
#include "inject/aarch64.h"

/* struct user_pt_regs: the 34 words x0…x30, sp, pc, pstate. */
enum { SP = 31 * 8, PC = 32 * 8, PSTATE = 33 * 8, WORDS = 34 };
#define X(n) ((n)*8)

enum {
    NOTE_PRFPREG = 2,             /* NT_PRFPREG: the floating-point registers */
    NOTE_ARM_SVE = 0x405,         /* NT_ARM_SVE */
    NOTE_ARM_SYSTEM_CALL = 0x404, /* NT_ARM_SYSTEM_CALL */
    PSTATE_BTYPE = 3 << 10, /* kind of the last indirect jump; with 0, any target is allowed */
    PSTATE_SS = 1 << 21,    /* a single step is under way */
};

static const int16_t lockless_calls[] = {
    17,  /* getcwd */
    21,  /* epoll_ctl */
    22,  /* epoll_pwait */
    23,  /* dup */
    24,  /* dup3 */
    25,  /* fcntl */
    29,  /* ioctl */
    32,  /* flock */
    34,  /* mkdirat */
    35,  /* unlinkat */
    36,  /* symlinkat */
    37,  /* linkat */
    45,  /* truncate */
    46,  /* ftruncate */
    48,  /* faccessat */
    49,  /* chdir */
    53,  /* fchmodat */
    61,  /* getdents64 */
    62,  /* lseek */
    63,  /* read */
    64,  /* write */
    65,  /* readv */
    66,  /* writev */
    67,  /* pread64 */
    68,  /* pwrite64 */
    71,  /* sendfile */
    72,  /* pselect6 */
    73,  /* ppoll */
    78,  /* readlinkat */
    79,  /* newfstatat */
    80,  /* fstat */
    82,  /* fsync */
    83,  /* fdatasync */
    88,  /* utimensat */
    95,  /* waitid */
    98,  /* futex, for some of its operations: rules.c */
    101, /* nanosleep */
    113, /* clock_gettime */
    115, /* clock_nanosleep */
    128, /* restart_syscall: what a timed wait shows after any interruption */
    133, /* rt_sigsuspend */
    137, /* rt_sigtimedwait */
    165, /* getrusage */
    188, /* msgrcv */
    192, /* semtimedop */
    193, /* semop */
    198, /* socket */
    200, /* bind */
    201, /* listen */
    202, /* accept */
    203, /* connect */
    204, /* getsockname */
    205, /* getpeername */
    206, /* sendto */
    207, /* recvfrom */
    208, /* setsockopt */
    209, /* getsockopt */
    210, /* shutdown */
    211, /* sendmsg */
    212, /* recvmsg */
    242, /* accept4 */
    260, /* wait4 */
    276, /* renameat2 */
    285, /* copy_file_range */
    291, /* statx */
    426, /* io_uring_enter */
    439, /* faccessat2 */
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
    .rt_sigaction = 134,
    .futex = 98,
    .lockless_calls = lockless_calls,
};
