/* C code whose stacks are known: each scenario ends in a spin of its own. */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#define EXPORTED __attribute__((visibility("default"), noinline))
#define KEPT __attribute__((noinline, noclone))
#define NO_TAIL_CALL() __asm__ volatile("")

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double until; /* CPU time of the thread that spins */

static KEPT void spin(void) {
    while (now() < until)
        for (volatile int i = 0; i < 20000; i++)
            ;
    NO_TAIL_CALL();
}

/* ---- Calls from C to Python and back ---- */

typedef void callback(void);

EXPORTED void plain_spin(double seconds) {
    until = now() + seconds;
    spin();
    NO_TAIL_CALL();
}

static KEPT void call_inner(callback *back) {
    back();
    NO_TAIL_CALL();
}

EXPORTED void call_back(callback *back) {
    call_inner(back);
    NO_TAIL_CALL();
}

/* ---- Frames of unusual shapes ---- */

static KEPT void with_alloca(size_t n) {
    volatile char *room = alloca(n);
    memset((char *)room, 1, n);
    spin();
    room[0] = room[n - 1];
    NO_TAIL_CALL();
}

EXPORTED void run_alloca(double seconds) {
    until = now() + seconds;
    with_alloca(1000 + (size_t)seconds);
    NO_TAIL_CALL();
}

/* The stack pointer is aligned to more than the caller's, and moves: the frame is found through a
 * word that was saved in it. */
static KEPT void with_alignment(size_t n) {
    _Alignas(64) volatile double values[16];
    volatile char *room = alloca(n);
    values[0] = room[0] = 1;
    spin();
    values[1] = values[0] + room[n - 1];
    NO_TAIL_CALL();
}

EXPORTED void run_alignment(double seconds) {
    until = now() + seconds;
    with_alignment(1000 + (size_t)seconds);
    NO_TAIL_CALL();
}

static KEPT void recurse(int depth) {
    volatile char room[64] = {0};
    if (depth)
        recurse(depth - 1);
    else
        spin();
    room[0] = room[1];
    NO_TAIL_CALL();
}

EXPORTED void run_recursion(double seconds) {
    until = now() + seconds;
    recurse(20);
    NO_TAIL_CALL();
}

/* ---- Signal frames ---- */

static KEPT void handle(int signo) {
    (void)signo;
    spin();
    NO_TAIL_CALL();
}

static KEPT void raise_inside(void) {
    pthread_kill(pthread_self(), SIGUSR2);
    NO_TAIL_CALL();
}

EXPORTED void run_signal(double seconds) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigaction(SIGUSR2, &action, NULL);
    until = now() + seconds;
    raise_inside();
    NO_TAIL_CALL();
}

static char other_stack[64 * 1024];

EXPORTED void run_signal_elsewhere(double seconds) {
    struct sigaction action;
    stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    stack_t none = {.ss_flags = SS_DISABLE};
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK;
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR2, &action, NULL);
    until = now() + seconds;
    raise_inside();
    sigaltstack(&none, NULL);
}

/* ---- Coroutines ---- */

static ucontext_t outside, inside;
static char coroutine_stack[256 * 1024];

static void coroutine(void) {
    spin();
    NO_TAIL_CALL();
}

EXPORTED void run_coroutine(double seconds) {
    until = now() + seconds;
    getcontext(&inside);
    inside.uc_stack.ss_sp = coroutine_stack;
    inside.uc_stack.ss_size = sizeof coroutine_stack;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    swapcontext(&outside, &inside);
    NO_TAIL_CALL();
}

/* ---- Hand-written code without rows ---- */

void spin_without_rows(void *counter);
void call_without_rows(void (*function)(void));
#if defined(__x86_64__)
__asm__(".text\n.p2align 4\n"
        ".globl spin_without_rows\n.type spin_without_rows, @function\nspin_without_rows:\n"
        "push %rbx\nmov $3000000, %ebx\n1: sub $1, %ebx\njg 1b\npop %rbx\nret\n"
        ".size spin_without_rows, . - spin_without_rows\n"
        ".globl call_without_rows\n.type call_without_rows, @function\ncall_without_rows:\n"
        "push %rbx\nsub $48, %rsp\ncall *%rdi\nadd $48, %rsp\npop %rbx\nret\n"
        ".size call_without_rows, . - call_without_rows\n");
#endif

EXPORTED void run_leaf_without_rows(double seconds) {
    until = now() + seconds;
    while (now() < until)
        spin_without_rows(NULL);
    NO_TAIL_CALL();
}

EXPORTED void run_caller_without_rows(double seconds) {
    until = now() + seconds;
    call_without_rows(spin);
    NO_TAIL_CALL();
}

