/* Reads a thread's state letter from /proc/PID/task/TID/stat and its CPU time from schedstat. The
 * thread makes progress if the time has grown, or if the letter is any but S (asleep). */
#include "inject/progress.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 64, TEXT_BYTES = 256 };

/* Read the beginning of the file `name` in the thread's folder. Returns false if there is none. */
static bool read_text(const struct sg_progress *of, const char *name, char text[TEXT_BYTES]) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)of->pid, (int)of->thread, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, TEXT_BYTES - 1);
    if (fd >= 0)
        close(fd);
    text[size < 0 ? 0 : size] = '\0';
    return size > 0;
}

/* Return the state letter, or 0. The text is "PID (name) STATE …"; a name may have brackets. */
static char read_state(const struct sg_progress *of) {
    char text[TEXT_BYTES];
    const char *name_end = read_text(of, "stat", text) ? strrchr(text, ')') : NULL;
    return name_end && name_end[1] ? name_end[2] : '\0';
}

bool sg_progress_is_made(struct sg_progress *progress) {
    char text[TEXT_BYTES]; /* schedstat begins with the CPU time in ns */
    uint64_t run_ns = read_text(progress, "schedstat", text) ? strtoull(text, NULL, 10) : 0;
    bool has_run = run_ns != progress->run_ns;
    char state = read_state(progress);
    progress->run_ns = run_ns;
    return has_run || (state && state != 'S');
}

bool sg_progress_wants_processor(pid_t pid, pid_t thread) {
    const struct sg_progress of = {.pid = pid, .thread = thread};
    return read_state(&of) == 'R';
}
