/* A census under way: its counts, and how far it has come. */
#ifndef STACKGLASS_CENSUS_STATE_H
#define STACKGLASS_CENSUS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "census/blocks.h"
#include "objects/collector_walk.h"
#include "objects/types.h"
#include "platform/address_bitmap.h"

/* The object whose references are being followed; node NULL = none. */
struct sg_census_place {
    const struct sg_collector_node *node;
    uint64_t at; /* references that have been followed; of a dict, the position of PyDict_Next */
    const void *nested; /* untracked container behind the next reference; NULL = none begun */
    uint64_t nested_at; /* references of that container that have been followed */
};

/* Owned by the thread that has the census job: see worker/gil_worker.h. */
struct sg_census {
    bool is_open; /* begun, and not cleared */
    bool is_done;
    const char *problem; /* why there is no census; NULL = none */
    int64_t start_mono_ns, end_mono_ns;
    uint32_t n_slices, n_restarts;
    bool is_whole; /* false: objects may have been missed */
    uint64_t n_objects;
    struct sg_census_types types;
    struct sg_hash_table blocks; /* types of the heap profile's sampled blocks: see blocks.h */

    /* State of the walk. */
    struct sg_collector_walk walk;
    struct sg_address_bitmap seen;
    struct sg_census_place place;
    bool has_blocks; /* the heap profile has sampled blocks, so references are followed */
};

#endif
