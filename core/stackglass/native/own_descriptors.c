/* Leaving the process's descriptor table: see own_descriptors.h. */
#include "own_descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { CLOSE_RANGE_UNSHARE_FLAG = 1 << 1 };

/* Before Linux 5.9: a copy of the table, and everything in it closed. */
static int copy_and_close(void) {
    if (unshare(CLONE_FILES))
        return -errno;
    DIR *open_ones = opendir("/proc/thread-self/fd");
    if (!open_ones)
        return 0; /* ours all the same, though full of copies */
    int own = dirfd(open_ones);
    for (struct dirent *entry = readdir(open_ones); entry; entry = readdir(open_ones)) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && descriptor != own)
            close(descriptor);
    }
    closedir(open_ones);
    return 0;
}

int sg_own_descriptors(void) {
    int failed = 0;

    if (syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE_FLAG))
        failed = copy_and_close();
    /* Whatever a library believes to be its standard error must not be a socket of ours. */
    for (int standard = 0; !failed && standard <= STDERR_FILENO; standard++)
        if (open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
            break; /* no such device here: then those numbers go to our own files */
    return failed;
}
