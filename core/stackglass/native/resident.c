/* Resident memory: see resident.h. */
#include "resident.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic uint64_t before_attach; /* lock-free */

uint64_t sg_resident_bytes(void) {
    char text[128]; /* size resident shared …, in pages */
    char *rest;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t n = read(file, text, sizeof text - 1);
    close(file);
    if (n <= 0)
        return 0;
    text[n] = 0;
    strtoull(text, &rest, 10);
    return strtoull(rest, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void sg_resident_mark(void) { atomic_store(&before_attach, sg_resident_bytes()); }

struct sg_resident sg_resident_account(uint64_t in_use_bytes) {
    struct sg_resident resident = {
        .before_attach_bytes = atomic_load(&before_attach),
        .now_bytes = sg_resident_bytes(),
    };
    resident.unaccounted_bytes =
        (int64_t)(resident.now_bytes - resident.before_attach_bytes - in_use_bytes);
    return resident;
}
