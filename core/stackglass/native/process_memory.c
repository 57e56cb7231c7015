/* /proc/self/status, two lines of it: see process_memory.h. */
#include "process_memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_STATUS_BYTES = 8192 };
static const uint64_t KIB = 1024;

static uint64_t find_kib(const char *text, const char *name) {
    const char *line = strstr(text, name);
    return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

struct sg_process_memory sg_process_memory(void) {
    struct sg_process_memory memory = {0};
    char text[MAX_STATUS_BYTES];
    int descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = descriptor < 0 ? -1 : read(descriptor, text, sizeof text - 1);
    if (descriptor >= 0)
        close(descriptor);
    if (n <= 0)
        return memory;
    text[n] = '\0';
    memory.rss_bytes = find_kib(text, "\nVmRSS:") * KIB;
    memory.max_rss_bytes = find_kib(text, "\nVmHWM:") * KIB;
    return memory;
}
