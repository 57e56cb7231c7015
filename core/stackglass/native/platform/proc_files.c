/* Reading of /proc. */
#include "platform/proc_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATH_BYTES = 64, PART_BYTES = 1024, MAX_LINE_BYTES = 64 };

size_t sg_proc_files_read(const char *path, char *text, size_t room) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : read(file, text, room - 1);
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

size_t sg_proc_files_read_thread(pid_t tid, const char *name, char *text, size_t room) {
    char path[MAX_PATH_BYTES];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)tid, name);
    return sg_proc_files_read(path, text, room);
}

size_t sg_proc_files_read_status(pid_t tid, char text[SG_STATUS_BYTES]) {
    char path[MAX_PATH_BYTES] = "/proc/thread-self/status", part[PART_BYTES];
    if (tid)
        snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)tid);
    size_t n = 0, column = 0;
    ssize_t got = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && (got = read(file, part, sizeof part)) > 0)
        for (ssize_t i = 0; i < got; i++) {
            bool is_end = part[i] == '\n';
            if ((is_end || column < MAX_LINE_BYTES) && n < SG_STATUS_BYTES - 1)
                text[n++] = part[i];
            column = is_end ? 0 : column + 1;
        }
    int error = errno;
    if (file >= 0)
        close(file);
    if (got < 0)
        n = 0; /* a part would lack lines that are there */
    text[n] = '\0';
    errno = error;
    return n;
}

uint64_t sg_proc_files_number(const char *text, const char *label) {
    const char *found = strstr(text, label);
    return found ? strtoull(found + strlen(label), NULL, 10) : 0;
}
