/* The rates in force, out of what clients have asked for. */
#include "wire/client_rates.h"

#include <string.h>

#include "cpu/cpu.h"
#include "gil/sampling.h"
#include "wire/clients.h"

void sg_client_rates_set(struct sg_client_rates *rates, enum sg_rate rate, uint64_t value,
                         uint64_t order) {
    rates->asked[rate].value = value;
    rates->asked[rate].order = order;
}

static uint64_t at_most(uint64_t value, uint64_t most) { return value < most ? value : most; }

static void ask_contention(struct sg_client_rates *rates, const struct sg_requested_rates *asked,
                           uint64_t order) {
    if (!(asked->kept & SG_KEEP_BLOCK))
        sg_client_rates_set(rates, SG_RATE_BLOCK, asked->block_ns, order);
    if (!(asked->kept & SG_KEEP_MUTEX))
        sg_client_rates_set(rates, SG_RATE_MUTEX, asked->mutex_fraction, order);
    if (!(asked->kept & SG_KEEP_GIL))
        sg_client_rates_set(rates, SG_RATE_GIL, at_most(asked->gil_hz, SG_GIL_MAX_HZ), order);
    if (asked->changed & SG_CHANGE_OTHER)
        sg_client_rates_set(rates, SG_RATE_OTHER, asked->is_other != 0, order);
    if (asked->changed & SG_CHANGE_STALL)
        sg_client_rates_set(rates, SG_RATE_STALL, sg_clamp_stall_ns(asked->stall_ns), order);
}

bool sg_client_rates_ask(struct sg_client_rates *rates, const struct sg_request *request,
                         uint64_t order) {
    switch (request->kind) {
    case SG_REQUEST_SET_RATES:
        sg_client_rates_set(rates, SG_RATE_CPU, at_most(request->cpu_hz, SG_MAX_HZ), order);
        return true;
    case SG_REQUEST_SET_HEAP_RATE:
        sg_client_rates_set(rates, SG_RATE_HEAP, request->heap_rate, order);
        sg_client_rates_set(rates, SG_RATE_NATIVE, !request->is_without_native, order);
        return true;
    case SG_REQUEST_SET_CONTENTION_RATES:
        ask_contention(rates, &request->contention, order);
        return true;
    default:
        return false;
    }
}

void sg_client_rates_in_force(const struct sg_client_rates *started,
                              const struct sg_clients *clients, uint64_t values[SG_N_RATES]) {
    for (int rate = 0; rate < SG_N_RATES; rate++) {
        uint64_t order = started->asked[rate].order;
        values[rate] = order ? started->asked[rate].value : 0;
        for (size_t i = 0; i < clients->n; i++) {
            const struct sg_client_rates *rates = &clients->at[i]->rates;
            if (clients->at[i]->stage <= SG_CLIENT_DETACHING && rates->asked[rate].order > order) {
                order = rates->asked[rate].order;
                values[rate] = rates->asked[rate].value;
            }
        }
    }
}
