/* Rate control: turns requests for rates into rates in force and hooks, once a turn:
 *
 *     requests of clients ─▶ the last of each rate (clients.h) ─▶ another than before? ─▶ arguments
 *                                                      profilers and hooks ◀─ apply ─┘   └─▶ Rates
 *
 * A set of rates is a bitmap with one bit for each enum sg_rate. Rates that were requested are
 * applied as well as those that have changed: so a request that changes nothing is answered with
 * Rates, too, and tries refused hooks again. */
#include "agent/rate_control.h"

#include <string.h>

#include "agent/contention_control.h"
#include "agent/heap_control.h"
#include "cpu/cpu.h"
#include "cpu/wall_sampler.h"
#include "gil/sampling.h"
#include "heap/heap.h"
#include "unwind/unwind.h"
#include "wire/messages.h"

#define BIT(rate) (UINT32_C(1) << (rate))

enum {
    HEAP_BITS = BIT(SG_RATE_HEAP) | BIT(SG_RATE_NATIVE),
    CONTENTION_BITS = BIT(SG_RATE_BLOCK) | BIT(SG_RATE_MUTEX) | BIT(SG_RATE_GIL) |
                      BIT(SG_RATE_OTHER) | BIT(SG_RATE_STALL),
};

static void list_rates(const struct sg_arguments *arguments, uint64_t heap_rate,
                       uint64_t values[SG_N_RATES]) {
    const struct sg_requested_rates *contention = &arguments->contention;
    values[SG_RATE_CPU] = (uint64_t)arguments->hz;
    values[SG_RATE_HEAP] = heap_rate;
    values[SG_RATE_NATIVE] = !arguments->is_without_native;
    values[SG_RATE_BLOCK] = contention->block_ns;
    values[SG_RATE_MUTEX] = contention->mutex_fraction;
    values[SG_RATE_GIL] = contention->gil_hz;
    values[SG_RATE_OTHER] = contention->is_other;
    values[SG_RATE_STALL] = contention->stall_ns;
    values[SG_RATE_WALL] = arguments->wall_hz;
    values[SG_RATE_NATIVE_STACKS] = arguments->has_native_stacks;
    values[SG_RATE_CREATIONS] = 0;
}

void sg_rate_control_start(struct sg_writer *writer, const struct sg_arguments *arguments) {
    uint64_t values[SG_N_RATES];
    list_rates(arguments, arguments->heap_rate, values);
    for (int rate = 0; rate < SG_N_RATES; rate++)
        sg_client_rates_set(&writer->started, (enum sg_rate)rate, values[rate], 1);
    if (!writer->n_requests)
        writer->n_requests = 1;
}

void sg_rate_control_request(struct sg_writer *writer, struct sg_client *client,
                             const struct sg_request *request) {
    if (!sg_client_rates_request(&client->rates, request, ++writer->n_requests))
        return;
    writer->requested |= request->kind == SG_REQUEST_SET_RATES       ? BIT(SG_RATE_CPU)
                         : request->kind == SG_REQUEST_SET_WALL_RATE ? BIT(SG_RATE_WALL)
                         : request->kind == SG_REQUEST_SET_NATIVE_STACKS
                             ? BIT(SG_RATE_NATIVE_STACKS)
                         : request->kind == SG_REQUEST_SET_HEAP_RATE ? HEAP_BITS
                                                                     : CONTENTION_BITS;
}

void sg_rate_control_request_own(struct sg_writer *writer, struct sg_client *client,
                                 enum sg_rate rate, uint64_t value) {
    uint64_t order = value ? ++writer->n_requests : 0;
    if (rate == SG_RATE_GIL && value > SG_GIL_MAX_HZ)
        value = SG_GIL_MAX_HZ;
    sg_client_rates_set(&client->rates, rate, value, order);
    if (rate == SG_RATE_HEAP)
        sg_client_rates_set(&client->rates, SG_RATE_NATIVE, value != 0, order);
    writer->requested |= rate == SG_RATE_HEAP ? HEAP_BITS : BIT(rate);
}

static void put_in_force(struct sg_writer *writer, const uint64_t values[SG_N_RATES]) {
    struct sg_requested_rates *contention = &writer->arguments.contention;
    writer->arguments.hz = (int)values[SG_RATE_CPU];
    writer->heap_rate = values[SG_RATE_HEAP];
    writer->arguments.is_without_native = !values[SG_RATE_NATIVE];
    writer->arguments.wall_hz = (unsigned)values[SG_RATE_WALL];
    writer->arguments.has_native_stacks = values[SG_RATE_NATIVE_STACKS] != 0;
    contention->block_ns = values[SG_RATE_BLOCK];
    contention->mutex_fraction = values[SG_RATE_MUTEX];
    contention->gil_hz = values[SG_RATE_GIL];
    contention->is_other = values[SG_RATE_OTHER];
    contention->stall_ns = values[SG_RATE_STALL];
}

/* Hooks are installed with the first rate that needs them, and stay. Refused ones are tried again
 * at a client's request. */
static void apply(struct sg_writer *writer, uint32_t rates) {
    bool was_unwatched = *sg_cpu_watch_problem();
    if (rates & BIT(SG_RATE_CPU) || (rates & BIT(SG_RATE_GIL) && was_unwatched))
        sg_cpu_set_rate(writer->arguments.hz);
    if (was_unwatched)
        rates |= BIT(SG_RATE_GIL) | BIT(SG_RATE_WALL); /* threads can perhaps be watched now */
    if (rates & BIT(SG_RATE_WALL) && !*sg_cpu_watch_problem())
        sg_wall_sampler_set_rate(writer->arguments.wall_hz);
    if (rates & BIT(SG_RATE_NATIVE_STACKS))
        sg_unwind_set_wanted(writer->arguments.has_native_stacks);
    if (rates & HEAP_BITS) {
        if (writer->heap.state == SG_HOOK_ON)
            sg_heap_set_rate(writer->heap_rate);
        sg_heap_control_want(writer);
    }
    if (rates & CONTENTION_BITS) {
        sg_contention_control_start(writer);
        sg_contention_control_want(writer);
    }
}

void sg_rate_control_settle(struct sg_writer *writer) {
    uint64_t before[SG_N_RATES], now[SG_N_RATES];
    struct sg_buffer message = {0};
    uint32_t rates = writer->requested;
    if (writer->phase > PROFILING || !sg_clients_n_watching(&writer->clients))
        return; /* an engine that leaves keeps its rates */
    list_rates(&writer->arguments, writer->heap_rate, before);
    sg_clients_find_rates(&writer->clients, &writer->started, now);
    for (int rate = 0; rate < SG_N_RATES; rate++)
        rates |= now[rate] == before[rate] ? 0 : BIT(rate);
    writer->requested = 0;
    if (!rates)
        return;
    put_in_force(writer, now);
    if (writer->phase == PROFILING)
        apply(writer, rates);
    sg_messages_put_rates(&message, writer->arguments.hz, writer->heap_rate,
                          &writer->arguments.contention, writer->arguments.wall_hz,
                          writer->arguments.has_native_stacks);
    sg_clients_publish(&writer->clients, &message, false);
    sg_encoder_buffer_free(&message);
}
