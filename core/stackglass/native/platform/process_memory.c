/* Resident memory of the process: two lines of /proc/self/status. */
#include "platform/process_memory.h"

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

static struct sg_process_memory read_status(void) {
    char text[MAX_STATUS_BYTES];
    int descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = descriptor < 0 ? -1 : read(descriptor, text, sizeof text - 1);
    if (descriptor >= 0)
        close(descriptor);
    text[n > 0 ? n : 0] = '\0';
    return (struct sg_process_memory){
        .now_bytes = find_kib(text, "\nVmRSS:") * KIB,
        .most_bytes = find_kib(text, "\nVmHWM:") * KIB,
    };
}

uint64_t sg_process_memory_resident_bytes(void) { return read_status().now_bytes; }

struct sg_process_memory sg_process_memory_account(uint64_t before_attach_bytes,
                                                   uint64_t in_use_bytes) {
    struct sg_process_memory resident = read_status();
    if (before_attach_bytes && resident.now_bytes)
        resident.unaccounted_bytes =
            (int64_t)(resident.now_bytes - before_attach_bytes - in_use_bytes);
    return resident;
}
