/* Contention control: hooks locks, drains the contention profile, sends its status, and decides
 * when a search for lock names runs.
 *
 *     slice of h ns ── 19 h ──▶ slice … ──search over: H ns in all──▶ rest of 100 H, 1 s to 60 s
 *
 * A search is a series of slices, each a job of the worker. `h` is the time for which a slice has
 * held the GIL, `H` the sum over the search. Names are sent when the search is over, or once it has
 * become long: until then it may find a better name for a lock. */
#include "agent/contention_control.h"

#include "agent/arguments.h"
#include "asyncio/callers.h"
#include "census/census.h"
#include "contention/contention.h"
#include "cpu/cpu.h"
#include "gil/sampling.h"
#include "lock_names/lock_names.h"
#include "locks/blocking_calls.h"
#include "locks/hooks.h"
#include "locks/totals.h"
#include "worker/gil_worker.h"

/* With these pauses a search holds the GIL for at most 1/20 of the time, and all searches together
 * for about 1/100, or more if REST_MOST_NS limits the rest. */
enum { PAUSE_BY_HELD = 19, REST_BY_HELD = 100 };
#define MS_NS (INT64_C(1) * 1000 * 1000)
#define REST_LEAST_NS (INT64_C(1) * 1000 * 1000 * 1000)
#define REST_MOST_NS (INT64_C(60) * 1000 * 1000 * 1000)
/* A search is long once it has seen this many objects, after about two seconds on a quiet machine,
 * or after LONG_SEARCH_NS. Then the names found so far are sent. Objects are counted because a
 * machine that is short of memory takes several times as long for each. A small program, whose
 * search sees 6 000 to 50 000 objects, must get its best names there, too. */
#define LONG_SEARCH_STEPS 100000
#define LONG_SEARCH_NS (INT64_C(8) * 1000 * 1000 * 1000)
/* A lock is sent without a name if the next search is due later than this. */
#define SOON_NS (INT64_C(2) * 1000 * 1000 * 1000)

void sg_contention_control_start(struct sg_writer *writer) {
    const struct sg_requested_rates *rates = &writer->arguments.contention;
    if (writer->locks.state != SG_HOOK_ON)
        return;
    sg_contention_set_rates(rates->block_ns, rates->mutex_fraction, (uint32_t)rates->gil_hz,
                            rates->stall_ns);
    /* Without the sampler's threads no holder can be observed. */
    sg_gil_sampling_set_rate(*sg_cpu_watch_problem() ? 0 : (uint32_t)rates->gil_hz);
}

void sg_contention_control_want(struct sg_writer *writer) {
    const struct sg_requested_rates *rates = &writer->arguments.contention;
    bool is_any = rates->block_ns || rates->mutex_fraction || rates->gil_hz || rates->stall_ns;
    sg_blocking_calls_request(rates->is_other && rates->block_ns);
    if (is_any)
        sg_contention_control_want_locks(writer);
}

void sg_contention_control_want_locks(struct sg_writer *writer) {
    if (writer->locks.state != SG_HOOK_ON)
        writer->locks.state = SG_HOOK_WANTED;
}

bool sg_contention_control_wants_others(struct sg_writer *writer, int64_t now_ns) {
    return writer->locks.state == SG_HOOK_ON && sg_blocking_calls_are_due(now_ns);
}

/* Nothing is sent before the hooks are installed or refused. */
static bool is_decided(const struct sg_hook *hook) {
    return hook->state == SG_HOOK_ON || hook->state == SG_HOOK_REFUSED;
}

bool sg_contention_control_drain(struct sg_writer *writer, int64_t now_ns) {
    if (!writer->has_stream || !writer->clients.n || writer->phase > NAMING ||
        !is_decided(&writer->locks) || now_ns < writer->contention_due_ns)
        return false;
    if (writer->locks.state == SG_HOOK_ON) {
        writer->contention_drained_ns = writer->stopped_ns ? writer->stopped_ns : now_ns;
        sg_stream_drain_contention(&writer->stream, false);
        bool is_far = writer->names_due_ns - now_ns > SOON_NS;
        if (!writer->names_begun_ns && !writer->is_job_posted)
            sg_contention_stream_settle_names(&writer->stream.contention, is_far);
    }
    return true;
}

