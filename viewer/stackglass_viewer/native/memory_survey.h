/* Survey of a memory trace: its sums by site, by lifetime, and by type or line over time, all
 * counted in one replay. */
#ifndef SG_MEMORY_SURVEY_H
#define SG_MEMORY_SURVEY_H

#include "memory_blocks.h"
#include "memory_table.h"

/* Lifetime class n: 2^(n-1) <= lifetime in ns < 2^n; class 0: lifetime 0. */
enum { SG_LIFETIME_CLASSES = 64, SG_SITE_LIFETIMES = 8 };

/* A site: the allocations with one stack, or those without a stack that had one type at their
 * birth. An object dies at the site of its birth. */
struct sg_site {
    uint32_t stack, type;
    uint64_t n, bytes;                  /* allocated */
    uint64_t n_since, bytes_since;      /* of these, since the last drain */
    uint64_t n_dead[SG_SITE_LIFETIMES]; /* freed, by lifetime: < 1 µs, 10 µs … 1 s, more */
    uint64_t bytes_dead[SG_SITE_LIFETIMES];
};

/* The allocations of one type, or by one line of code, in one bin of time. */
struct sg_rate {
    uint32_t bin, key; /* key: the type or the line */
    uint64_t n, bytes;
};

/* The type that an object without a stack had at its birth, if it got another one since. */
struct sg_first_type {
    uint32_t low, high; /* halves of its address */
    uint32_t type;
};

/* A block's type that the trace gives only after the block's birth. */
struct sg_proof {
    uint64_t address, birth_event;
    uint64_t since_event; /* the type holds from this event: birth or last recycling */
    uint64_t type;
};

/* An object larger than a granule that was alive at a step of the granule log. */
struct sg_wide {
    uint64_t address, size;
    int64_t birth_ns, death_ns; /* INT64_MAX = it lives on */
    uint32_t type, stack;
};

struct sg_survey {
    struct sg_table sites;       /* struct sg_site */
    struct sg_table rates;       /* struct sg_rate by type */
    struct sg_table lines;       /* struct sg_rate by line, if they are counted */
    struct sg_vector line_of;    /* uint32_t: line of each stack; empty = lines are not counted */
    uint32_t n_joined;           /* one bin of `lines` spans this many bins of `rates` */
    struct sg_table first_types; /* struct sg_first_type; valid while the object lives */
    struct sg_vector proofs;     /* struct sg_proof, since the last drain */
    uint64_t n_lifetimes[SG_LIFETIME_CLASSES], bytes_lifetimes[SG_LIFETIME_CLASSES];
    uint64_t n_ended_before, bytes_ended_before; /* freed blocks that were born before the trace */
    int64_t begin_ns, bin_ns;                    /* bins of `rates`; bin_ns > 0 */
    uint32_t n_bins;
    struct sg_vector wide; /* struct sg_wide that have ended, since the last drain */
    uint64_t last_step;    /* event number of the granule log's last step */
};

/* Begin counting; `bin_ns` and `n_bins` are above 0. */
void sg_survey_init(struct sg_survey *survey, int64_t begin_ns, int64_t bin_ns, uint32_t n_bins,
                    uint64_t seed);
void sg_survey_free(struct sg_survey *survey);
/* Count births by line as well, from now on, in bins that each span `n_joined` > 0 bins of `rates`.
 * Without items in `line_of`, stop counting lines. Returns 0, or -1 if memory is short. */
int sg_survey_lines(struct sg_survey *survey, const uint32_t *line_of, size_t n, uint32_t n_joined);
/* Count a birth. Returns 0, or -1 if memory is short. */
int sg_survey_birth(struct sg_survey *survey, const struct sg_block *block);
/* Record that `block`, which still has its old type, is of `type`, and count its birth for this
 * type if it had none. Returns 0, or -1 if memory is short. */
int sg_survey_type(struct sg_survey *survey, const struct sg_block *block, uint32_t type);
/* `block`, which still has its old type, becomes an object of `type`: keep the site of its birth,
 * if that depends on the old type. Returns 0, or -1 if memory is short. */
int sg_survey_retype(struct sg_survey *survey, struct sg_block *block, uint32_t type);
void sg_survey_death(struct sg_survey *survey, const struct sg_block *block, int64_t time_ns);

#endif
