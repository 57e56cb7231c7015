/* A program that faults all the time on purpose, and has a handler for it: a write barrier, as
 * collectors of garbage have. Prints "ready", works until SIGTERM, prints the faults that did not
 * reach its handler. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, N_PAGES = 64, N_STEPS = 40 * 1000 };

static char *area;
static volatile sig_atomic_t is_stopped, n_faults;

static void on_term(int signal) { is_stopped = 1; }

static void on_fault(int signal, siginfo_t *info, void *context) {
    char *page = area + ((char *)info->si_addr - area) / PAGE_BYTES * PAGE_BYTES;
    if ((char *)info->si_addr < area || page >= area + N_PAGES * PAGE_BYTES)
        _exit(3);
    n_faults++;
    mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

int main(void) {
    area = mmap(NULL, N_PAGES * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_handler = on_term};
    sigaction(SIGTERM, &action, NULL);
    action = (struct sigaction){.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    puts("ready");
    fflush(stdout);
    long n_missed = 0;
    while (!is_stopped) {
        mprotect(area, N_PAGES * PAGE_BYTES, PROT_NONE);
        n_faults = 0;
        for (int i = 0; i < N_PAGES; i++) {
            for (volatile int step = 0; step < N_STEPS; step++) {
            }
            area[i * PAGE_BYTES] = 1;
        }
        n_missed += N_PAGES - n_faults;
    }
    printf("missed=%ld\n", n_missed);
    return 0;
}
