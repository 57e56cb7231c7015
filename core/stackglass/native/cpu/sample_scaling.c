/* The scale of a drain:
 *
 *     a sample's CPU time = weight × scale
 *     scale               = (CPU time used / sum of weights, over the last seconds)
 *                           × (1 + due / REPAY_OVER_NS), the last term within ± MOST_REPAID
 *     due                 = CPU time used while ticking − CPU time delivered so far
 *
 * So the sum follows the process's CPU clock, and a sample's value does not depend on the other
 * samples of its drain. Dividing the due time among the few samples of one drain would give less to
 * samples that come in bursts, such as those in the kernel. */
#include "cpu/sample_scaling.h"

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
    WINDOW_PERIODS = 200,              /* the window is at least so many periods, for slow rates */
    LEAST_REST_NS = 100 * 1000 * 1000, /* less is not worth a row <unknown> */
};
/* The window over which the usual scale is measured, in CPU time. */
static const double WINDOW_NS = 2e9;
/* A difference between used and delivered time is repaid over so much CPU time, by changing the
 * scale by at most half. */
static const double REPAY_OVER_NS = 4e8, MOST_REPAID = 0.5;
/* A drain delivers at most what is due and the larger of these two. */
static const double LEAST_SLACK_NS = 2e7, SLACK_PERIODS = 3;
/* The last drain's scale is at most the usual one times this, and at least the usual one divided
 * by this. */
static const double MOST_AT_LAST = 2;

/* Used by the draining thread only. */
static struct sg_sample *stage; /* (N_WAYS,): samples of the stack cache */
static struct sg_frame *stage_frames;
static size_t n_staged, n_staged_frames;
static uint64_t process_base_ns, engine_base_ns, used_before_ns, most_used_ns;
static int64_t due_ns;
static double recent_used_ns, recent_weight_ns; /* over the window: sums that decay */
static bool is_on, is_last; /* ticking; stopped, and the next drain is the last */
static uint64_t n_delivered, n_lost_before, lost_ns_before;

int sg_sample_scaling_prepare(void) {
    if (!stage)
        stage = sg_memory_map(N_WAYS * sizeof *stage);
    if (!stage_frames)
        stage_frames = sg_memory_map(STAGE_FRAMES * sizeof *stage_frames);
    return stage && stage_frames ? 0 : -1;
}

void sg_sample_scaling_discard(void) {
    SG_MEMORY_DROP(stage, N_WAYS * sizeof *stage);
    SG_MEMORY_DROP(stage_frames, STAGE_FRAMES * sizeof *stage_frames);
}

uint64_t sg_sample_scaling_engine_cpu_ns(void) {
    return sg_engine_threads_cpu_ns() - engine_base_ns;
}

uint64_t sg_sample_scaling_process_cpu_ns(void) {
    if (is_last)
        return used_before_ns;
    /* The engine's clock is read first, so that its CPU time between the two readings is not
     * subtracted. */
    uint64_t engine_ns = sg_sample_scaling_engine_cpu_ns();
    uint64_t process_ns = sg_time_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - process_base_ns;
    /* The clocks are not read at the same moment: the reported time must not decrease. */
    if (process_ns > engine_ns && process_ns - engine_ns > most_used_ns)
        most_used_ns = process_ns - engine_ns;
    return most_used_ns;
}

uint64_t sg_sample_scaling_samples(void) { return n_delivered; }

static void count_used(void) {
    uint64_t used_ns = sg_sample_scaling_process_cpu_ns();
    if (is_on) {
        due_ns += (int64_t)(used_ns - used_before_ns);
        recent_used_ns += (double)(int64_t)(used_ns - used_before_ns);
    }
    used_before_ns = used_ns;
}

void sg_sample_scaling_open(void) {
    /* The process's clock is read first: then the engine's span lies inside the process's. */
    process_base_ns = sg_time_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    engine_base_ns = sg_engine_threads_cpu_ns();
    used_before_ns = most_used_ns = 0;
    due_ns = 0;
    recent_used_ns = recent_weight_ns = 0;
    is_on = is_last = false;
    n_delivered = n_lost_before = lost_ns_before = 0;
}

