/* Arguments: the engine's arguments (agent.h), and a parser of their text. */
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
    char wanted[SG_MAX_PATH_BYTES]; /* a file that exists while a client may come; "" = none */
    long uid; /* of a user that may connect besides root and the process's own; -1 = none */
    int hz;
    unsigned wall_hz;
    bool has_native_stacks;
    enum sg_clock clock;
    uint64_t heap_rate;     /* bytes; 0 = off */
    uint32_t stack_depth;   /* frames kept of a stack in heap, contention and memory trace */
    bool is_without_native; /* heap, trace: do not patch the import tables of libraries */
    bool is_traced;         /* begin a memory trace for the first client */
    struct sg_requested_rates contention; /* each 0 = off */
    int calls;       /* permitted ones, bits of enum sg_call; SG_CALLS_NOT_GIVEN = find out */
    bool is_waiting; /* Python code that enters waits until samples are taken (agent_bindings.c) */
};

/* Parse the `size` bytes at `text`. Returns 0 or -errno. It neither allocates nor locks, because it
 * runs on a thread that an injector has stopped anywhere. */
int sg_arguments_read(const char *text, size_t size, struct sg_arguments *arguments);

/* Return the clock called `name`, or -1 if there is none. */
int sg_arguments_clock(const char *name);
/* Return `hz`, clamped to 0…SG_MAX_HZ. */
int sg_arguments_clamp_hz(long hz);

#endif
