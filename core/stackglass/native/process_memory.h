/* How much memory the process has, as the kernel says. No state, any thread; opens a file for a
 * moment, so: from a descriptor table of our own. */
#ifndef STACKGLASS_PROCESS_MEMORY_H
#define STACKGLASS_PROCESS_MEMORY_H

#include <stdint.h>

struct sg_process_memory {
    uint64_t rss_bytes;     /* resident now; 0 = not to be had */
    uint64_t max_rss_bytes; /* at most so far */
};

struct sg_process_memory sg_process_memory(void);

#endif