void sg_sample_scaling_set_ticking(bool is_ticking) {
    count_used();
    is_on = is_ticking;
}

void sg_sample_scaling_close(void) {
    sg_sample_scaling_set_ticking(false);
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

/* A delivery at one scale. The rounding error is carried, so the sum is exact. */
struct delivery {
    sg_sample_fn *deliver;
    void *context;
    double scale;
    double exact_ns, delivered_ns; /* sums so far: before and after rounding */
    uint64_t n_samples;
};

static void deliver_scaled(void *context, const struct sg_sample *raw) {
    struct delivery *delivery = context;
    struct sg_sample sample = *raw;
    delivery->exact_ns += (double)raw->cpu_ns * delivery->scale;
    double rounded_ns = (double)(uint64_t)(delivery->exact_ns - delivery->delivered_ns + 0.5);
    delivery->delivered_ns += rounded_ns;
    sample.cpu_ns = (uint64_t)rounded_ns;
    delivery->deliver(delivery->context, &sample);
    delivery->n_samples += raw->count;
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

/* Add `weight_ns` to the window's sums, and keep them to the window's length. */
static void extend_window(uint64_t weight_ns) {
    double window_ns = WINDOW_NS;
    double slowest_ns = (double)sg_thread_timers_period_ns() * WINDOW_PERIODS;
    if (slowest_ns > window_ns)
        window_ns = slowest_ns;
    recent_weight_ns += (double)weight_ns;
    if (recent_weight_ns > 0 && recent_used_ns > window_ns) {
        recent_weight_ns *= window_ns / recent_used_ns;
        recent_used_ns = window_ns;
    }
}

static double clamp(double value, double least, double most) {
    return value < least ? least : value > most ? most : value;
}

/* The scale of a drain with this sum of weights; see the top. */
static double compute_scale(uint64_t weight_ns) {
    extend_window(weight_ns);
    if (recent_weight_ns <= 0 || recent_used_ns <= 0)
        return 0;
    double usual = recent_used_ns / recent_weight_ns;
    if (is_last && weight_ns) /* no samples come after these: they get all that is due */
        return clamp((double)due_ns / (double)weight_ns, usual / MOST_AT_LAST,
                     usual * MOST_AT_LAST);
    double scale = usual * (1 + clamp((double)due_ns / REPAY_OVER_NS, -MOST_REPAID, MOST_REPAID));
    /* The first few ticks give a poor scale: never deliver much more than is due. */
    double slack_ns = (double)sg_thread_timers_period_ns() * SLACK_PERIODS;
    double most_ns =
        (due_ns > 0 ? (double)due_ns : 0) + (slack_ns > LEAST_SLACK_NS ? slack_ns : LEAST_SLACK_NS);
    return weight_ns && scale * (double)weight_ns > most_ns ? most_ns / (double)weight_ns : scale;
}

/* At the end, deliver CPU time for which no sample came as <unknown>. It occurs if, for example, a
 * thread spends a second in one page fault and the clock excludes the kernel. */
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

void sg_sample_scaling_drain(sg_sample_fn *deliver, void *context) {
    struct sg_sample lost;
    struct sg_frame lost_frame;
    uint64_t weight_ns = 0;

    n_staged = n_staged_frames = 0;
    sg_stack_cache_drain(stage_sample, NULL);
    bool has_log = sg_sample_log_turn();
    bool has_lost = take_lost(&lost, &lost_frame);
    count_used();

    for (size_t i = 0; i < n_staged; i++)
        weight_ns += stage[i].cpu_ns;
    if (has_log)
        sg_sample_log_read(add_weight, &weight_ns);
    if (has_lost)
        weight_ns += lost.cpu_ns;

    struct delivery delivery = {
        .deliver = deliver, .context = context, .scale = compute_scale(weight_ns)};
    for (size_t i = 0; i < n_staged; i++)
        deliver_scaled(&delivery, &stage[i]);
    if (has_log)
        sg_sample_log_read(deliver_scaled, &delivery);
    n_delivered += delivery.n_samples;
    if (has_lost)
        deliver_scaled(&delivery, &lost);
    due_ns -= (int64_t)delivery.delivered_ns;
    if (is_last)
        deliver_rest(deliver, context);
}
