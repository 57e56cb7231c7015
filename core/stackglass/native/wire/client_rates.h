/* What clients have asked for, and the rates in force.
 *
 *     rate in force = what was asked for last by a client that is still there; 0 = no client asked
 *
 * A client that leaves takes what it asked for along: a rate of its own goes back to what the last
 * of the others asked for. No lock: the writer's. */
#ifndef STACKGLASS_WIRE_CLIENT_RATES_H
#define STACKGLASS_WIRE_CLIENT_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/requests.h"

struct sg_clients;

enum sg_rate {
    SG_RATE_CPU,    /* Hz */
    SG_RATE_HEAP,   /* bytes */
    SG_RATE_NATIVE, /* 1 = also memory past Python's allocators */
    SG_RATE_BLOCK,  /* ns */
    SG_RATE_MUTEX,  /* one release in so many */
    SG_RATE_GIL,    /* Hz */
    SG_RATE_OTHER,  /* 1 = also waits for other things than locks */
    SG_RATE_STALL,  /* ns */
    SG_N_RATES
};

struct sg_client_rates {
    struct {
        uint64_t value;
        uint64_t order; /* of all requests, ascending; 0 = it has not asked */
    } asked[SG_N_RATES];
};

/* Note what a request asks for; `order` is higher than that of any request before. Values are
 * brought into the range that the engine has. Other requests ask for nothing. True if it does. */
bool sg_client_rates_ask(struct sg_client_rates *rates, const struct sg_request *request,
                         uint64_t order);
void sg_client_rates_set(struct sg_client_rates *rates, enum sg_rate rate, uint64_t value,
                         uint64_t order);

/* What is in force with these clients; `started` is what the engine was started with, until a
 * client takes it over. */
void sg_client_rates_in_force(const struct sg_client_rates *started,
                              const struct sg_clients *clients, uint64_t values[SG_N_RATES]);

#endif
