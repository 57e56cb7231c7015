/* A program that notices whatever an injection could change in its thread: vector registers that
 * hold constants, errno, the signal mask, and signals that are lost.
 *
 * Prints "ready", works until SIGTERM, prints what went wrong. Knows nothing of Stackglass. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N_VECTORS = 16, VECTOR_BYTES = 16, ERRNO = 4711 };

static volatile sig_atomic_t is_stopped;
static volatile sig_atomic_t n_counted;
static volatile sig_atomic_t n_sent; /* of signals of faults, that others have sent */

static void on_term(int signal) { is_stopped = 1; }

static void on_counted(int signal) { n_counted++; }

static void on_sent(int signal) { n_sent++; }

static uint8_t before[N_VECTORS][VECTOR_BYTES];
static uint8_t after[N_VECTORS][VECTOR_BYTES];

/* Load the registers, do nothing for some 100 us, store them. */
static void hold_vectors(void) {
#if defined(__x86_64__)
    uint64_t n = 200000;
    __asm__ volatile("movdqu 0(%1), %%xmm0\n movdqu 16(%1), %%xmm1\n"
                     "movdqu 32(%1), %%xmm2\n movdqu 48(%1), %%xmm3\n"
                     "movdqu 64(%1), %%xmm4\n movdqu 80(%1), %%xmm5\n"
                     "movdqu 96(%1), %%xmm6\n movdqu 112(%1), %%xmm7\n"
                     "movdqu 128(%1), %%xmm8\n movdqu 144(%1), %%xmm9\n"
                     "movdqu 160(%1), %%xmm10\n movdqu 176(%1), %%xmm11\n"
                     "movdqu 192(%1), %%xmm12\n movdqu 208(%1), %%xmm13\n"
                     "movdqu 224(%1), %%xmm14\n movdqu 240(%1), %%xmm15\n"
                     "1: dec %0\n jnz 1b\n"
                     "movdqu %%xmm0, 0(%2)\n movdqu %%xmm1, 16(%2)\n"
                     "movdqu %%xmm2, 32(%2)\n movdqu %%xmm3, 48(%2)\n"
                     "movdqu %%xmm4, 64(%2)\n movdqu %%xmm5, 80(%2)\n"
                     "movdqu %%xmm6, 96(%2)\n movdqu %%xmm7, 112(%2)\n"
                     "movdqu %%xmm8, 128(%2)\n movdqu %%xmm9, 144(%2)\n"
                     "movdqu %%xmm10, 160(%2)\n movdqu %%xmm11, 176(%2)\n"
                     "movdqu %%xmm12, 192(%2)\n movdqu %%xmm13, 208(%2)\n"
                     "movdqu %%xmm14, 224(%2)\n movdqu %%xmm15, 240(%2)\n"
                     : "+r"(n)
                     : "r"(before), "r"(after)
                     : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                       "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                       "xmm15");
#else
    memcpy(after, before, sizeof after);
#endif
}

int main(void) {
    struct sigaction action = {.sa_handler = on_counted, .sa_flags = SA_RESTART};
    sigaction(SIGRTMIN, &action, NULL);
    action.sa_handler = on_sent;
    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    action.sa_handler = on_term;
    sigaction(SIGTERM, &action, NULL);
    for (int i = 0; i < N_VECTORS; i++) {
        memset(before[i], 0x11 * (i + 1), VECTOR_BYTES);
    }
    sigset_t mask, now;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    puts("ready");
    fflush(stdout);
    long n_rounds = 0, n_vectors = 0, n_errno = 0, n_mask = 0;
    while (!is_stopped) {
        errno = ERRNO;
        hold_vectors();
        n_errno += errno != ERRNO;
        n_vectors += memcmp(before, after, sizeof before) != 0;
        sigprocmask(SIG_SETMASK, NULL, &now);
        n_mask += memcmp(&mask, &now, 8) != 0;
        n_rounds++;
    }
    printf("rounds=%ld vectors=%ld errno=%ld mask=%ld signals=%d sent=%d\n", n_rounds, n_vectors,
           n_errno, n_mask, (int)n_counted, (int)n_sent);
    return 0;
}
