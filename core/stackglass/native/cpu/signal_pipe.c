/* Signal pipe: sets the pipe's owner and signal, writes a byte, which sends the signal, and takes
 * the byte out again. */
#include "cpu/signal_pipe.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

#include "platform/fd_table.h"
#include "platform/permitted_calls.h"

enum { NO_PIPE = -1 };

/* Written while no signal is sent; handlers read `read_end`. */
static _Atomic int read_end = NO_PIPE;
static int write_end = NO_PIPE;

bool sg_signal_pipe_open(void) {
    int ends[2];
    if (sg_permitted_calls_may(SG_CALL_QUEUE_SIGNAL) || atomic_load(&read_end) != NO_PIPE)
        return true;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return false;
    write_end = sg_fd_table_keep(ends[1]);
    int reading = sg_fd_table_keep(ends[0]);
    atomic_store(&read_end, reading);
    if (fcntl(reading, F_SETFL, O_NONBLOCK | O_ASYNC) == 0)
        return true;
    sg_signal_pipe_close();
    return false;
}

void sg_signal_pipe_close(void) {
    int reading = atomic_exchange(&read_end, NO_PIPE);
    if (reading == NO_PIPE)
        return;
    sg_fd_table_close(reading);
    sg_fd_table_close(write_end);
    write_end = NO_PIPE;
}

void sg_signal_pipe_forget(void) {
    atomic_store(&read_end, NO_PIPE);
    write_end = NO_PIPE;
}

void sg_signal_pipe_send(pid_t tid, int signo) {
    struct f_owner_ex owner = {F_OWNER_TID, tid};
    int reading = atomic_load(&read_end);
    char byte = 0;
    if (reading == NO_PIPE || fcntl(reading, F_SETSIG, signo) ||
        fcntl(reading, F_SETOWN_EX, &owner) || write(write_end, &byte, 1) != 1)
        return; /* the thread has ended */
    while (read(reading, &byte, 1) == 1)
        continue;
}

bool sg_signal_pipe_sent(const siginfo_t *info) {
    return info->si_code == POLL_IN && info->si_fd == atomic_load(&read_end);
}
