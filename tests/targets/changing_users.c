/* A thread that sets the process's user all the time, to what it is: the C library then signals all
 * other threads, waits until each has done it too, and holds the lock of their stacks meanwhile.
 * The main thread computes until SIGTERM, and prints how often the user was set. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t is_over;
static volatile long n_changes;

static void end(int signal) { is_over = 1; }

static void *change(void *unused) {
    while (setuid(getuid()) == 0)
        n_changes++;
    return unused;
}

int main(void) {
    pthread_t thread;
    volatile unsigned turns = 0;
    signal(SIGTERM, end);
    if (pthread_create(&thread, NULL, change, NULL) != 0)
        return 1;
    puts("ready");
    fflush(stdout);
    while (!is_over)
        turns++;
    printf("changes=%ld\n", n_changes);
    return 0;
}
