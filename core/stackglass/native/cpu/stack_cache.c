/* Stack cache: a 4-way set-associative table of recent stacks.
 *
 *     add     claim ──▶ an equal way: its count grows
 *                       none: the least counted way is overwritten (an empty one counts 0), and
 *                       what it had goes to the log                            ──▶ release
 *     drain   a bit of `filled` ──▶ claim ──▶ copy and empty ──▶ release ──▶ deliver
 *
 * A thread that finds the claim taken does not wait: a handler logs its sample, the drain leaves
 * the set for the next one. The bit changes under the claim, so a set that has samples is found. */
#include "cpu/stack_cache.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "cpu/sample_log.h"
#include "platform/memory.h"
#include "platform/time.h"

struct way {
    uint64_t hash;
    uint64_t cpu_ns;
    uint32_t count; /* 0 = the way is empty */
    pid_t tid;
    uint32_t labels, time, depth;
};

struct set {
    atomic_flag claim; /* guards the set's ways and their frames */
    struct way ways[SG_RECENT_WAYS];
};

typedef struct sg_frame way_frames[SG_RECENT_DEPTH];

/* Set once by prepare, before any handler runs. Each set's claim guards its ways and frames. */
static struct set *sets;
static way_frames *frames; /* of way w of set s: frames[s × SG_RECENT_WAYS + w] */

enum {
    WORD_BITS = 64,
    LEAST_HZ = 1000 * 1000 * 1000 / SG_TIME_UNIT_NS, /* up to here, no two samples are equal */
    MEDIUM_HZ = 1000,
    MEDIUM_SETS = 256, /* have room for a drain's samples of some processors */
};
/* Lock-free. A bit for each set, which is 1 if the set holds a sample; changed under the set's
 * claim. */
static _Atomic uint64_t filled[SG_RECENT_SETS / WORD_BITS];
static _Atomic uint32_t n_used = SG_RECENT_SETS; /* sets in use */

void sg_stack_cache_fit(unsigned hz) {
    atomic_store(&n_used, hz <= LEAST_HZ ? 0 : hz <= MEDIUM_HZ ? MEDIUM_SETS : SG_RECENT_SETS);
}

int sg_stack_cache_prepare(void) {
    if (!sets)
        sets = sg_memory_map(SG_RECENT_SETS * sizeof *sets);
    if (!frames)
        frames = sg_memory_map(SG_RECENT_SETS * SG_RECENT_WAYS * sizeof *frames);
    return sets && frames ? 0 : -1;
}

static uint64_t hash_of(const struct sg_sample *sample) {
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t hash = ((uint64_t)(uint32_t)sample->tid << 32 | sample->labels) * odd;
    hash = (hash ^ (hash >> 29) ^ sample->time) * odd;
    for (uint32_t i = 0; i < sample->depth; i++) {
        uint64_t frame;
        memcpy(&frame, &sample->frames[i], sizeof frame);
        hash = (hash ^ (hash >> 32) ^ frame) * odd;
    }
    return hash ^ (hash >> 32);
}

uint32_t sg_stack_cache_set_of(const struct sg_sample *sample) {
    return (uint32_t)(hash_of(sample) % SG_RECENT_SETS);
}

static bool try_claim(struct set *set) {
    return !atomic_flag_test_and_set_explicit(&set->claim, memory_order_acquire);
}

static void release(struct set *set) {
    atomic_flag_clear_explicit(&set->claim, memory_order_release);
}

void sg_stack_cache_claim(uint32_t set) { (void)try_claim(&sets[set]); }
void sg_stack_cache_release(uint32_t set) { release(&sets[set]); }

static bool is_equal(const struct way *way, const struct sg_frame *stack, uint64_t hash,
                     const struct sg_sample *sample) {
    return way->count && way->hash == hash && way->tid == sample->tid &&
           way->labels == sample->labels && way->time == sample->time &&
           way->depth == sample->depth &&
           memcmp(stack, sample->frames, sample->depth * sizeof *stack) == 0;
}

static struct sg_sample sample_of(const struct way *way, const struct sg_frame *stack) {
    return (struct sg_sample){
        .tid = way->tid,
        .labels = way->labels,
        .time = way->time,
        .count = way->count,
        .cpu_ns = way->cpu_ns,
        .depth = way->depth,
        .frames = stack,
    };
}

