/* /proc/self/task/TID/syscall: see futex_sleepers.h. */
#include "futex_sleepers.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "column.h"
#include "engine_threads.h"

enum { MAX_LINE_BYTES = 256, MAX_PATH_BYTES = 64 };

/* "NUMBER ARGUMENT ARGUMENT …", "running", or "-1 …" of a thread that sleeps in no system call. A
 * wait for some time that was stopped (Ctrl-Z, a debugger, a profiler that stops what it looks at)
 * goes on as restart_syscall, with the arguments that it had. */
static uintptr_t parse(const char *line) {
    char *at;
    long number = strtol(line, &at, 10);
    if (at == line || (number != SYS_futex && number != SYS_restart_syscall))
        return 0;
    uintptr_t address = strtoull(at, &at, 16);
    unsigned long operation = strtoul(at, &at, 16) & FUTEX_CMD_MASK;
    bool is_wait = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
    return is_wait ? address : 0;
}

uint64_t sg_sleeper_clock(pid_t tid) {
    struct timespec time;
    if (clock_gettime(sg_thread_clock(tid), &time) != 0)
        return SG_NO_CPU_CLOCK;
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uintptr_t find_futex(pid_t tid) {
    char path[MAX_PATH_BYTES], line[MAX_LINE_BYTES];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)tid);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = descriptor < 0 ? -1 : read(descriptor, line, sizeof line - 1);
    if (descriptor >= 0)
        close(descriptor);
    line[n > 0 ? n : 0] = '\0';
    return parse(line);
}

struct sg_sleeper *sg_sleepers_list(size_t *n) {
    struct sg_sleeper *sleepers = NULL;
    size_t capacity = 0;
    DIR *threads = opendir("/proc/self/task");
    *n = 0;
    for (const struct dirent *entry; threads && (entry = readdir(threads));) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid <= 0 || sg_engine_threads_has(tid) ||
            !sg_make_room((void **)&sleepers, *n, &capacity, 1, sizeof *sleepers))
            continue;
        struct sg_sleeper *sleeper = &sleepers[(*n)++];
        sleeper->tid = tid;
        sleeper->cpu_ns = sg_sleeper_clock(tid);
        sleeper->futex = find_futex(tid);
    }
    if (threads)
        closedir(threads);
    return sleepers;
}

bool sg_sleeper_rests(pid_t tid, uint64_t cpu_ns) {
    return cpu_ns != SG_NO_CPU_CLOCK && sg_sleeper_clock(tid) == cpu_ns;
}
