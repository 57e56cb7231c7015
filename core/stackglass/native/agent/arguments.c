/* Decoder of the engine's arguments: see arguments.h. */
#include "agent/arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/wall_sampler.h"
#include "frames/stack_depth.h"
#include "gil/sampling.h"
#include "platform/permitted_calls.h"

int sg_arguments_clock(const char *name) {
    for (int clock = SG_CLOCK_AUTO; clock <= SG_CLOCK_OUTSIDE; clock++)
        if (!strcmp(name, sg_clock_name((enum sg_clock)clock)))
            return clock;
    return -1;
}

int sg_arguments_clamp_hz(long hz) { return hz < 0 ? 0 : hz > SG_MAX_HZ ? SG_MAX_HZ : (int)hz; }

static int read_path(const char *value, char path[SG_MAX_PATH_BYTES]) {
    if (strlen(value) >= SG_MAX_PATH_BYTES)
        return -ENAMETOOLONG;
    strcpy(path, value);
    return 0;
}

static int read_field(const char *field, struct sg_arguments *arguments) {
    const char *value = strchr(field, '=');
    size_t key = value ? (size_t)(value - field) : 0;
    if (!value)
        return -EINVAL;
    value++;
    if (key == 6 && !memcmp(field, "socket", key)) {
        return read_path(value, arguments->socket);
    } else if (key == 6 && !memcmp(field, "wanted", key)) {
        return read_path(value, arguments->wanted);
    } else if (key == 3 && !memcmp(field, "uid", key)) {
        arguments->uid = strtol(value, NULL, 10);
    } else if (key == 2 && !memcmp(field, "hz", key)) {
        arguments->hz = sg_arguments_clamp_hz(strtol(value, NULL, 10));
    } else if (key == 4 && !memcmp(field, "wall", key)) {
        unsigned long hz = strtoul(value, NULL, 10);
        arguments->wall_hz = hz < SG_WALL_MAX_HZ ? (unsigned)hz : SG_WALL_MAX_HZ;
    } else if (key == 6 && !memcmp(field, "unwind", key)) {
        arguments->has_native_stacks = *value == '1';
    } else if (key == 4 && !memcmp(field, "heap", key)) {
        arguments->heap_rate = strtoull(value, NULL, 10);
    } else if (key == 5 && !memcmp(field, "trace", key)) {
        arguments->is_traced = *value == '1';
    } else if (key == 5 && !memcmp(field, "block", key)) {
        arguments->contention.block_ns = strtoull(value, NULL, 10);
    } else if (key == 5 && !memcmp(field, "mutex", key)) {
        arguments->contention.mutex_fraction = strtoull(value, NULL, 10);
    } else if (key == 3 && !memcmp(field, "gil", key)) {
        uint64_t hz = strtoull(value, NULL, 10);
        arguments->contention.gil_hz = hz < SG_GIL_MAX_HZ ? hz : SG_GIL_MAX_HZ;
    } else if (key == 5 && !memcmp(field, "other", key)) {
        arguments->contention.is_other = *value == '1';
    } else if (key == 5 && !memcmp(field, "stall", key)) {
        arguments->contention.stall_ns = sg_requests_clamp_stall_ns(strtoull(value, NULL, 10));
    } else if (key == 5 && !memcmp(field, "depth", key)) {
        arguments->stack_depth = sg_stack_depth_clamp(strtoull(value, NULL, 10));
    } else if (key == 6 && !memcmp(field, "native", key)) {
        arguments->is_without_native = *value == '0';
    } else if (key == 5 && !memcmp(field, "calls", key)) {
        arguments->calls = (int)strtol(value, NULL, 10);
    } else if (key == 4 && !memcmp(field, "wait", key)) {
        arguments->is_waiting = *value == '1';
    } else if (key == 5 && !memcmp(field, "clock", key)) {
        int clock = sg_arguments_clock(value);
        if (clock < 0)
            return -EINVAL;
        arguments->clock = (enum sg_clock)clock;
    } /* else of a newer caller: ignored */
    return 0;
}

int sg_arguments_read(const char *text, size_t size, struct sg_arguments *arguments) {
    *arguments = (struct sg_arguments){
        .uid = -1,
        .hz = SG_DEFAULT_HZ,
        .calls = SG_CALLS_NOT_GIVEN,
        .stack_depth = SG_STACK_DEPTH_DEFAULT,
    };
    for (size_t at = 0; at < size && text[at];) {
        size_t length = strnlen(text + at, size - at);
        if (at + length == size)
            return -EINVAL; /* the last field has no end */
        int failed = read_field(text + at, arguments);
        if (failed)
            return failed;
        at += length + 1;
    }
    return arguments->socket[0] == '/' ? 0 : -EINVAL;
}
