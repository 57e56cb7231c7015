/* Arguments: decoder of the engine's arguments (agent.h). */
#ifndef STACKGLASS_AGENT_ARGUMENTS_H
#define STACKGLASS_AGENT_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"
#include "wire/requests.h"

enum { SG_DEFAULT_HZ = 100, SG_MAX_PATH_BYTES = 108 /* sun_path */ };

struct sg_arguments {
    char socket[SG_MAX_PATH_BYTES]; /* "" = no client can connect */
    char wanted[SG_MAX_PATH_BYTES]; /* a file: no client comes once it is gone; "" = none */
    long uid;                       /* may connect besides root and the own user; -1 = none */
    int hz;
    unsigned wall_hz;
    bool has_native_stacks;
    enum sg_clock clock;
    uint64_t heap_rate;     /* bytes; 0 = off */
    uint32_t stack_depth;   /* heap and contention: frames kept of a stack */
    bool is_without_native; /* heap, trace: the import tables of libraries stay as they are */
    bool is_traced;         /* begin a memory trace, for the first client */
    struct sg_requested_rates contention; /* each 0 = off */
    int calls;       /* permitted, bits of enum sg_call; SG_CALLS_NOT_GIVEN = find out */
    bool is_waiting; /* all samples are kept until the first client connects */
};

/* 0 or -errno. Neither allocates nor locks: it runs on a thread that was stopped anywhere. */
int sg_arguments_read(const char *text, size_t size, struct sg_arguments *arguments);

/* The clock of this name; -1 = there is none. */
int sg_arguments_clock(const char *name);
/* The rate, or the nearest one in 0…SG_MAX_HZ. */
int sg_arguments_clamp_hz(long hz);

#endif
