/* Functions whose shares are known: of CPU time by the thread's clock, of memory by its size.
 *
 *     half ─────────────────▶ itself       quarter, sixth ─▶ shared       tenth ─▶ itself
 *
 * Each does another kind of work, and none is left by a tail call. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORTED __attribute__((visibility("default"), noinline, noclone))
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

static volatile uint64_t sink;

EXPORTED void half(long n) {
    uint64_t state = 1;
    for (long i = 0; i < n * 50; i++)
        state = state * UINT64_C(6364136223846793005) + 1;
    sink = state;
}

EXPORTED void shared(long n) {
    uint64_t state = 1;
    for (long i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    sink = state;
}

EXPORTED void quarter(long n) {
    shared(n * 25);
    NO_TAIL_CALL();
}

EXPORTED void sixth(long n) {
    shared(n * 16);
    NO_TAIL_CALL();
}

EXPORTED void tenth(long n) {
    double state = 2;
    for (long i = 0; i < n; i++)
        state = sqrt(state) + 1;
    sink = (uint64_t)state;
}

static int64_t find_cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The CPU time that a call takes. */
EXPORTED int64_t measure(void (*function)(long), long n) {
    int64_t started_ns = find_cpu_ns();
    function(n);
    return find_cpu_ns() - started_ns;
}

static void keep(size_t size) {
    enum { BLOCK_BYTES = 4096 };
    for (size_t i = 0; i < size / BLOCK_BYTES; i++)
        sink = *(unsigned char *)memset(malloc(BLOCK_BYTES), 1, BLOCK_BYTES);
}

EXPORTED void keep_most(size_t unit) {
    keep(unit * 60);
    NO_TAIL_CALL();
}

EXPORTED void keep_third(size_t unit) {
    keep(unit * 30);
    NO_TAIL_CALL();
}

EXPORTED void keep_tenth(size_t unit) {
    keep(unit * 10);
    NO_TAIL_CALL();
}
