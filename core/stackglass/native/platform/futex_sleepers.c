/* Sleeping threads, read from /proc/self/task/TID: system call, state, context switches. */
#include "platform/futex_sleepers.h"

#include <dirent.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "platform/engine_threads.h"
#include "platform/proc_files.h"
#include "platform/thread_ids.h"
#include "platform/time.h"
#include "platform/vector.h"

enum { MAX_LINE_BYTES = 256 };

/* Return the futex in a line of /proc/self/task/TID/syscall; 0 = none. A line is "NUMBER ARGUMENT
 * …", "running", or "-1 …" for a thread that sleeps in no system call. A timed wait that was
 * stopped (Ctrl-Z, a debugger) continues as restart_syscall, with its arguments unchanged. */
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

uint64_t sg_futex_sleepers_clock(pid_t tid) {
    uint64_t ns;
    return sg_time_read(sg_time_thread_clock(tid), &ns) ? ns : SG_NO_CPU_CLOCK;
}

static void read_call(struct sg_sleeper *sleeper) {
    char line[MAX_LINE_BYTES], *end;
    sg_proc_files_read_thread(sleeper->tid, "syscall", line, sizeof line);
    sleeper->futex = parse(line);
    long number = strtol(line, &end, 10);
    sleeper->call = end != line ? (int)number : *line ? SG_CALL_NONE : SG_CALL_UNKNOWN;
}

void sg_futex_sleepers_read(struct sg_sleeper *sleeper) {
    sleeper->cpu_ns = sg_futex_sleepers_clock(sleeper->tid);
    read_call(sleeper);
}

bool sg_futex_sleepers_read_turns(pid_t tid, uint64_t *waited_ns, uint64_t *n_turns) {
    char line[MAX_LINE_BYTES], *at = line;
    sg_proc_files_read_thread(tid, "schedstat", line, sizeof line);
    strtoull(at, &at, 10); /* the CPU time comes first */
    *waited_ns = strtoull(at, &at, 10);
    *n_turns = strtoull(at, NULL, 10);
    return *line != '\0';
}

/* A list of threads that grows. */
struct list {
    struct sg_sleeper *sleepers; /* malloc'ed; only the tids are set */
    size_t n, capacity;
};

static void append_threads(struct list *list) {
    DIR *threads = opendir("/proc/self/task");
    for (const struct dirent *entry; threads && (entry = readdir(threads));) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid > 0 && sg_vector_make_room((void **)&list->sleepers, list->n, &list->capacity, 1,
                                           sizeof *list->sleepers))
            list->sleepers[list->n++].tid = tid;
    }
    if (threads)
        closedir(threads);
}

static bool has_ended_thread(const struct list *list) {
    for (size_t i = 0; i < list->n; i++) {
        if (sg_futex_sleepers_clock(list->sleepers[i].tid) == SG_NO_CPU_CLOCK)
            return true;
    }
    return false;
}

static void sort_without_doubles(struct list *list) {
    size_t n = 0;
    qsort(list->sleepers, list->n, sizeof *list->sleepers, sg_thread_ids_compare);
    for (size_t i = 0; i < list->n; i++) {
        if (!n || list->sleepers[n - 1].tid != list->sleepers[i].tid)
            list->sleepers[n++].tid = list->sleepers[i].tid;
    }
    list->n = n;
}

/* If the thread that the kernel has just listed ends, the kernel finds its place again by counting,
 * and passes over a thread that lives. So if a listed thread has ended, the threads are listed
 * again, and those of both lists count. */
struct sg_sleeper *sg_futex_sleepers_list(size_t *n) {
    struct list list = {NULL, 0, 0};
    append_threads(&list);
    if (has_ended_thread(&list)) {
        append_threads(&list);
        sort_without_doubles(&list);
    }
    *n = 0;
    for (size_t i = 0; i < list.n; i++) {
        if (sg_engine_threads_has(list.sleepers[i].tid))
            continue;
        struct sg_sleeper *sleeper = &list.sleepers[(*n)++];
        sleeper->tid = list.sleepers[i].tid;
        sg_futex_sleepers_read(sleeper);
    }
    return list.sleepers;
}

/* Whether the system call may end by a timeout. For a futex wait the fourth argument says so. A
 * restarted call has a timeout, and any other call may have one. */
static bool is_timed(const char *call) {
    char *at;
    if (!parse(call) || strtol(call, &at, 10) != SYS_futex)
        return true;
    for (int argument = 0; argument < 3; argument++)
        strtoull(at, &at, 16);
    return strtoull(at, NULL, 16) != 0;
}

bool sg_futex_sleepers_read_rest(pid_t tid, struct sg_rest *rest) {
    char status[SG_STATUS_BYTES];
    memset(rest, 0, sizeof *rest);
    sg_proc_files_read_status(tid, status);
    sg_proc_files_read_thread(tid, "syscall", rest->call, sizeof rest->call);
    const char *state = strstr(status, "\nState:\t");
    rest->is_asleep = state && state[strlen("\nState:\t")] == 'S';
    rest->is_timed = is_timed(rest->call);
    rest->cpu_ns = sg_futex_sleepers_clock(tid);
    rest->n_switches = sg_proc_files_number(status, "\nvoluntary_ctxt_switches:") +
                       sg_proc_files_number(status, "\nnonvoluntary_ctxt_switches:");
    return rest->is_asleep && rest->cpu_ns != SG_NO_CPU_CLOCK;
}

bool sg_futex_sleepers_rest_equals(const struct sg_rest *rest, const struct sg_rest *other) {
    return rest->is_asleep && other->is_asleep && rest->cpu_ns == other->cpu_ns &&
           rest->n_switches == other->n_switches && strcmp(rest->call, other->call) == 0;
}

bool sg_futex_sleepers_rests(pid_t tid, uint64_t cpu_ns) {
    return cpu_ns != SG_NO_CPU_CLOCK && sg_futex_sleepers_clock(tid) == cpu_ns;
}
