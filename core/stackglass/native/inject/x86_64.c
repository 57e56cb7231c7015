/* Offsets of x86-64's registers, and the system calls that the C library makes without holding a
 * lock of malloc or the loader. */
#include "inject/x86_64.h"

/* struct user_regs_struct has 27 words:
 * r15 r14 r13 r12 rbp rbx r11 r10 | r9 r8 rax rcx rdx rsi rdi orig_rax | rip cs eflags rsp ss ...
 */
enum {
    R10 = 7 * 8,
    R9 = 8 * 8,
    R8 = 9 * 8,
    RAX = 10 * 8,
    RCX = 11 * 8,
    RDX = 12 * 8,
    RSI = 13 * 8,
    RDI = 14 * 8,
    ORIG_RAX = 15 * 8,
    RIP = 16 * 8,
    EFLAGS = 18 * 8,
    RSP = 19 * 8,
    WORDS = 27,
};

/* NT_X86_XSTATE: the vector registers. TF and DF: flags that a function expects to be clear. */
enum { NOTE_X86_XSTATE = 0x202, FLAG_TRAP = 1 << 8, FLAG_DIRECTION = 1 << 10 };

static const int16_t lockless_calls[] = {
    0,   /* read */
    1,   /* write */
    4,   /* stat */
    5,   /* fstat */
    6,   /* lstat */
    7,   /* poll */
    8,   /* lseek */
    16,  /* ioctl */
    17,  /* pread64 */
    18,  /* pwrite64 */
    19,  /* readv */
    20,  /* writev */
    21,  /* access */
    23,  /* select */
    32,  /* dup */
    33,  /* dup2 */
    34,  /* pause */
    35,  /* nanosleep */
    40,  /* sendfile */
    41,  /* socket */
    42,  /* connect */
    43,  /* accept */
    44,  /* sendto */
    45,  /* recvfrom */
    46,  /* sendmsg */
    47,  /* recvmsg */
    48,  /* shutdown */
    49,  /* bind */
    50,  /* listen */
    51,  /* getsockname */
    52,  /* getpeername */
    54,  /* setsockopt */
    55,  /* getsockopt */
    61,  /* wait4 */
    65,  /* semop */
    70,  /* msgrcv */
    72,  /* fcntl */
    73,  /* flock */
    74,  /* fsync */
    75,  /* fdatasync */
    76,  /* truncate */
    77,  /* ftruncate */
    79,  /* getcwd */
    80,  /* chdir */
    82,  /* rename */
    83,  /* mkdir */
    84,  /* rmdir */
    86,  /* link */
    87,  /* unlink */
    88,  /* symlink */
    89,  /* readlink */
    90,  /* chmod */
    98,  /* getrusage */
    128, /* rt_sigtimedwait */
    130, /* rt_sigsuspend */
    202, /* futex, for some of its operations: rules.c */
    208, /* io_getevents */
    217, /* getdents64 */
    219, /* restart_syscall: what a timed wait shows after any interruption */
    220, /* semtimedop */
    228, /* clock_gettime */
    230, /* clock_nanosleep */
    232, /* epoll_wait */
    233, /* epoll_ctl */
    247, /* waitid */
    262, /* newfstatat */
    263, /* unlinkat */
    264, /* renameat */
    267, /* readlinkat */
    269, /* faccessat */
    270, /* pselect6 */
    271, /* ppoll */
    280, /* utimensat */
    281, /* epoll_pwait */
    288, /* accept4 */
    326, /* copy_file_range */
    332, /* statx */
    426, /* io_uring_enter */
    439, /* faccessat2 */
    441, /* epoll_pwait2 */
    449, /* futex_waitv */
    -1,
};

const struct sg_machine sg_x86_64_machine = {
    .name = "x86_64",
    .registers_size = WORDS * 8,
    .program_counter = RIP,
    .stack_pointer = RSP,
    .flags = EFLAGS,
    .result = RAX,
    .link = SG_NO_REGISTER,
    .system_call = ORIG_RAX,
    .system_call_slot = RAX,
    .call_argument = {RDI, RSI, RDX, RCX, R8, R9},
    .system_call_argument = {RDI, RSI, RDX, R10, R8, R9},
    .flags_to_clear = FLAG_TRAP | FLAG_DIRECTION,
    .has_system_call_number = true,
    .stops_twice = false,
    .system_call_instruction = {0x0f, 0x05},
    .system_call_instruction_size = 2,
    .vector_notes = {NOTE_X86_XSTATE, 0, 0},
    .system_call_note = 0,
    .mmap = 9,
    .munmap = 11,
    .rt_sigaction = 13,
    .futex = 202,
    .lockless_calls = lockless_calls,
};
