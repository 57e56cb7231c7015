/* Map from the ids in a file, which may be any 64-bit numbers but 0, to positions in a table. */
#ifndef SG_ID_MAP_H
#define SG_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

struct sg_id_map {
    int32_t *slots;      /* positions, indexed by id if ids are dense, else by hash; -1 = free */
    const uint64_t *ids; /* the id of each position; borrowed for the map's life */
    size_t n_slots;
    uint64_t seed; /* seed of the hash; 0 = ids are dense */
};

/* Map each of `n` ids to its position. Returns 0, -1 if an id is 0 or occurs twice, or -2 if memory
 * is short. */
int sg_id_map_build(struct sg_id_map *map, const uint64_t *ids, size_t n);

void sg_id_map_release(struct sg_id_map *map);

static inline size_t sg_id_map_hash(const struct sg_id_map *map, uint64_t id) {
    uint64_t hash = (id ^ map->seed) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93u;
    return (size_t)(hash ^ hash >> 29) & (map->n_slots - 1);
}

/* Return the position of an id; -1 = unknown id. */
static inline int32_t sg_id_map_find(const struct sg_id_map *map, uint64_t id) {
    if (!map->seed)
        return id < map->n_slots ? map->slots[id] : -1;
    for (size_t at = sg_id_map_hash(map, id);; at = (at + 1) & (map->n_slots - 1)) {
        int32_t position = map->slots[at];
        if (position < 0 || map->ids[position] == id)
            return position;
    }
}

#endif