EXPORTED void run_made(double seconds) {
    enum { ROOM_BYTES = 4096 };
    /* push %rbx; mov $3000000, %ebx; 1: sub $1, %ebx; jg 1b; pop %rbx; ret */
    static const unsigned char CODE[] = {0x53, 0xbb, 0xc0, 0xc6, 0x2d, 0x00, 0x83,
                                         0xeb, 0x01, 0x7f, 0xfb, 0x5b, 0xc3};
    static void *made; /* in one place for all calls */
    if (!made) {
        made = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(made, CODE, sizeof CODE);
    }
    until = now() + seconds;
    while (now() < until)
        ((void (*)(void))made)();
}

/* ---- Memory ---- */

static void *kept[16];

static KEPT void allocate_inside(void) {
    for (int i = 0; i < 16; i++) {
        kept[i] = malloc(1 << 20);
        memset(kept[i], 1, 1 << 20);
    }
    NO_TAIL_CALL();
}

EXPORTED void run_allocation(double seconds) {
    allocate_inside();
    NO_TAIL_CALL();
}

/* ---- Rows that say what is not so ---- */

void spin_wrong_far(void);
void spin_wrong_pointer(void);
void spin_wrong_word(void);
void spin_wrong_saved(void);
void spin_wrong_near(void);
#if defined(__x86_64__)
#define SPIN(name, rows, before, after)                                                            \
    ".p2align 4\n.globl " name "\n.type " name ", @function\n" name ":\n"                          \
    ".cfi_startproc\npush %rbx\n" before rows                                                      \
    "mov $30000000, %ebx\n1: sub $1, %ebx\njg 1b\n" after                                          \
    "pop %rbx\nret\n.cfi_endproc\n.size " name ", . - " name "\n"
__asm__(".text\n"
        /* The caller's frame lies 256 MiB above. */
        SPIN("spin_wrong_far", ".cfi_def_cfa_offset 0x10000000\n", "", "")
        /* It is found through a register that holds no address of the stack. */
        SPIN("spin_wrong_pointer", ".cfi_def_cfa %rbp, 16\n",
             "push %rbp\nmovabs $0x7ffffffffff8, %rbp\n", "pop %rbp\n")
        /* It is found through a word 256 MiB above: an expression, breg7 and deref. */
        SPIN("spin_wrong_word",
             ".cfi_escape 0x0f, 0x07, 0x77, 0x80, 0x80, 0x80, 0x80, 0x01, 0x06\n", "", "")
        /* The caller's frame pointer was saved 512 MiB above. */
        SPIN("spin_wrong_saved", ".cfi_def_cfa_offset 16\n.cfi_offset %rbp, 0x20000000\n", "", "")
        /* The caller's frame lies 1 MiB above, which a small stack does not have. */
        SPIN("spin_wrong_near", ".cfi_def_cfa_offset 0x100000\n", "", ""));
#endif

static KEPT void spin_by(void (*function)(void), double seconds) {
    until = now() + seconds;
    while (now() < until)
        function();
    NO_TAIL_CALL();
}

EXPORTED void run_wrong_far(double seconds) { spin_by(spin_wrong_far, seconds); }
EXPORTED void run_wrong_pointer(double seconds) { spin_by(spin_wrong_pointer, seconds); }
EXPORTED void run_wrong_word(double seconds) { spin_by(spin_wrong_word, seconds); }
EXPORTED void run_wrong_saved(double seconds) { spin_by(spin_wrong_saved, seconds); }

static double seconds_inside;

static void coroutine_at_edge(void) { spin_by(spin_wrong_near, seconds_inside); }

/* On a stack at the end of mapped memory. */
EXPORTED void run_wrong_near(double seconds) {
    enum { STACK_BYTES = 64 * 1024, GAP_BYTES = 2 << 20 };
    char *room = mmap(NULL, STACK_BYTES + GAP_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(room + STACK_BYTES, GAP_BYTES);
    seconds_inside = seconds;
    getcontext(&inside);
    inside.uc_stack.ss_sp = room;
    inside.uc_stack.ss_size = STACK_BYTES;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine_at_edge, 0);
    swapcontext(&outside, &inside);
    munmap(room, STACK_BYTES);
}

/* ---- Threads that Python does not know ---- */

static void *work_alone(void *seconds) {
    double end = now() + *(double *)seconds;
    pthread_setname_np(pthread_self(), "worker of C");
    while (now() < end)
        for (volatile int i = 0; i < 20000; i++)
            ;
    return NULL;
}

EXPORTED void run_thread(double seconds) {
    pthread_t thread;
    pthread_create(&thread, NULL, work_alone, &seconds);
    pthread_join(thread, NULL);
}
