/* Filters: reads the system call filters (seccomp) of a foreign thread.
 *
 * The calling thread needs CAP_SYS_ADMIN, and must have no filter itself. Reading stops the foreign
 * thread for some 100 us. */
#ifndef STACKGLASS_INJECT_FILTERS_H
#define STACKGLASS_INJECT_FILTERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The kernel allows 32 768 instructions in all of a thread's filters together. */
enum { SG_FILTERS_MAX = 256, SG_FILTER_WORDS_MAX = 1 << 15 };

struct sg_filters {
    size_t n;
    size_t sizes[SG_FILTERS_MAX]; /* (n,), instructions of each filter, the newest first */
    size_t n_words;
    uint64_t words[SG_FILTER_WORDS_MAX]; /* (n_words,), one struct sock_filter each */
};

/* Read the filters of `thread`; the calling thread traces it with ptrace meanwhile. Returns 0, or
 * an errno: EACCES without the privilege, EBUSY if the thread does not stop within a second, E2BIG
 * if there are too many filters, EINVAL if there is none. */
int sg_filters_read(pid_t thread, struct sg_filters *filters);

#endif
