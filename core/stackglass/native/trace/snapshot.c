/* How the snapshot is taken and turned into events:
 *
 *     1  collector's lists ──▶ tracked: block, size, type    it may learn types, and so allocate
 *     2  pools ──▶ counts ──▶ mapped tables
 *     3  pools ──▶ a bit for each block, a hash index of the pools
 *     4  tracked ──▶ the block's pool? ──▶ its type
 *                               └─ none ──▶ large: an object that lies in no pool
 *
 * From step 2 on nothing is allocated that could come from a pool, so both walks see the same
 * pools, and the tables have room for all. A block's type is found by the pool's `first_type` plus
 * the block's index in the pool. */
#include "trace/snapshot.h"

#include <Python.h>

#include <string.h>

#include "interpreter/arena_account.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "objects/collector_lists.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "trace/types.h"

enum { MOST_BITS_WORDS = SG_MOST_POOL_BLOCKS / 64 };

/* A pool in use. */
struct kept_pool {
    uintptr_t address;
    uint32_t block_bytes, n_blocks;
    uint32_t first_word; /* index of its first word of bits; 1 = live */
    uint64_t first_type; /* index of its first block's type */
};

/* An object that the garbage collector lists. */
struct tracked {
    uintptr_t block;
    uint32_t size; /* bytes, used if it is in no pool */
    uint32_t type;
};

/* Tables in mapped pages: written with the GIL held, then used by the reader only. */
static struct {
    struct kept_pool *pools; /* (n_pools,) */
    uint64_t *live;          /* bits */
    uint16_t *types;         /* by block; 0 = not known */
    uint32_t *slots;         /* open-addressing hash table of pools by address: place + 1 */
    struct tracked *large;   /* objects in no pool: (n_large,) */
    struct sg_arena *arenas; /* (n_arenas,) */
    size_t n_pools, n_words, n_types, n_slots, n_large, n_arenas;
    size_t pools_room, words_room, types_room, large_room, arenas_room;
    struct sg_snapshot_counts counts;
    uint32_t pool_bytes, front_bytes;
    size_t next_arena, next_pool, next_large; /* position of the reader */
    uint32_t next_block;
} kept;

static size_t round_up(size_t n, size_t item_bytes) {
    const size_t page = 4096;
    return (n * item_bytes + page) / page * page;
}

void sg_trace_snapshot_discard(void) {
    sg_memory_unmap(kept.pools, round_up(kept.pools_room, sizeof *kept.pools));
    sg_memory_unmap(kept.live, round_up(kept.words_room, sizeof *kept.live));
    sg_memory_unmap(kept.types, round_up(kept.types_room, sizeof *kept.types));
    sg_memory_unmap(kept.slots, round_up(kept.n_slots, sizeof *kept.slots));
    sg_memory_unmap(kept.large, round_up(kept.large_room, sizeof *kept.large));
    sg_memory_unmap(kept.arenas, round_up(kept.arenas_room, sizeof *kept.arenas));
    memset(&kept, 0, sizeof kept);
}

void sg_trace_snapshot_after_fork_in_child(void) { memset(&kept, 0, sizeof kept); }

/* ---- Counting, so that the tables can be mapped ---- */

struct count {
    size_t n_arenas, n_pools, n_blocks, n_words;
};

static void count_arena(void *context, const struct sg_arena *arena) {
    ((struct count *)context)->n_arenas++;
}

static void count_pool(void *context, const struct sg_pool *pool) {
    struct count *count = context;
    count->n_pools++;
    count->n_blocks += pool->n_blocks;
    count->n_words += (pool->n_blocks + 63) / 64;
}

static uint64_t count_tracked(const struct sg_collector_lists *lists) {
    uint64_t n = 0;
    for (int i = 0; i < SG_N_COLLECTOR_LISTS; i++) {
        struct sg_collector_node *head = lists->heads[i], *node = sg_collector_list_next(head);
        for (; node != head; node = sg_collector_list_next(node))
            n++;
    }
    return n;
}

