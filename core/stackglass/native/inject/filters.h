/* System call filters (seccomp) of a foreign thread.
 *
 * Reading them needs CAP_SYS_ADMIN, and no filter on the calling thread. It stops the thread for
 * some 100 us. */
#ifndef STACKGLASS_INJECT_FILTERS_H
#define STACKGLASS_INJECT_FILTERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The kernel allows 32 768 instructions in all of a thread's filters. */
enum { SG_FILTERS_MAX = 256, SG_FILTER_WORDS_MAX = 1 << 15 };

struct sg_filters {
    size_t n;
    size_t sizes[SG_FILTERS_MAX]; /* instructions of each; the newest filter is first */
    size_t n_words;
    uint64_t words[SG_FILTER_WORDS_MAX]; /* struct sock_filter */
};

/* Read the filters. The calling thread becomes the tracer. 0, or errno: EACCES without the
 * privilege, EBUSY if the thread does not stop. */
int sg_filters_read(pid_t thread, struct sg_filters *filters);

#endif
