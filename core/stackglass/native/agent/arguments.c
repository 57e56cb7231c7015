/* A parser of "key=value" fields, each ended by a NUL. Unknown keys are ignored, since the caller
 * may be newer. Numbers are clamped to what their profiler accepts; a path that is too long, or an
 * unknown clock, is an error. */
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

static bool is_key(const char *field, size_t length, const char *key) {
    return length == strlen(key) && !memcmp(field, key, length);
}

static int read_field(const char *field, struct sg_arguments *arguments) {
    const char *value = strchr(field, '=');
    size_t length = value ? (size_t)(value - field) : 0;
    if (!value)
        return -EINVAL;
    value++;
    if (is_key(field, length, "socket")) {
        return read_path(value, arguments->socket);
    } else if (is_key(field, length, "wanted")) {
        return read_path(value, arguments->wanted);
    } else if (is_key(field, length, "uid")) {
        arguments->uid = strtol(value, NULL, 10);
    } else if (is_key(field, length, "hz")) {
        arguments->hz = sg_arguments_clamp_hz(strtol(value, NULL, 10));
    } else if (is_key(field, length, "wall")) {
        unsigned long hz = strtoul(value, NULL, 10);
        arguments->wall_hz = hz < SG_WALL_MAX_HZ ? (unsigned)hz : SG_WALL_MAX_HZ;
    } else if (is_key(field, length, "unwind")) {
        arguments->has_native_stacks = *value == '1';
    } else if (is_key(field, length, "heap")) {
        arguments->heap_rate = strtoull(value, NULL, 10);
    } else if (is_key(field, length, "trace")) {
        arguments->is_traced = *value == '1';
    } else if (is_key(field, length, "block")) {
        arguments->contention.block_ns = strtoull(value, NULL, 10);
    } else if (is_key(field, length, "mutex")) {
        arguments->contention.mutex_fraction = strtoull(value, NULL, 10);
    } else if (is_key(field, length, "gil")) {
        uint64_t hz = strtoull(value, NULL, 10);
        arguments->contention.gil_hz = hz < SG_GIL_MAX_HZ ? hz : SG_GIL_MAX_HZ;
    } else if (is_key(field, length, "other")) {
        arguments->contention.is_other = *value == '1';
    } else if (is_key(field, length, "stall")) {
        arguments->contention.stall_ns = sg_requests_clamp_stall_ns(strtoull(value, NULL, 10));
    } else if (is_key(field, length, "depth")) {
        arguments->stack_depth = sg_stack_depth_clamp(strtoull(value, NULL, 10));
    } else if (is_key(field, length, "native")) {
        arguments->is_without_native = *value == '0';
    } else if (is_key(field, length, "calls")) {
        arguments->calls = (int)strtol(value, NULL, 10);
    } else if (is_key(field, length, "wait")) {
        arguments->is_waiting = *value == '1';
    } else if (is_key(field, length, "clock")) {
        int clock = sg_arguments_clock(value);
        if (clock < 0)
            return -EINVAL;
        arguments->clock = (enum sg_clock)clock;
    } /* any other key comes from a newer caller, and is ignored */
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
            return -EINVAL; /* the last field is not ended by a NUL */
        int failed = read_field(text + at, arguments);
        if (failed)
            return failed;
        at += length + 1;
    }
    return arguments->socket[0] == '/' ? 0 : -EINVAL;
}
