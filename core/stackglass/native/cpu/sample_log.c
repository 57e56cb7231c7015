/* Sample log, double-buffered. Each side writes first and looks then, all sequentially consistent,
 * so that at least one sees the other:
 *
 *     handler   n_writers + 1        then: is the half still active?  no: leave, take the other
 *     reader    the other is active  then: are there no writers?      no: read it the next time
 *
 * Within a half, handlers reserve words by compare-and-swap and fill them in any order: the reader
 * comes when all have left. */
#include "cpu/sample_log.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/futex.h"
#include "platform/memory.h"

struct record {
    pid_t tid;
    uint32_t labels, time, count;
    uint64_t cpu_ns;
    uint64_t depth;
    struct sg_frame frames[];
};
enum { HEAD_WORDS = sizeof(struct record) / sizeof(uint64_t) };

struct half {
    uint64_t *words;         /* (SG_LOG_HALF_WORDS,); a handler owns what it has reserved */
    _Atomic uint32_t n_used; /* at most the limit: a record that does not fit reserves nothing */
    _Atomic uint32_t n_writers;
    uint32_t n_old; /* words of an earlier session, the first ones; used by the reader */
};

/* Lock-free; `words` are set once by prepare, `n_limit` by prepare and tests. */
static struct half halves[2];
static _Atomic uint32_t active; /* the half that handlers write to */
static _Atomic uint64_t n_lost, lost_ns;
static uint32_t n_limit = SG_LOG_HALF_WORDS;
/* The halves are switched, but not read yet, because a handler was writing. Used by the reader. */
static bool is_turned;

int sg_sample_log_prepare(void) {
    for (int i = 0; i < 2; i++) {
        if (!halves[i].words)
            halves[i].words = sg_memory_map(SG_LOG_HALF_WORDS * sizeof(uint64_t));
        if (!halves[i].words)
            return -1;
    }
    return 0;
}

void sg_sample_log_lose(uint32_t count, uint64_t cpu_ns) {
    atomic_fetch_add(&n_lost, count);
    atomic_fetch_add(&lost_ns, cpu_ns);
}

uint64_t sg_sample_log_lost(uint64_t *cpu_ns) {
    if (cpu_ns)
        *cpu_ns = atomic_load(&lost_ns);
    return atomic_load(&n_lost);
}

uint32_t sg_sample_log_active(void) { return atomic_load(&active); }

bool sg_sample_log_try_enter(uint32_t half) {
    atomic_fetch_add(&halves[half].n_writers, 1);
    if (atomic_load(&active) == half)
        return true;
    atomic_fetch_sub(&halves[half].n_writers, 1);
    return false;
}

void sg_sample_log_leave(uint32_t half) { atomic_fetch_sub(&halves[half].n_writers, 1); }

static uint64_t *reserve(struct half *half, uint32_t n_words) {
    uint32_t used = atomic_load(&half->n_used);
    do {
        if (used + n_words > n_limit)
            return NULL;
    } while (!atomic_compare_exchange_weak(&half->n_used, &used, used + n_words));
    return half->words + used;
}

void sg_sample_log_append(const struct sg_sample *sample) {
    uint32_t half = sg_sample_log_active();
    while (!sg_sample_log_try_enter(half))
        half = sg_sample_log_active();
    struct record *record = (struct record *)reserve(&halves[half], HEAD_WORDS + sample->depth);
    if (record) {
        record->tid = sample->tid;
        record->labels = sample->labels;
        record->time = sample->time;
        record->count = sample->count;
        record->cpu_ns = sample->cpu_ns;
        record->depth = sample->depth;
        if (sample->depth)
            memcpy(record->frames, sample->frames, sample->depth * sizeof *sample->frames);
    } else {
        sg_sample_log_lose(sample->count, sample->cpu_ns);
    }
    sg_sample_log_leave(half);
}

static struct half *reading(void) { return &halves[1 - atomic_load(&active)]; }

static bool wait_for_writers(const struct half *half) {
    enum { N_TRIES = 100 };
    for (int i = 0; atomic_load(&half->n_writers) != 0; i++) {
        if (i == N_TRIES)
            return false;
        sg_futex_sleep_ns(50 * 1000);
    }
    return true;
}

bool sg_sample_log_turn(void) {
    if (!is_turned) {
        atomic_store(&reading()->n_used, 0);
        reading()->n_old = 0;
        atomic_store(&active, 1 - atomic_load(&active));
    }
    is_turned = !wait_for_writers(reading());
    return !is_turned;
}

void sg_sample_log_read(sg_sample_fn *deliver, void *context) {
    const struct half *half = reading();
    uint32_t used = atomic_load(&half->n_used);
    for (uint32_t at = half->n_old; at < used;) {
        const struct record *record = (const struct record *)(half->words + at);
        struct sg_sample sample = {
            .tid = record->tid,
            .labels = record->labels,
            .time = record->time,
            .count = record->count,
            .cpu_ns = record->cpu_ns,
            .depth = (uint32_t)record->depth,
            .frames = record->frames,
        };
        deliver(context, &sample);
        at += HEAD_WORDS + (uint32_t)record->depth;
    }
}

/* A handler of the earlier session may stand still in either half, and fill the words that it has
 * reserved, later. So the words stay, and are not read. */
void sg_sample_log_clear(void) {
    for (int i = 0; i < 2; i++)
        halves[i].n_old = atomic_load(&halves[i].n_used);
    atomic_store(&n_lost, 0);
    atomic_store(&lost_ns, 0);
}

void sg_sample_log_limit(uint32_t n_words) {
    n_limit = n_words < SG_LOG_HALF_WORDS ? n_words : SG_LOG_HALF_WORDS;
}

void sg_sample_log_discard(void) {
    for (int i = 0; i < 2; i++) {
        atomic_store(&halves[i].n_used, 0);
        SG_MEMORY_DROP(halves[i].words, SG_LOG_HALF_WORDS * sizeof(uint64_t));
    }
    is_turned = false;
    sg_sample_log_clear();
}

void sg_sample_log_after_fork_in_child(void) {
    for (int i = 0; i < 2; i++)
        atomic_store(&halves[i].n_writers, 0);
}
