/* A library that chooses a function when it is loaded. */
static int work_fast(int x) { return x + 1; }
static int work_slow(int x) { return x + 2; }

static int (*choose(void))(int) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse2") ? work_fast : work_slow;
}

__attribute__((visibility("default"))) int work(int) __attribute__((ifunc("choose")));
__attribute__((visibility("default"))) int again(int) __attribute__((ifunc("choose")));
