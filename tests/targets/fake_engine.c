/* Stands for the engine where a test is about the way in: has its entry, and one thread that says
 * one thing where it is asked to.
 *
 * Arguments, NUL-separated: socket=PATH: listen there, say hello to whoever
 * comes, and leave when the first one hangs up; or file=PATH: append the time, CLOCK_MONOTONIC in
 * ns. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "../../core/stackglass/native/wire/tags.h"

#define EXPORT __attribute__((visibility("default")))

enum { ARGUMENTS_MAX = 4096, ENTERED = 7 };

static char arguments[ARGUMENTS_MAX];
static atomic_bool is_serving;

static const char *find(const char *key) {
    size_t size = strlen(key);
    for (const char *field = arguments; *field != '\0'; field += strlen(field) + 1) {
        if (strncmp(field, key, size) == 0 && field[size] == '=') {
            return field + size + 1;
        }
    }
    return NULL;
}

static void serve(const char *path) {
    /* The protocol's version, and 7 for a PID. */
    static const char hello[] = {0x06, 0x0a, 0x04, 0x08, SG_PROTOCOL_VERSION, 0x18, 0x07};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(listener, 4) == 0) {
        int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        char heard[256];
        if (write(client, hello, sizeof hello) == sizeof hello) {
            while (read(client, heard, sizeof heard) > 0) {
            }
        }
        close(client);
    }
    unlink(path);
    close(listener);
}

static void *run(void *unused) {
    const char *path = find("file");
    if (path != NULL) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        FILE *file = fopen(path, "a");
        fprintf(file, "%lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
        fclose(file);
    } else {
        serve(find("socket"));
        is_serving = false;
    }
    return NULL;
}

EXPORT int stackglass_enter(const char *given, unsigned long size) {
    if (size > sizeof arguments) {
        return -E2BIG;
    }
    errno = EXDEV;
    bool is_server = strncmp(given, "socket=", 7) == 0;
    if (is_server && atomic_exchange(&is_serving, true)) {
        return ENTERED; /* both ways in were taken */
    }
    memcpy(arguments, given, size);
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) != 0) {
        is_serving = false;
        return -EAGAIN;
    }
    pthread_detach(thread);
    return ENTERED;
}

/* Other entries, for what can go wrong. */
EXPORT int enter_and_fault(const char *given, unsigned long size) { __builtin_trap(); }

EXPORT int enter_and_wait(const char *given, unsigned long size) {
    usleep(300 * 1000);
    return ENTERED;
}

/* Until something opens the FIFO file=PATH for writing. */
EXPORT int enter_and_open(const char *given, unsigned long size) {
    close(open(strchr(given, '=') + 1, O_RDONLY | O_CLOEXEC));
    return ENTERED;
}

/* For some seconds by the clock: asleep, or at work. */
EXPORT int enter_and_sleep_long(const char *given, unsigned long size) {
    usleep(3000 * 1000);
    return ENTERED;
}

EXPORT int enter_and_work_long(const char *given, unsigned long size) {
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - begun.tv_sec < 2);
    return ENTERED;
}

/* Changes every vector register and the rounding mode as a side effect. */
EXPORT int enter_and_scribble(const char *given, unsigned long size) {
#if defined(__x86_64__)
    unsigned control = 0x5f80; /* round up */
    __asm__ volatile("ldmxcsr %0\n"
                     "pcmpeqd %%xmm0, %%xmm0\n pcmpeqd %%xmm1, %%xmm1\n"
                     "pcmpeqd %%xmm2, %%xmm2\n pcmpeqd %%xmm3, %%xmm3\n"
                     "pcmpeqd %%xmm6, %%xmm6\n pcmpeqd %%xmm7, %%xmm7\n"
                     "pcmpeqd %%xmm12, %%xmm12\n pcmpeqd %%xmm15, %%xmm15\n"
                     :
                     : "m"(control)
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm6", "xmm7", "xmm12", "xmm15");
#endif
    errno = EXDEV;
    return ENTERED;
}