static bool map_tables(const struct count *count) {
    kept.pools_room = count->n_pools;
    kept.words_room = count->n_words;
    kept.types_room = count->n_blocks;
    kept.arenas_room = count->n_arenas;
    for (kept.n_slots = 64; kept.n_slots < 2 * count->n_pools;)
        kept.n_slots *= 2;
    kept.pools = sg_memory_map(round_up(kept.pools_room, sizeof *kept.pools));
    kept.live = sg_memory_map(round_up(kept.words_room, sizeof *kept.live));
    kept.types = sg_memory_map(round_up(kept.types_room, sizeof *kept.types));
    kept.slots = sg_memory_map(round_up(kept.n_slots, sizeof *kept.slots));
    kept.arenas = sg_memory_map(round_up(kept.arenas_room, sizeof *kept.arenas));
    return kept.pools && kept.live && kept.types && kept.slots && kept.arenas;
}

/* ---- Pools ---- */

static uint32_t *slot_of(uintptr_t pool) {
    size_t at = (pool / kept.pool_bytes * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (kept.n_slots - 1);
    while (kept.slots[at] && kept.pools[kept.slots[at] - 1].address != pool)
        at = (at + 1) & (kept.n_slots - 1);
    return &kept.slots[at];
}

static void keep_arena(void *context, const struct sg_arena *arena) {
    kept.arenas[kept.n_arenas++] = *arena;
}

static void keep_pool(void *context, const struct sg_pool *pool) {
    kept.pools[kept.n_pools++] = (struct kept_pool){
        .address = pool->address,
        .block_bytes = pool->block_bytes,
        .n_blocks = pool->n_blocks,
        .first_word = (uint32_t)kept.n_words,
        .first_type = kept.n_types,
    };
    *slot_of(pool->address) = (uint32_t)kept.n_pools;
    for (uint32_t i = 0; i < pool->n_blocks; i += 64) {
        uint32_t n = pool->n_blocks - i;
        uint64_t all = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
        kept.live[kept.n_words++] = ~pool->free[i / 64] & all;
    }
    kept.n_types += pool->n_blocks;
    kept.counts.n_objects += pool->n_live;
}

/* ---- Types ---- */

/* Return the bytes of an object in no pool, as its type gives them. */
static uint32_t size_of(uintptr_t object, const struct sg_trace_type *known) {
    uintptr_t type = sg_memory_load(object + SG_OB_TYPE);
    uint64_t item_bytes = sg_memory_load(type + SG_TP_ITEMSIZE);
    int64_t n = item_bytes ? (int64_t)sg_memory_load(object + SG_OB_SIZE) : 0;
    uint64_t size = known->front_bytes + sg_memory_load(type + SG_TP_BASICSIZE) +
                    item_bytes * (uint64_t)(n < 0 ? -n : n);
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

static void keep_type(const struct tracked *object) {
    uintptr_t address = object->block & ~(uintptr_t)(kept.pool_bytes - 1);
    uint32_t place = kept.n_pools ? *slot_of(address) : 0;
    if (!place) {
        kept.large[kept.n_large++] = *object;
        kept.counts.n_objects++;
        kept.counts.n_typed += object->type != 0;
        return;
    }
    const struct kept_pool *pool = &kept.pools[place - 1];
    uintptr_t offset = object->block - address - SG_POOL_HEAD_BYTES;
    uint32_t block = (uint32_t)(offset / pool->block_bytes);
    if (block >= pool->n_blocks || !(kept.live[pool->first_word + block / 64] >> block % 64 & 1))
        return;
    kept.types[pool->first_type + block] = (uint16_t)object->type;
    kept.counts.n_typed += object->type != 0;
}

/* List the tracked objects and learn their types. That may allocate, so it comes before the
 * pools. */
static size_t list_tracked(const struct sg_collector_lists *lists, struct tracked *tracked,
                           size_t room) {
    size_t n = 0;
    for (int i = 0; i < SG_N_COLLECTOR_LISTS; i++) {
        struct sg_collector_node *head = lists->heads[i], *node = sg_collector_list_next(head);
        for (; node != head && n < room; node = sg_collector_list_next(node)) {
            uintptr_t object = (uintptr_t)sg_collector_list_object(node);
            uintptr_t type = sg_memory_load(object + SG_OB_TYPE);
            const struct sg_trace_type *known = sg_trace_types_find(type);
            if (!known && !(known = sg_trace_types_learn(type)))
                continue;
            tracked[n++] = (struct tracked){
                .block = object - known->front_bytes,
                .size = size_of(object, known),
                .type = known->name,
            };
        }
    }
    return n;
}

/* ---- Taking it ---- */

static bool take_pools(const struct sg_pools *pools) {
    struct count count = {0};
    struct sg_pools now = *pools;
    now.arenas = 0; /* the array may have grown since it was found */
    sg_pools_refresh(&now);
    kept.pool_bytes = pools->pool_bytes;
    kept.front_bytes = pools->front_bytes;
    return sg_pools_walk(&now, count_arena, count_pool, &count) && map_tables(&count) &&
           sg_pools_walk(&now, keep_arena, keep_pool, NULL);
}

bool sg_trace_snapshot_take(const struct sg_pools *pools) {
    struct sg_collector_lists lists;
    int64_t begun_ns = sg_time_mono_ns();
    sg_trace_snapshot_discard();
    bool has_lists = !sg_collector_lists_find(&lists);
    size_t n = 0, room = has_lists ? count_tracked(&lists) + 1024 : 0;
    struct tracked *tracked = room ? sg_memory_map(room * sizeof *tracked) : NULL;
    if (tracked)
        n = list_tracked(&lists, tracked, room);
    bool is_taken = (!room || tracked) && take_pools(pools);
    kept.large_room = n;
    if (is_taken && n)
        is_taken = (kept.large = sg_memory_map(round_up(n, sizeof *kept.large))) != NULL;
    for (size_t i = 0; is_taken && i < n; i++)
        keep_type(&tracked[i]);
    sg_memory_unmap(tracked, room * sizeof *tracked);
    if (!is_taken)
        sg_trace_snapshot_discard();
    int64_t n_allocated = sg_arena_account_blocks();
    kept.counts.allocated_blocks = n_allocated > 0 ? (uint64_t)n_allocated : 0;
    if (kept.counts.allocated_blocks > kept.counts.n_objects)
        kept.counts.hidden_blocks = kept.counts.allocated_blocks - kept.counts.n_objects;
    kept.counts.n_arenas = kept.n_arenas;
    kept.counts.hold_ns = (uint64_t)(sg_time_mono_ns() - begun_ns);
    return is_taken;
}

struct sg_snapshot_counts sg_trace_snapshot_counts(void) {
    return kept.counts;
}

/* ---- Its events ---- */

static bool next_of_pools(struct sg_trace_event *event) {
    for (; kept.next_pool < kept.n_pools; kept.next_pool++, kept.next_block = 0) {
        const struct kept_pool *pool = &kept.pools[kept.next_pool];
        while (kept.next_block < pool->n_blocks) {
            uint32_t i = kept.next_block;
            uint64_t left = kept.live[pool->first_word + i / 64] >> i % 64;
            if (!left) {
                kept.next_block = (i / 64 + 1) * 64;
                continue;
            }
            i += (uint32_t)__builtin_ctzll(left);
            kept.next_block = i + 1;
            *event = (struct sg_trace_event){
                .kind = SG_TRACE_OBJECT,
                .domain = SG_TRACE_OBJ,
                .address = pool->address + SG_POOL_HEAD_BYTES + (uintptr_t)i * pool->block_bytes +
                           kept.front_bytes,
                .size = pool->block_bytes,
                .type = kept.types[pool->first_type + i],
            };
            return true;
        }
    }
    return false;
}

bool sg_trace_snapshot_next(struct sg_trace_event *event) {
    if (kept.next_arena < kept.n_arenas) {
        const struct sg_arena *arena = &kept.arenas[kept.next_arena++];
        *event = (struct sg_trace_event){
            .kind = SG_TRACE_SPAN,
            .domain = SG_TRACE_OBJ,
            .address = arena->start,
            .size = arena->bytes,
        };
        return true;
    }
    if (next_of_pools(event))
        return true;
    if (kept.next_large < kept.n_large) {
        const struct tracked *object = &kept.large[kept.next_large++];
        *event = (struct sg_trace_event){
            .kind = SG_TRACE_OBJECT,
            .domain = SG_TRACE_OBJ,
            .address = object->block,
            .size = object->size,
            .type = object->type,
        };
        return true;
    }
    sg_trace_snapshot_discard();
    return false;
}
