/* The arguments that the engine is entered with, taken apart. See agent.h. */
#ifndef STACKGLASS_AGENT_ARGUMENTS_H
#define STACKGLASS_AGENT_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"
#include "wire/requests.h"

enum { SG_DEFAULT_HZ = 100, SG_MAX_PATH_BYTES = 108 /* sun_path */ };

struct sg_arguments {
    char socket[SG_MAX_PATH_BYTES]; /* "" = nobody can connect */
    long uid;                       /* -1 = nobody besides root and ourselves */
    int hz;
    enum sg_clock clock;
    uint64_t heap_rate;                   /* of the heap profiler, bytes; 0 = off */
    bool is_without_native;               /* it leaves the import tables of libraries alone */
    struct sg_requested_rates contention; /* each 0 = off */
    int calls;       /* enum sg_call: that may be made; SG_CALLS_NOT_GIVEN = find out */
    bool is_waiting; /* nothing is lost before the first client has come */
};

/* 0 or -errno. Calls nothing that allocates or locks: it runs on a thread stopped anywhere. */
int sg_arguments_read(const char *text, size_t size, struct sg_arguments *arguments);

/* By name; -1 if there is no such clock. */
int sg_arguments_clock(const char *name);
/* 0…SG_MAX_HZ. */
int sg_arguments_clamp_hz(long hz);

#endif
