/* Sample weighting.
 *
 *     a sample's CPU time = its raw weight × (CPU time used / raw weight, over the last seconds)
 *                                          × (1 + due / REPAY_OVER_NS, at most ± MOST_REPAID)
 *
 *     due = CPU time used while ticking − CPU time delivered so far
 *
 * So the sum follows the process's CPU clock, and a sample's value does not depend on the others of
 * its drain. Dividing the due time among the few samples of one drain would give less to samples
 * that come in bursts, such as those in the kernel. */
#include "cpu/sample_weighting.h"

#include <string.h>

#include "cpu/sample_log.h"
#include "cpu/stack_cache.h"
#include "cpu/thread_timers.h"
#include "platform/engine_threads.h"
#include "platform/memory.h"
#include "platform/time.h"

enum {
    N_WAYS = SG_RECENT_SETS * SG_RECENT_WAYS,
    STAGE_FRAMES = N_WAYS * SG_RECENT_DEPTH,
    WINDOW_PERIODS = 200,
    LEAST_REST_NS = 100 * 1000 * 1000,
};
static const double WINDOW_NS = 2e9, REPAY_OVER_NS = 4e8, MOST_REPAID = 0.5, LEAST_SLACK_NS = 2e7,
                    SLACK_PERIODS = 3, MOST_AT_LAST = 2;

/* Used by the draining thread only. */
static struct sg_sample *stage; /* (N_WAYS,): samples of the stack cache */
static struct sg_frame *stage_frames;
static size_t n_staged, n_staged_frames;
static uint64_t process_base_ns, engine_base_ns, used_before_ns, most_used_ns;
static int64_t due_ns;
static double recent_used_ns, recent_raw_ns; /* over the last WINDOW_NS of CPU time or more */
static bool is_on, is_last;                  /* ticking; stopped, and the next drain is the last */
static uint64_t n_delivered, n_lost_before, lost_ns_before;

int sg_sample_weighting_prepare(void) {
    if (!stage)
        stage = sg_memory_map(N_WAYS * sizeof *stage);
    if (!stage_frames)
        stage_frames = sg_memory_map(STAGE_FRAMES * sizeof *stage_frames);
    return stage && stage_frames ? 0 : -1;
}

void sg_sample_weighting_discard(void) {
    sg_memory_unmap(stage, N_WAYS * sizeof *stage);
    sg_memory_unmap(stage_frames, STAGE_FRAMES * sizeof *stage_frames);
    stage = NULL;
    stage_frames = NULL;
}

uint64_t sg_sample_weighting_engine_cpu_ns(void) {
    return sg_engine_threads_cpu_ns() - engine_base_ns;
}

uint64_t sg_sample_weighting_process_cpu_ns(void) {
    if (is_last)
        return used_before_ns;
    /* The engine first, so that its CPU time between the two readings is not subtracted. */
    uint64_t engine_ns = sg_sample_weighting_engine_cpu_ns();
    uint64_t process_ns = sg_time_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - process_base_ns;
    /* The clocks are not read at the same moment: the reported time must not decrease. */
    if (process_ns > engine_ns && process_ns - engine_ns > most_used_ns)
        most_used_ns = process_ns - engine_ns;
    return most_used_ns;
}

uint64_t sg_sample_weighting_samples(void) { return n_delivered; }

static void bring_up_to_date(void) {
    uint64_t used_ns = sg_sample_weighting_process_cpu_ns();
    if (is_on) {
        due_ns += (int64_t)(used_ns - used_before_ns);
        recent_used_ns += (double)(int64_t)(used_ns - used_before_ns);
    }
    used_before_ns = used_ns;
}

void sg_sample_weighting_open(void) {
    /* The process first: then the engine's span lies inside the process's. */
    process_base_ns = sg_time_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    engine_base_ns = sg_engine_threads_cpu_ns();
    used_before_ns = most_used_ns = 0;
    due_ns = 0;
    recent_used_ns = recent_raw_ns = 0;
    is_on = is_last = false;
    n_delivered = n_lost_before = lost_ns_before = 0;
}

void sg_sample_weighting_set_ticking(bool is_ticking) {
    bring_up_to_date();
    is_on = is_ticking;
}

void sg_sample_weighting_close(void) {
    sg_sample_weighting_set_ticking(false);
    is_last = true;
}

static void stage_sample(void *context, const struct sg_sample *sample) {
    (void)context;
    struct sg_frame *frames = stage_frames + n_staged_frames;
    memcpy(frames, sample->frames, sample->depth * sizeof *frames);
    n_staged_frames += sample->depth;
    stage[n_staged] = *sample;
    stage[n_staged++].frames = frames;
}

static void add_weight(void *total_ns, const struct sg_sample *sample) {
    *(uint64_t *)total_ns += sample->cpu_ns;
}

