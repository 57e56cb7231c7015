/* Leaves the program's descriptor table or, if that is forbidden, uses high numbers in it.
 *
 *     close_range with UNSHARE ─▶ else unshare, and close what was copied ─▶ else shared: is_shared
 *
 * In a table of its own, 0 to 2 are /dev/null. In a shared one, descriptors are moved to numbers
 * that the program does not expect soon, and are listed, so that a forked child closes them. The
 * list has room for more than the engine ever keeps: a socket for each of 16 clients and for the
 * listener, the list of threads, and a pipe. */
#include "platform/fd_table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/permitted_calls.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { CLOSE_RANGE_UNSHARE_FLAG = 1 << 1, MAX_KEPT = 64 };

/* Lock-free. */
static _Atomic bool is_shared;
static _Atomic int kept[MAX_KEPT]; /* in a shared table: descriptor + 1; 0 = free */

/* Before Linux 5.9: copy the table, then close everything in the copy. */
static int copy_and_close(void) {
    if (unshare(CLONE_FILES))
        return -errno;
    close(STDIN_FILENO); /* frees a number for the directory, if all are in use */
    DIR *open_ones = opendir("/proc/thread-self/fd");
    if (!open_ones)
        return 0; /* a table of its own, although full of copies */
    int own = dirfd(open_ones);
    for (struct dirent *entry = readdir(open_ones); entry; entry = readdir(open_ones)) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && descriptor != own)
            close(descriptor);
    }
    closedir(open_ones);
    return 0;
}

static bool leave_table(void) {
    if (sg_permitted_calls_may(SG_CALL_CLOSE_RANGE) &&
        syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE_FLAG) == 0)
        return true;
    return sg_permitted_calls_may(SG_CALL_UNSHARE) && copy_and_close() == 0;
}

void sg_fd_table_leave(void) {
    bool has_left = leave_table();
    atomic_store(&is_shared, !has_left);
    /* A library that writes to standard error must not write to the engine's socket. */
    for (int standard = 0; has_left && standard <= STDERR_FILENO; standard++)
        if (open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
            break; /* there is no such device: these numbers go to the engine's own files */
}

bool sg_fd_table_is_shared(void) { return atomic_load(&is_shared); }

/* Move a descriptor to a number as high as the limit of open files allows, which is often 1024.
 * Returns the new number, or `descriptor` if that fails. */
static int raise_number(int descriptor) {
    static const int lowest[] = {960, 448, 192};
    for (size_t i = 0; i < sizeof lowest / sizeof *lowest; i++) {
        int raised = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest[i]);
        if (raised >= 0) {
            close(descriptor);
            return raised;
        }
    }
    return descriptor;
}

int sg_fd_table_keep(int descriptor) {
    if (descriptor < 0 || !sg_fd_table_is_shared())
        return descriptor;
    int raised = raise_number(descriptor);
    for (int i = 0; i < MAX_KEPT; i++) {
        int none = 0;
        if (atomic_compare_exchange_strong(&kept[i], &none, raised + 1))
            break;
    }
    return raised;
}

void sg_fd_table_close(int descriptor) {
    for (int i = 0; i < MAX_KEPT; i++) {
        int expected = descriptor + 1;
        if (atomic_compare_exchange_strong(&kept[i], &expected, 0))
            break;
    }
    close(descriptor);
}

void sg_fd_table_after_fork_in_child(void) {
    for (int i = 0; i < MAX_KEPT; i++) {
        int descriptor = atomic_exchange(&kept[i], 0) - 1;
        if (descriptor >= 0)
            close(descriptor);
    }
}
