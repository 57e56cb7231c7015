/* Requests: decodes ToEngine messages. No part of a message is ever executed. */
#ifndef STACKGLASS_WIRE_REQUESTS_H
#define STACKGLASS_WIRE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/tags.h"

enum { SG_MAX_REQUEST_BYTES = 4096, SG_MAX_NAMES_BYTES = 512 };

/* Kinds of requests, with the field numbers of ToEngine. */
enum sg_request_kind {
    SG_REQUEST_UNKNOWN = 0, /* from a newer client; ignored */
    SG_REQUEST_GREETING = SG_TAG_TO_ENGINE_GREETING,
    SG_REQUEST_SET_RATES = SG_TAG_TO_ENGINE_SET_RATES,
    SG_REQUEST_SNAPSHOT_THREADS = SG_TAG_TO_ENGINE_SNAPSHOT_THREADS,
    SG_REQUEST_DETACH = SG_TAG_TO_ENGINE_DETACH,
    SG_REQUEST_SET_HEAP_RATE = SG_TAG_TO_ENGINE_SET_HEAP_RATE,
    SG_REQUEST_COLLECT = SG_TAG_TO_ENGINE_COLLECT,
    SG_REQUEST_TAKE_CENSUS = SG_TAG_TO_ENGINE_TAKE_CENSUS,
    SG_REQUEST_SET_CONTENTION_RATES = SG_TAG_TO_ENGINE_SET_CONTENTION_RATES,
    SG_REQUEST_TAKE_LOCK_WAITS = SG_TAG_TO_ENGINE_TAKE_LOCK_WAITS,
    SG_REQUEST_TAKE_THREAD_DUMP = SG_TAG_TO_ENGINE_TAKE_THREAD_DUMP,
    SG_REQUEST_TAKE_THREAD_CREATIONS = SG_TAG_TO_ENGINE_TAKE_THREAD_CREATIONS,
    SG_REQUEST_SET_WALL_RATE = SG_TAG_TO_ENGINE_SET_WALL_RATE,
    SG_REQUEST_LABEL_VARIABLES = SG_TAG_TO_ENGINE_LABEL_VARIABLES,
    SG_REQUEST_TAKE_CUSTOM_PROFILES = SG_TAG_TO_ENGINE_TAKE_CUSTOM_PROFILES,
    SG_REQUEST_SET_NATIVE_STACKS = SG_TAG_TO_ENGINE_SET_NATIVE_STACKS,
    SG_REQUEST_TAKE_METRICS = SG_TAG_TO_ENGINE_TAKE_METRICS,
    SG_REQUEST_SET_MEMORY_TRACE = SG_TAG_TO_ENGINE_SET_MEMORY_TRACE,
    SG_REQUEST_LAST = SG_REQUEST_SET_MEMORY_TRACE,
};

/* The rates of set_contention_rates. One of the first three does not change if its SG_KEEP_* bit is
 * in `kept`. One of the other two changes only if its SG_CHANGE_* bit is in `changed`, because
 * older clients do not send them. */
enum { SG_KEEP_BLOCK = 1, SG_KEEP_MUTEX = 2, SG_KEEP_GIL = 4 };
enum { SG_CHANGE_OTHER = 1, SG_CHANGE_STALL = 2 };
struct sg_requested_rates {
    uint64_t block_ns, mutex_fraction, gil_hz, kept;
    uint64_t is_other; /* also blocking calls other than locks, at the block rate */
    uint64_t stall_ns;
    uint64_t changed;
};

/* Range of the stall limit: shorter stalls end before they can be sampled, and a longer limit has
 * no use. */
#define SG_STALL_LEAST_NS (UINT64_C(10) * 1000 * 1000)
#define SG_STALL_MOST_NS (UINT64_C(60) * 1000 * 1000 * 1000)
/* Return 0 (off), or `stall_ns` clamped to that range. */
static inline uint64_t sg_requests_clamp_stall_ns(uint64_t stall_ns) {
    if (!stall_ns || (stall_ns >= SG_STALL_LEAST_NS && stall_ns <= SG_STALL_MOST_NS))
        return stall_ns;
    return stall_ns < SG_STALL_LEAST_NS ? SG_STALL_LEAST_NS : SG_STALL_MOST_NS;
}

struct sg_request {
    enum sg_request_kind kind;
    uint64_t protocol;                    /* of a greeting */
    uint64_t cpu_hz;                      /* of set_rates */
    uint64_t wall_hz;                     /* of set_wall_rate */
    uint64_t heap_rate;                   /* of set_heap_rate, bytes */
    bool is_without_native;               /* of set_heap_rate and set_memory_trace */
    bool is_on;                           /* of set_memory_trace */
    struct sg_requested_rates contention; /* of set_contention_rates */
    bool wants_leaks;                     /* of take_thread_dump */
    bool has_native_stacks;               /* of set_native_stacks */
    char names[SG_MAX_NAMES_BYTES];       /* of label_variables; cut at SG_MAX_NAMES_BYTES */
    size_t n_names_bytes;
};

/* Decode the frame at the front of `bytes`. Returns its size, 0 if it is incomplete, or -1 if it is
 * invalid. Has no side effects. */
long sg_request_read(const uint8_t *bytes, size_t size, struct sg_request *request);

#endif