static void note_filled(uint32_t set) {
    _Atomic uint64_t *word = &filled[set / WORD_BITS];
    uint64_t bit = UINT64_C(1) << set % WORD_BITS;
    if (!(atomic_load_explicit(word, memory_order_relaxed) & bit))
        atomic_fetch_or(word, bit);
}

static void add_claimed(struct set *set, const struct sg_sample *sample, uint64_t hash) {
    way_frames *stacks = frames + (set - sets) * SG_RECENT_WAYS;
    int least = 0;
    for (int i = 0; i < SG_RECENT_WAYS; i++) {
        struct way *way = &set->ways[i];
        if (is_equal(way, stacks[i], hash, sample)) {
            way->count += sample->count;
            way->cpu_ns += sample->cpu_ns;
            return;
        }
        if (way->count < set->ways[least].count)
            least = i;
    }
    struct way *way = &set->ways[least];
    if (way->count) {
        struct sg_sample evicted = sample_of(way, stacks[least]);
        sg_sample_log_append(&evicted);
    }
    *way = (struct way){
        .hash = hash,
        .cpu_ns = sample->cpu_ns,
        .count = sample->count,
        .tid = sample->tid,
        .labels = sample->labels,
        .time = sample->time,
        .depth = sample->depth,
    };
    if (sample->depth)
        memcpy(stacks[least], sample->frames, sample->depth * sizeof *sample->frames);
    note_filled((uint32_t)(set - sets));
}

void sg_stack_cache_add(const struct sg_sample *sample) {
    uint32_t n = atomic_load_explicit(&n_used, memory_order_relaxed);
    if (!n || sample->depth > SG_RECENT_DEPTH) {
        sg_sample_log_append(sample);
        return;
    }
    uint64_t hash = hash_of(sample);
    struct set *set = &sets[hash % n];
    if (!try_claim(set)) {
        sg_sample_log_append(sample);
        return;
    }
    add_claimed(set, sample, hash);
    release(set);
}

/* Drain one set. If the set is claimed, its samples come with the next drain. */
static void drain_set(uint32_t index, sg_sample_fn *deliver, void *context) {
    static way_frames stacks[SG_RECENT_WAYS]; /* only the one draining thread touches these */
    struct way ways[SG_RECENT_WAYS];
    struct set *set = &sets[index];
    if (!try_claim(set))
        return;
    memcpy(ways, set->ways, sizeof ways);
    for (int i = 0; i < SG_RECENT_WAYS; i++) {
        memcpy(stacks[i], frames[index * SG_RECENT_WAYS + (uint32_t)i],
               ways[i].depth * sizeof **stacks);
        set->ways[i].count = 0;
    }
    atomic_fetch_and(&filled[index / WORD_BITS], ~(UINT64_C(1) << index % WORD_BITS));
    release(set);
    for (int i = 0; i < SG_RECENT_WAYS; i++) {
        if (ways[i].count) {
            struct sg_sample sample = sample_of(&ways[i], stacks[i]);
            deliver(context, &sample);
        }
    }
}

void sg_stack_cache_drain(sg_sample_fn *deliver, void *context) {
    for (uint32_t word = 0; sets && word < SG_RECENT_SETS / WORD_BITS; word++) {
        for (uint64_t bits = atomic_load(&filled[word]); bits; bits &= bits - 1)
            drain_set(word * WORD_BITS + (uint32_t)__builtin_ctzll(bits), deliver, context);
    }
}

static void drop(void *context, const struct sg_sample *sample) {
    (void)context;
    (void)sample;
}

void sg_stack_cache_clear(void) { sg_stack_cache_drain(drop, NULL); }

void sg_stack_cache_discard(void) {
    SG_MEMORY_DROP(sets, SG_RECENT_SETS * sizeof *sets);
    SG_MEMORY_DROP(frames, SG_RECENT_SETS * SG_RECENT_WAYS * sizeof *frames);
}

void sg_stack_cache_after_fork_in_child(void) {
    for (uint32_t i = 0; sets && i < SG_RECENT_SETS; i++)
        release(&sets[i]);
}
