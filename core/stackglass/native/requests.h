/* What clients say: framed ToEngine messages, taken apart. Nothing in them is ever evaluated. */
#ifndef STACKGLASS_REQUESTS_H
#define STACKGLASS_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_MAX_REQUEST_BYTES = 4096 };

enum sg_request_kind {
    SG_REQUEST_UNKNOWN, /* of a newer client; to be ignored */
    SG_REQUEST_GREETING,
    SG_REQUEST_SET_RATES,
    SG_REQUEST_SNAPSHOT_THREADS,
    SG_REQUEST_DETACH,
    SG_REQUEST_SET_HEAP_RATE,
    SG_REQUEST_COLLECT,
    SG_REQUEST_TAKE_CENSUS,
    SG_REQUEST_SET_CONTENTION_RATES,
    SG_REQUEST_TAKE_LOCK_WAITS,
};

/* What set_contention_rates asks for; of the three, those with a bit of SG_KEEP_* in `kept` are to
 * be left as they are. */
enum { SG_KEEP_BLOCK = 1, SG_KEEP_MUTEX = 2, SG_KEEP_GIL = 4 };
struct sg_asked_rates {
    uint64_t block_ns, mutex_fraction, gil_hz, kept;
};

struct sg_request {
    enum sg_request_kind kind;
    uint64_t protocol;                /* of a greeting */
    uint64_t cpu_hz;                  /* of set_rates */
    uint64_t heap_rate;               /* of set_heap_rate, bytes */
    bool is_without_native;           /* likewise */
    struct sg_asked_rates contention; /* of set_contention_rates */
};

/* Take one frame from the front of `bytes`. Returns how many bytes it was; 0 = it has not come
 * whole yet; -1 = this is no client of ours. Pure. */
long sg_request_read(const uint8_t *bytes, size_t size, struct sg_request *request);

#endif