/* Converts raw weights to CPU time at a price; the rounding error is carried, so the sum is exact.
 */
struct share {
    sg_sample_fn *deliver;
    void *context;
    double per_raw;
    double given, exact;
    uint64_t n_samples;
};

static void deliver_share(void *context, const struct sg_sample *raw) {
    struct share *share = context;
    struct sg_sample sample = *raw;
    share->exact += (double)raw->cpu_ns * share->per_raw;
    double portion = (double)(uint64_t)(share->exact - share->given + 0.5);
    share->given += portion;
    sample.cpu_ns = (uint64_t)portion;
    share->deliver(share->context, &sample);
    share->n_samples += raw->count;
}

static bool take_lost(struct sg_sample *sample, struct sg_frame *frame) {
    uint64_t lost_ns, n_lost = sg_sample_log_lost(&lost_ns);
    *frame = (struct sg_frame){SG_LOST_SAMPLES, -1};
    *sample = (struct sg_sample){
        .time = sg_sample_time(),
        .count = (uint32_t)(n_lost - n_lost_before),
        .cpu_ns = lost_ns - lost_ns_before,
        .depth = 1,
        .frames = frame,
    };
    n_lost_before = n_lost;
    lost_ns_before = lost_ns;
    return sample->count != 0;
}

/* CPU time for each unit of raw weight, when `raw_ns` is about to be delivered. */
static double price(uint64_t raw_ns) {
    double window_ns = WINDOW_NS, used_ns = recent_used_ns;
    double slowest_ns = (double)sg_thread_timers_period_ns() * WINDOW_PERIODS;
    if (slowest_ns > window_ns)
        window_ns = slowest_ns;
    recent_raw_ns += (double)raw_ns;
    if (recent_raw_ns <= 0 || used_ns <= 0)
        return 0;
    if (used_ns > window_ns) {
        recent_raw_ns *= window_ns / used_ns;
        recent_used_ns = window_ns;
    }
    if (is_last && raw_ns) { /* no samples come after these: they get all that is due */
        double usual = recent_used_ns / recent_raw_ns, all = (double)due_ns / (double)raw_ns;
        return all < usual / MOST_AT_LAST   ? usual / MOST_AT_LAST
               : all > usual * MOST_AT_LAST ? usual * MOST_AT_LAST
                                            : all;
    }
    double repaid = (double)due_ns / REPAY_OVER_NS;
    if (repaid > MOST_REPAID)
        repaid = MOST_REPAID;
    if (repaid < -MOST_REPAID)
        repaid = -MOST_REPAID;
    double each = recent_used_ns / recent_raw_ns * (1 + repaid);
    /* The first few ticks give a poor price: never deliver much more than is due. */
    double slack_ns = (double)sg_thread_timers_period_ns() * SLACK_PERIODS;
    double most =
        (due_ns > 0 ? (double)due_ns : 0) + (slack_ns > LEAST_SLACK_NS ? slack_ns : LEAST_SLACK_NS);
    return raw_ns && each * (double)raw_ns > most ? most / (double)raw_ns : each;
}

/* At the end, book CPU time without ticks that exceeds the last samples as <unknown>. It occurs if,
 * for example, a thread spends a second in one page fault and the clock excludes the kernel. */
static void deliver_rest(sg_sample_fn *deliver, void *context) {
    if (due_ns <= LEAST_REST_NS)
        return;
    struct sg_frame frame = {SG_UNKNOWN, -1};
    struct sg_sample sample = {
        .time = sg_sample_time(),
        .cpu_ns = (uint64_t)due_ns,
        .depth = 1,
        .frames = &frame,
    };
    deliver(context, &sample);
    due_ns = 0;
}

void sg_sample_weighting_drain(sg_sample_fn *deliver, void *context) {
    struct sg_sample lost;
    struct sg_frame lost_frame;
    uint64_t raw_ns = 0;

    n_staged = n_staged_frames = 0;
    sg_stack_cache_drain(stage_sample, NULL);
    bool has_log = sg_sample_log_turn();
    bool has_lost = take_lost(&lost, &lost_frame);
    bring_up_to_date();

    for (size_t i = 0; i < n_staged; i++)
        raw_ns += stage[i].cpu_ns;
    if (has_log)
        sg_sample_log_read(add_weight, &raw_ns);
    if (has_lost)
        raw_ns += lost.cpu_ns;

    struct share share = {.deliver = deliver, .context = context, .per_raw = price(raw_ns)};
    for (size_t i = 0; i < n_staged; i++)
        deliver_share(&share, &stage[i]);
    if (has_log)
        sg_sample_log_read(deliver_share, &share);
    n_delivered += share.n_samples;
    if (has_lost)
        deliver_share(&share, &lost);
    due_ns -= (int64_t)share.given;
    if (is_last)
        deliver_rest(deliver, context);
}
