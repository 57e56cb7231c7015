/* Survey of a memory trace: sums by site, lifetimes, types over time, counted in one replay. */
#ifndef SG_MEMORY_SURVEY_H
#define SG_MEMORY_SURVEY_H

#include "memory_blocks.h"
#include "memory_table.h"

/* Lifetimes in classes: class n = 2^(n-1) ns or more, less than 2^n; 0 = 0 ns. */
enum { SG_LIFETIME_CLASSES = 64, SG_SITE_LIFETIMES = 8 };

/* Allocations of one stack; of those without a stack, of one type. */
struct sg_site {
    uint32_t stack, type;
    uint64_t n, bytes;                  /* allocated */
    uint64_t n_since, bytes_since;      /* of these, since the last drain */
    uint64_t n_dead[SG_SITE_LIFETIMES]; /* freed, by lifetime: < 1 µs, 10 µs … 1 s, more */
    uint64_t bytes_dead[SG_SITE_LIFETIMES];
};

/* Allocations of one type, or of one line of code, in one piece of time. */
struct sg_rate {
    uint32_t bin, key;
    uint64_t n, bytes;
};

/* A type that was proven of a block after its birth. */
struct sg_proof {
    uint64_t address, birth_event;
    uint64_t since_event; /* true of it from here on: its birth, or its last recycling */
    uint64_t type;
};

/* An object of more than a granule that a step of the granule log has seen. */
struct sg_wide {
    uint64_t address, size;
    int64_t birth_ns, death_ns; /* INT64_MAX = it lives on */
    uint32_t type, stack;
};

struct sg_survey {
    struct sg_table sites;    /* struct sg_site */
    struct sg_table rates;    /* struct sg_rate by type */
    struct sg_table lines;    /* struct sg_rate by line, if they are counted */
    struct sg_vector line_of; /* uint32_t: line of each stack; empty = lines are not counted */
    uint32_t n_joined;        /* pieces of time that are one for lines */
    struct sg_vector proofs;  /* struct sg_proof, since the last drain */
    uint64_t n_lifetimes[SG_LIFETIME_CLASSES], bytes_lifetimes[SG_LIFETIME_CLASSES];
    uint64_t n_ended_before, bytes_ended_before; /* freed, and born before the trace */
    int64_t begin_ns, bin_ns;                    /* pieces of time, bin_ns > 0 each */
    uint32_t n_bins;
    struct sg_vector wide; /* struct sg_wide that have ended, since the last drain */
    uint64_t last_step;    /* number of the event at which the granule log's last step was */
};

/* Begin counting; `bin_ns` and `n_bins` are above 0. */
void sg_survey_init(struct sg_survey *survey, int64_t begin_ns, int64_t bin_ns, uint32_t n_bins,
                    uint64_t seed);
void sg_survey_free(struct sg_survey *survey);
/* Count births by line from now on, in pieces of time that are `n_joined` > 0 of the others. 0, or
 * -1 if there is no memory. */
int sg_survey_lines(struct sg_survey *survey, const uint32_t *line_of, size_t n, uint32_t n_joined);
/* Count a birth. 0, or -1 if there is no memory. */
int sg_survey_birth(struct sg_survey *survey, const struct sg_block *block);
/* Count a type that was proven of `block`, which still has its type from before. 0, or -1 if there
 * is no memory. */
int sg_survey_type(struct sg_survey *survey, const struct sg_block *block, uint32_t type);
void sg_survey_death(struct sg_survey *survey, const struct sg_block *block, int64_t time_ns);

#endif