/* No search runs during a census, which has put lists of its own among the collector's. */
bool sg_contention_control_wants_names(struct sg_writer *writer, int64_t now_ns) {
    return writer->locks.state == SG_HOOK_ON && writer->clients.n &&
           now_ns >= writer->names_due_ns && !sg_census.is_open && sg_lock_names_are_wanted();
}

int sg_contention_control_pause_ms(const struct sg_writer *writer, int64_t now_ns, int most_ms) {
    int64_t left_ms = (writer->names_due_ns - now_ns) / MS_NS + 1;
    if (!sg_lock_names_are_open() || left_ms > most_ms)
        return most_ms;
    return left_ms > 1 ? (int)left_ms : 1;
}

void sg_contention_control_take_names(struct sg_writer *writer, int64_t now_ns) {
    int64_t held_ns = (int64_t)sg_gil_worker.job.held_ns;
    if (!writer->names_begun_ns)
        writer->names_begun_ns = now_ns;
    writer->names_held_ns += held_ns;
    bool is_open = sg_lock_names_are_open();
    bool is_long = sg_lock_names_steps() >= LONG_SEARCH_STEPS ||
                   now_ns - writer->names_begun_ns >= LONG_SEARCH_NS;
    /* while the search is open, it may find a better name */
    if (!is_open || is_long) {
        sg_contention_stream_take_names(&writer->stream.contention);
        sg_contention_stream_settle_names(&writer->stream.contention, is_open);
    }
    writer->names_due_ns = now_ns + held_ns * PAUSE_BY_HELD;
    if (is_open)
        return;
    int64_t rest_ns = writer->names_held_ns * REST_BY_HELD;
    writer->names_due_ns = now_ns + (rest_ns < REST_LEAST_NS  ? REST_LEAST_NS
                                     : rest_ns > REST_MOST_NS ? REST_MOST_NS
                                                              : rest_ns);
    writer->names_held_ns = writer->names_begun_ns = 0;
}

static void put_status(const struct sg_writer *writer, struct sg_buffer *out) {
    struct sg_contention_status status;
    struct sg_gil_status gil;
    sg_contention_status(&status);
    sg_gil_sampling_status(&gil);
    char replaced[128];
    sg_asyncio_callers_describe_replaced(replaced, sizeof replaced);
    bool is_refused = writer->locks.state == SG_HOOK_REFUSED; /* all of contention */
    const struct sg_lock_totals waits = sg_lock_totals_read();
    const struct sg_contention_standing standing = {
        .time_mono_ns = writer->contention_drained_ns,
        .n_unnamed = writer->stream.contention.rows.waiting.n,
        .n_refused = writer->stream.contention.n_refused,
        .requested = writer->arguments.contention,
        .start_mono_ns = writer->locks.start_ns,
        .n_lock_waits = waits.n,
        .lock_waited_ns = waits.waited_ns,
        .lock_sampled_ns = sg_contention_sampled_block_ns(),
        .lock_source = sg_lock_hooks_source(),
        .gil_source = gil.source,
        .problem = is_refused ? writer->locks.problem : writer->locks_problem,
        .gil_problem = is_refused     ? writer->locks.problem
                       : *gil.problem ? gil.problem
                                      : sg_cpu_watch_problem(),
        .tasks_problem = replaced,
    };
    sg_contention_messages_put_status(out, &status, &standing);
}

void sg_contention_control_send(struct sg_writer *writer, int64_t now_ns) {
    struct sg_buffer status = {0};
    size_t size = sg_contention_stream_send(&writer->stream.contention, &writer->clients);
    put_status(writer, &status);
    sg_row_publisher_pass_on(SG_TABLE_CONTENTION, &writer->clients, &status);
    sg_encoder_buffer_free(&status);
    writer->contention_due_ns = now_ns + sg_row_publisher_pause_ns(size);
}
