/* Resident pages, read from /proc/self/pagemap. */
#include "platform/resident_pages.h"

#include <fcntl.h>
#include <unistd.h>

enum { ENTRIES = 512 };
static const uint64_t IS_PRESENT = UINT64_C(1) << 63, IS_SWAPPED = UINT64_C(1) << 62;

int sg_resident_pages_open(void) { return open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC); }

uint64_t sg_resident_pages_count(int descriptor, uintptr_t start, uintptr_t end) {
    uint64_t entries[ENTRIES], n_present = 0;
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t at = start / page_bytes, stop = (end + page_bytes - 1) / page_bytes;
    while (at < stop) {
        size_t n = stop - at < ENTRIES ? stop - at : ENTRIES;
        ssize_t got =
            pread(descriptor, entries, n * sizeof *entries, (off_t)(at * sizeof *entries));
        if (got < (ssize_t)sizeof *entries)
            break;
        n = (size_t)got / sizeof *entries;
        for (size_t i = 0; i < n; i++)
            n_present += (entries[i] & (IS_PRESENT | IS_SWAPPED)) != 0;
        at += n;
    }
    return n_present * page_bytes;
}
