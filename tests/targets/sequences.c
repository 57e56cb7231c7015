/* Threads that count per processor in restartable sequences (rseq), without a lock. x86-64.
 *
 * Nearly all their time is in the middle of a sequence, between the load of a processor's counter
 * and the store. One that goes on there after it was interrupted overwrites what others counted.
 *
 * As a program: says "ready", counts until its input ends, and prints how often it has counted, the
 * sum of the counters, and how often the kernel has started a sequence anew. As a library:
 * count_in_sequences(ms) does so for a while in the calling threads, and returns what is missing.
 *
 * The C library registers each thread from 2.35 on; where it does not
 * (GLIBC_TUNABLES=glibc.pthread.rseq=0), the threads do it themselves. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { N_THREADS = 4, MOST_PROCESSORS = 1024, SIGNATURE = 0x53053053, RSEQ = 334 };

struct area { /* struct rseq */
    uint32_t cpu_id_start, cpu_id;
    uint64_t sequence;
    uint32_t flags, unused[3];
} __attribute__((aligned(32)));

/* Of the C library, from 2.35 on. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static struct { _Alignas(64) uint64_t count; } counters[MOST_PROCESSORS];
static atomic_uint_fast64_t n_counted, n_aborted;
static atomic_bool is_over;
static __thread struct area own_area;
static __thread struct area *area;

/* NULL if the kernel has none. */
static struct area *find_area(void) {
    if (area)
        return area;
    if (&__rseq_size && __rseq_size)
        area = (struct area *)((char *)__builtin_thread_pointer() + __rseq_offset);
    else if (syscall(RSEQ, &own_area, sizeof own_area, 0, SIGNATURE) == 0)
        area = &own_area;
    return area;
}

/* False if the kernel has started the sequence anew. */
static bool count_once(struct area *mine) {
    __asm__ goto(".pushsection .sequences, \"aw\"\n"
                 ".balign 32\n"
                 "3: .long 0, 0\n"
                 ".quad 1f, 2f - 1f, 4f\n"
                 ".popsection\n"
                 "leaq 3b(%%rip), %%rax\n"
                 "movq %%rax, 8(%[area])\n"
                 "1:\n"
                 "movl 4(%[area]), %%eax\n"
                 "shlq $6, %%rax\n"
                 "addq %[counters], %%rax\n"
                 "movq (%%rax), %%rcx\n"
                 "incq %%rcx\n"
                 "movl $400, %%edx\n"
                 "5: decl %%edx\n"
                 "jnz 5b\n"
                 "movq %%rcx, (%%rax)\n"
                 "2:\n"
                 ".pushsection .aborts, \"ax\"\n"
                 ".byte 0x0f, 0xb9, 0x3d\n"
                 ".long 0x53053053\n"
                 "4: jmp %l[aborted]\n"
                 ".popsection\n"
                 :
                 : [area] "r"(mine), [counters] "r"(counters)
                 : "rax", "rcx", "rdx", "cc", "memory"
                 : aborted);
    return true;
aborted:
    return false;
}

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Until it is over, or (ms > 0) for a while. */
static void count(uint64_t ms) {
    struct area *mine = find_area();
    uint64_t n = 0, n_again = 0, until_ms = now_ms() + ms;
    while (mine && !atomic_load(&is_over) && (!ms || n % 64 || now_ms() < until_ms)) {
        if (count_once(mine))
            n++;
        else
            n_again++;
    }
    atomic_fetch_add(&n_counted, n);
    atomic_fetch_add(&n_aborted, n_again);
}

static uint64_t add_up(void) {
    uint64_t sum = 0;
    for (int i = 0; i < MOST_PROCESSORS; i++)
        sum += counters[i].count;
    return sum;
}

static void *run(void *unused) {
    count(0);
    return NULL;
}

/* What the calling thread counts in `ms` of time. */
EXPORT void count_in_sequences(uint64_t ms) { count(ms); }
/* Once no thread counts any more: what was counted and is not in the counters. */
EXPORT int64_t find_missing(void) { return (int64_t)(atomic_load(&n_counted) - add_up()); }
EXPORT uint64_t find_counted(void) { return atomic_load(&n_counted); }

static void *await_end(void *unused) {
    char input;
    while (read(STDIN_FILENO, &input, 1) > 0) {
    }
    atomic_store(&is_over, true);
    return NULL;
}

int main(void) {
    pthread_t threads[N_THREADS];
    if (!find_area())
        return 2;
    pthread_create(&threads[0], NULL, await_end, NULL);
    for (int i = 1; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    puts("ready");
    fflush(stdout);
    count(0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%lu %lu %lu\n", (unsigned long)n_counted, (unsigned long)add_up(),
           (unsigned long)n_aborted);
    return 0;
}
