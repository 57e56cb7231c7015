/* A decoded profile: the columns of pprof's tables and samples. */
#ifndef SG_PPROF_PROFILE_H
#define SG_PPROF_PROFILE_H

#include "column.h"

/* One letter a kind: i = i32, q = i64, u = u64. Position -1 = none. */
#define SG_PROFILE_COLUMNS(X)                                                                      \
    X(string_at, i)     /* byte in the message */                                                  \
    X(string_size, i)   /* bytes */                                                                \
    X(type_name, i)     /* string */                                                               \
    X(type_unit, i)     /* string */                                                               \
    X(function_name, i) /* string */                                                               \
    X(function_system_name, i)                                                                     \
    X(function_filename, i)                                                                        \
    X(function_start_line, q)                                                                      \
    X(mapping_start, u)  /* address */                                                             \
    X(mapping_limit, u)  /* address */                                                             \
    X(mapping_offset, u) /* bytes into the file */                                                 \
    X(mapping_filename, i)                                                                         \
    X(mapping_build_id, i)                                                                         \
    X(mapping_flags, i)  /* 1 functions, 2 filenames, 4 line numbers, 8 inline frames */           \
    X(location_lines, i) /* (n_locations + 1) first line */                                        \
    X(location_address, u)                                                                         \
    X(location_mapping, i)                                                                         \
    X(location_is_folded, i)                                                                       \
    X(line_function, i)                                                                            \
    X(line_number, q)                                                                              \
    X(line_column, q) /* empty = all 0 */                                                          \
    X(comment, i)     /* string */                                                                 \
    X(stack_start, q) /* (n_samples + 1) */                                                        \
    X(stack, i)       /* location */                                                               \
    X(values, q)      /* (n_types, n_samples) */                                                   \
    X(label_sample, i)                                                                             \
    X(label_key, i)  /* string */                                                                  \
    X(label_text, i) /* string; -1 = a number */                                                   \
    X(label_number, q)                                                                             \
    X(label_unit, i) /* string; empty = all 0 */

enum { SG_ERROR_BYTES = 160 };

struct sg_profile {
#define SG_DECLARE(name, kind) struct sg_vector name;
    SG_PROFILE_COLUMNS(SG_DECLARE)
#undef SG_DECLARE
    int64_t drop_frames, keep_frames, default_type, doc_url; /* strings */
    int64_t period_name, period_unit;                        /* strings; -1 = no period type */
    int64_t time_ns, duration_ns, period;
    char error[SG_ERROR_BYTES]; /* what is wrong with the file; "" = nothing */
};

void sg_release_profile(struct sg_profile *profile);

#endif
