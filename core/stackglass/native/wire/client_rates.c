/* Each rate is stored with the number of its request. Numbers ascend over all clients, so the rate
 * in force is the one with the highest number. */
#include "wire/client_rates.h"

#include "cpu/cpu.h"
#include "cpu/wall_sampler.h"
#include "gil/sampling.h"

void sg_client_rates_set(struct sg_client_rates *rates, enum sg_rate rate, uint64_t value,
                         uint64_t order) {
    rates->requested[rate].value = value;
    rates->requested[rate].order = order;
}

static uint64_t at_most(uint64_t value, uint64_t most) { return value < most ? value : most; }

static void request_contention(struct sg_client_rates *rates,
                               const struct sg_requested_rates *requested, uint64_t order) {
    if (!(requested->kept & SG_KEEP_BLOCK))
        sg_client_rates_set(rates, SG_RATE_BLOCK, requested->block_ns, order);
    if (!(requested->kept & SG_KEEP_MUTEX))
        sg_client_rates_set(rates, SG_RATE_MUTEX, requested->mutex_fraction, order);
    if (!(requested->kept & SG_KEEP_GIL))
        sg_client_rates_set(rates, SG_RATE_GIL, at_most(requested->gil_hz, SG_GIL_MAX_HZ), order);
    if (requested->changed & SG_CHANGE_OTHER)
        sg_client_rates_set(rates, SG_RATE_OTHER, requested->is_other != 0, order);
    if (requested->changed & SG_CHANGE_STALL)
        sg_client_rates_set(rates, SG_RATE_STALL, sg_requests_clamp_stall_ns(requested->stall_ns),
                            order);
}

bool sg_client_rates_request(struct sg_client_rates *rates, const struct sg_request *request,
                             uint64_t order) {
    switch (request->kind) {
    case SG_REQUEST_SET_RATES:
        sg_client_rates_set(rates, SG_RATE_CPU, at_most(request->cpu_hz, SG_MAX_HZ), order);
        return true;
    case SG_REQUEST_SET_WALL_RATE:
        sg_client_rates_set(rates, SG_RATE_WALL, at_most(request->wall_hz, SG_WALL_MAX_HZ), order);
        return true;
    case SG_REQUEST_SET_HEAP_RATE:
        sg_client_rates_set(rates, SG_RATE_HEAP, request->heap_rate, order);
        sg_client_rates_set(rates, SG_RATE_NATIVE, !request->is_without_native, order);
        return true;
    case SG_REQUEST_SET_NATIVE_STACKS:
        sg_client_rates_set(rates, SG_RATE_NATIVE_STACKS, request->has_native_stacks, order);
        return true;
    case SG_REQUEST_SET_CONTENTION_RATES:
        request_contention(rates, &request->contention, order);
        return true;
    default:
        return false;
    }
}
