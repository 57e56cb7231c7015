/* The replay calls a function here for each birth, each death and each type that comes after the
 * birth of its block. */
#include <string.h>

#include "memory_survey.h"

void sg_survey_init(struct sg_survey *survey, int64_t begin_ns, int64_t bin_ns, uint32_t n_bins,
                    uint64_t seed) {
    memset(survey, 0, sizeof *survey);
    survey->sites = (struct sg_table){.width = sizeof(struct sg_site), .seed = seed};
    survey->rates = (struct sg_table){.width = sizeof(struct sg_rate), .seed = seed};
    survey->lines = (struct sg_table){.width = sizeof(struct sg_rate), .seed = seed};
    survey->first_types = (struct sg_table){.width = sizeof(struct sg_first_type), .seed = seed};
    survey->begin_ns = begin_ns;
    survey->bin_ns = bin_ns;
    survey->n_bins = n_bins;
}

void sg_survey_free(struct sg_survey *survey) {
    sg_table_free(&survey->sites);
    sg_table_free(&survey->rates);
    sg_table_free(&survey->lines);
    sg_table_free(&survey->first_types);
    sg_release(&survey->line_of);
    sg_release(&survey->proofs);
    sg_release(&survey->wide);
}

int sg_survey_lines(struct sg_survey *survey, const uint32_t *line_of, size_t n,
                    uint32_t n_joined) {
    survey->line_of.n = 0;
    if (sg_reserve(&survey->line_of, n, sizeof *line_of) < 0)
        return -1;
    if (n)
        memcpy(survey->line_of.data, line_of, n * sizeof *line_of);
    survey->line_of.n = n;
    survey->n_joined = n_joined;
    return 0;
}

static uint32_t find_bin(const struct sg_survey *survey, int64_t time_ns) {
    int64_t bin = (time_ns - survey->begin_ns) / survey->bin_ns;
    uint32_t last = survey->n_bins - 1;
    return bin < 0 ? 0 : bin > (int64_t)last ? last : (uint32_t)bin;
}

static struct sg_rate *find_rate(struct sg_survey *survey, int64_t time_ns, uint32_t type) {
    return sg_table_find(&survey->rates, find_bin(survey, time_ns), type);
}

/* Count a birth for the line that allocated; line 0 = the block has no stack, or one whose line is
 * not known. */
static int count_line(struct sg_survey *survey, const struct sg_block *block) {
    if (!survey->line_of.n)
        return 0;
    const uint32_t *line_of = (const uint32_t *)(const void *)survey->line_of.data;
    uint32_t line = block->stack < survey->line_of.n ? line_of[block->stack] : 0;
    uint32_t bin = find_bin(survey, block->birth_ns) / survey->n_joined;
    struct sg_rate *rate = sg_table_find(&survey->lines, bin, line);
    if (!rate)
        return -1;
    rate->n++;
    rate->bytes += block->size;
    return 0;
}

static struct sg_first_type *find_first_type(struct sg_survey *survey, uint64_t address) {
    return sg_table_find(&survey->first_types, (uint32_t)address, (uint32_t)(address >> 32));
}

/* Return the site of the block's birth: its stack, or without a stack the type that it had then.
 * NULL = memory is short. */
static struct sg_site *find_site(struct sg_survey *survey, const struct sg_block *block) {
    uint32_t type = block->stack || block->flags & SG_TYPED_LATER ? 0 : block->type;
    if (block->flags & SG_RETYPED) {
        const struct sg_first_type *first = find_first_type(survey, block->address);
        if (!first)
            return NULL;
        type = first->type;
    }
    return sg_table_find(&survey->sites, block->stack, type);
}

int sg_survey_birth(struct sg_survey *survey, const struct sg_block *block) {
    struct sg_site *site = find_site(survey, block);
    if (!site)
        return -1;
    site->n++;
    site->n_since++;
    site->bytes += block->size;
    site->bytes_since += block->size;
    struct sg_rate *rate = find_rate(survey, block->birth_ns, block->type);
    if (!rate)
        return -1;
    rate->n++;
    rate->bytes += block->size;
    return count_line(survey, block);
}

int sg_survey_type(struct sg_survey *survey, const struct sg_block *block, uint32_t type) {
    struct sg_proof proof = {
        .address = block->address,
        .birth_event = block->birth_event,
        .since_event = block->birth_event,
        .type = type,
    };
    if (block->flags & SG_RECYCLED)
        proof.since_event += block->recycled_after;
    if (sg_reserve(&survey->proofs, 1, sizeof proof) < 0)
        return -1;
    ((struct sg_proof *)(void *)survey->proofs.data)[survey->proofs.n++] = proof;
    if (block->type || block->flags & (SG_BORN_BEFORE | SG_RECYCLED))
        return 0; /* its birth stays counted under its first type, or was not counted */
    struct sg_rate *unknown = find_rate(survey, block->birth_ns, 0);
    if (!unknown)
        return -1;
    unknown->n--;
    unknown->bytes -= block->size;
    struct sg_rate *known = find_rate(survey, block->birth_ns, type);
    if (!known)
        return -1;
    known->n++;
    known->bytes += block->size;
    return 0;
}

int sg_survey_retype(struct sg_survey *survey, struct sg_block *block, uint32_t type) {
    if (block->stack || !block->type || block->type == type ||
        block->flags & (SG_BORN_BEFORE | SG_TYPED_LATER | SG_RETYPED))
        return 0;
    struct sg_first_type *first = find_first_type(survey, block->address);
    if (!first)
        return -1;
    first->type = block->type;
    block->flags |= SG_RETYPED;
    return 0;
}

static unsigned count_bits(uint64_t value) {
    return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* Return a lifetime's class: < 1 µs, < 10 µs, < 100 µs, < 1 ms, < 10 ms, < 100 ms, < 1 s, more. */
static unsigned class_of(int64_t lifetime_ns) {
    unsigned n = 0;
    for (int64_t limit = 1000; n + 1 < SG_SITE_LIFETIMES && lifetime_ns >= limit; limit *= 10)
        n++;
    return n;
}

static void record_wide(struct sg_survey *survey, const struct sg_block *block, int64_t time_ns) {
    if (block->size <= 1u << SG_GRANULE_BITS || block->birth_event >= survey->last_step)
        return;
    struct sg_wide wide = {
        .address = block->address,
        .size = block->size,
        .birth_ns = block->birth_ns,
        .death_ns = time_ns,
        .type = block->type,
        .stack = block->stack,
    };
    if (sg_reserve(&survey->wide, 1, sizeof wide) == 0)
        ((struct sg_wide *)(void *)survey->wide.data)[survey->wide.n++] = wide;
}

void sg_survey_death(struct sg_survey *survey, const struct sg_block *block, int64_t time_ns) {
    record_wide(survey, block, time_ns);
    if (block->flags & SG_BORN_BEFORE) {
        survey->n_ended_before++;
        survey->bytes_ended_before += block->size;
        return;
    }
    int64_t lifetime = time_ns > block->birth_ns ? time_ns - block->birth_ns : 0;
    unsigned bits = count_bits((uint64_t)lifetime);
    survey->n_lifetimes[bits < SG_LIFETIME_CLASSES ? bits : SG_LIFETIME_CLASSES - 1]++;
    survey->bytes_lifetimes[bits < SG_LIFETIME_CLASSES ? bits : SG_LIFETIME_CLASSES - 1] +=
        block->size;
    struct sg_site *site = find_site(survey, block);
    if (!site)
        return;
    site->n_dead[class_of(lifetime)]++;
    site->bytes_dead[class_of(lifetime)] += block->size;
}
