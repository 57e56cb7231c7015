/* Nearly all writers number from 1, so ids are dense and a table indexed by id is enough. Other ids
 * go into a hash table with linear probing. */
#include "id_map.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Return a seed that differs in every run, so that no file can be made to cause collisions. */
static uint64_t choose_seed(const void *somewhere) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t seed = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u ^ (uint64_t)(uintptr_t)somewhere;
    return seed | 1;
}

static int insert(struct sg_id_map *map, uint64_t id, int32_t position) {
    size_t at = map->seed ? sg_id_map_hash(map, id) : (size_t)id;
    while (map->slots[at] >= 0) {
        if (!map->seed || map->ids[map->slots[at]] == id)
            return -1;
        at = (at + 1) & (map->n_slots - 1);
    }
    map->slots[at] = position;
    return 0;
}

int sg_id_map_build(struct sg_id_map *map, const uint64_t *ids, size_t n) {
    uint64_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        if (ids[i] == 0)
            return -1;
        if (ids[i] > largest)
            largest = ids[i];
    }
    map->ids = ids;
    if (largest <= 2 * (uint64_t)n + 1024) {
        map->seed = 0;
        map->n_slots = (size_t)largest + 1;
    } else {
        map->seed = choose_seed(map);
        for (map->n_slots = 16; map->n_slots < 2 * n;)
            map->n_slots *= 2;
    }
    map->slots = malloc(map->n_slots * sizeof *map->slots);
    if (!map->slots)
        return -2;
    memset(map->slots, 0xFF, map->n_slots * sizeof *map->slots);
    for (size_t i = 0; i < n; i++)
        if (insert(map, ids[i], (int32_t)i) < 0)
            return -1;
    return 0;
}

void sg_id_map_release(struct sg_id_map *map) {
    free(map->slots);
    map->slots = NULL;
}
