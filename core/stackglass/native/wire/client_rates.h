/* Client rates: the rates that each client has requested.
 *
 *     rate in force = last request of a client that is still connected; 0 = no request
 *
 * When a client leaves, its requests end: a rate falls back to the last request of the other
 * clients. The writer owns the rates. */
#ifndef STACKGLASS_WIRE_CLIENT_RATES_H
#define STACKGLASS_WIRE_CLIENT_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/requests.h"

enum sg_rate {
    SG_RATE_CPU,           /* Hz */
    SG_RATE_HEAP,          /* bytes */
    SG_RATE_NATIVE,        /* 1 = also allocations that bypass Python's allocators */
    SG_RATE_BLOCK,         /* ns */
    SG_RATE_MUTEX,         /* one release in this many */
    SG_RATE_GIL,           /* Hz */
    SG_RATE_OTHER,         /* 1 = also blocking calls other than locks */
    SG_RATE_STALL,         /* ns */
    SG_RATE_WALL,          /* Hz */
    SG_RATE_NATIVE_STACKS, /* 1 = stacks have C frames */
    SG_RATE_CREATIONS,     /* 1 = report starts of threads, which are always recorded */
    SG_N_RATES
};

struct sg_client_rates {
    struct {
        uint64_t value;
        uint64_t order; /* ascending over the requests of all clients; 0 = no request */
    } requested[SG_N_RATES];
};

/* Store the rates of a request, clamped to their ranges. `order` is higher than that of any earlier
 * request. Returns false if the request does not set rates. */
bool sg_client_rates_request(struct sg_client_rates *rates, const struct sg_request *request,
                             uint64_t order);
void sg_client_rates_set(struct sg_client_rates *rates, enum sg_rate rate, uint64_t value,
                         uint64_t order);

#endif
