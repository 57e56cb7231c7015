/* System calls that no kernel restarts behind a signal handler: each fails with EINTR if a signal
 * was handled meanwhile, and is counted. For uninterrupted.py. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
enum { POLL, SELECT, EPOLL, SLEEP, FUTEX, RECEIVE, AWAIT_SIGNAL, N_KINDS, WAIT_MS = 5 };
static const struct timespec WAIT = {.tv_nsec = WAIT_MS * 1000 * 1000};

EXPORTED uint64_t n_calls[N_KINDS], n_interrupted[N_KINDS];
static int descriptors[N_KINDS];
static sigset_t no_signals;

EXPORTED void prepare(void) {
    int pair[2];
    struct timeval wait = {.tv_usec = WAIT_MS * 1000};
    descriptors[EPOLL] = epoll_create1(0);
    if (!socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    descriptors[RECEIVE] = pair[0];
    sigemptyset(&no_signals);
}

static long wait_once(int kind) {
    struct epoll_event event;
    char byte;
    int word = 0;
    switch (kind) {
    case POLL:
        return poll(NULL, 0, WAIT_MS);
    case SELECT:
        return pselect(0, NULL, NULL, NULL, &WAIT, NULL);
    case EPOLL:
        return epoll_wait(descriptors[EPOLL], &event, 1, WAIT_MS);
    case SLEEP:
        return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &WAIT, NULL);
    case FUTEX:
        return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &WAIT, NULL, 0);
    case RECEIVE:
        return recv(descriptors[RECEIVE], &byte, 1, 0);
    default:
        return sigtimedwait(&no_signals, NULL, &WAIT);
    }
}

EXPORTED void make_call(int kind) {
    errno = 0;
    int is_interrupted = wait_once(kind) < 0 && errno == EINTR;
    __atomic_add_fetch(&n_interrupted[kind], is_interrupted, __ATOMIC_RELAXED);
    __atomic_add_fetch(&n_calls[kind], 1, __ATOMIC_RELAXED);
}

EXPORTED void make_calls(int kind) {
    for (;;)
        make_call(kind);
}

EXPORTED void interrupt(int tid, int signal_number) {
    syscall(SYS_tgkill, getpid(), tid, signal_number);
}

static void *run(void *kind) {
    make_calls((int)(intptr_t)kind);
    return NULL;
}

/* A thread that Python does not know. */
EXPORTED int begin_thread(int kind) {
    pthread_t thread;
    return pthread_create(&thread, NULL, run, (void *)(intptr_t)kind);
}
