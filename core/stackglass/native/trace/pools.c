/* Recognises the allocator's tables by their content, and walks through them.
 *
 *     a new block ─▶ its pool ─next─▶ pool ─▶ … ─▶ no pool: an entry of the table
 *                                                                   │
 *     array of arenas ◀─ from 3.12 on: the word behind it ───── table of size classes: each
 *                     ◀─ up to 3.11: a word of the segment      entry leads to a pool of its
 *                        that fits                              class, or to itself
 *
 * An array fits if each pool that the table leads to lies in the arena that the pool's head names.
 * Until then all addresses are guesses, so they are read by calls that cannot fault. The walk reads
 * in place: of a pool's blocks that were ever used, those in its free list are free and the others
 * are live. The walk ends if a free list leaves its pool, has a block twice or has a wrong
 * length. */
#include "trace/pools.h"

#include <Python.h>

#include <string.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/image.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    LAST_MINOR_OF_SMALL_POOLS = 9,
    LAST_MINOR_OF_STATICS = 11,
    N_CLASSES = 32,
    CLASS_BYTES = 16,
    SMALL_POOL_BYTES = 4 << 10,
    SMALL_ARENA_BYTES = 256 << 10,
    POOL_BYTES = 16 << 10,
    ARENA_BYTES = 1 << 20,
    TABLE_BYTES = 2 * N_CLASSES * 8, /* size of usedpools: two words for each size class */
    TRIED_BYTES = 256,               /* size of the blocks that the search allocates */
    N_TRIED = 80,                    /* more blocks of that size than a pool has */
    MOST_STEPS = 1 << 16,            /* bounds a walk along a list of pools */
    /* INITIAL_ARENA_OBJECTS: entries of the new array, which grows by doubling */
    FIRST_ARENAS = 16,
    MOST_ARENAS = 1 << 22,
};

struct pool_head {
    uint32_t n_live;
    uint32_t padding;
    uintptr_t free; /* first block of the free list; 0 = none */
    uintptr_t next, previous;
    uint32_t arena;      /* index in the array of arenas */
    uint32_t size_class; /* blocks of (size_class + 1) × 16 bytes */
    uint32_t unused;     /* offset of the first block that was never used */
    uint32_t last;       /* largest offset of a block */
};

struct arena_place {
    uintptr_t start; /* 0 = not in use */
    uintptr_t first_unused_pool;
    uint32_t n_free, n_pools;
    uintptr_t free_pools, next, previous;
};

static uint32_t block_bytes(const struct pool_head *head) {
    return (head->size_class + 1) * CLASS_BYTES;
}

static bool is_head(const struct sg_pools *pools, uintptr_t address, struct pool_head *head) {
    if (address % pools->pool_bytes || !sg_memory_read(address, head, sizeof *head) ||
        head->size_class >= N_CLASSES)
        return false;
    uint32_t bytes = block_bytes(head), most = (pools->pool_bytes - SG_POOL_HEAD_BYTES) / bytes;
    return head->n_live && head->n_live <= most && head->last <= pools->pool_bytes - bytes &&
           head->unused >= SG_POOL_HEAD_BYTES && head->unused <= head->last + bytes &&
           (head->unused - SG_POOL_HEAD_BYTES) % bytes == 0;
}

/* Return the address of the table of size classes, found from the list of pools that contains
 * `address`; 0 = not found. A list's head is an entry of the table. It looks like a pool head of
 * which only the fields `next` and `previous` exist. */
static uintptr_t find_table(const struct sg_pools *pools, uintptr_t address) {
    const uintptr_t before = offsetof(struct pool_head, next);
    struct pool_head head;
    uint32_t size_class = 0;
    for (int i = 0; i < MOST_STEPS; i++) {
        if (!is_head(pools, address, &head) || (i && head.size_class != size_class))
            return i ? address + before - 2 * sizeof(uintptr_t) * size_class : 0;
        size_class = head.size_class;
        if (!head.free)
            return 0; /* a full pool is in no list */
        address = head.next;
    }
    return 0;
}

/* Return whether each entry of the table is the head of a list: it leads to a pool of its class, or
 * to itself. */
static bool is_table(const struct sg_pools *pools, uintptr_t table) {
    uintptr_t places[2 * N_CLASSES];
    int n_used = 0;
    if (!sg_memory_read(table, places, sizeof places))
        return false;
    for (uint32_t i = 0; i < N_CLASSES; i++) {
        uintptr_t own = table + 2 * i * sizeof(uintptr_t) - offsetof(struct pool_head, next);
        struct pool_head head;
        if (places[2 * i] == own && places[2 * i + 1] == own)
            continue;
        if (!is_head(pools, places[2 * i], &head) || head.size_class != i || head.previous != own)
            return false;
        n_used++;
    }
    return n_used > 0;
}

/* Return whether an array of arenas is at `arenas` and contains the arena of this pool. */
static bool is_arena_of(const struct sg_pools *pools, uintptr_t arenas, uintptr_t pool,
                        const struct pool_head *head) {
    struct arena_place place;
    uint32_t most = pools->arena_bytes / pools->pool_bytes;
    return head->arena < MOST_ARENAS &&
           sg_memory_read(arenas + head->arena * sizeof place, &place, sizeof place) &&
           place.start && pool - place.start < pools->arena_bytes && place.n_pools >= most - 1 &&
           place.n_pools <= most && place.n_free <= place.n_pools &&
           place.first_unused_pool - place.start <= pools->arena_bytes + pools->pool_bytes;
}

/* Pools that the table leads to, by which a candidate for the array of arenas is checked. */
struct known_pools {
    struct pool_head heads[N_CLASSES];
    uintptr_t at[N_CLASSES];
    uint32_t n;
};

static void find_known(const struct sg_pools *pools, uintptr_t table, struct known_pools *known) {
    uintptr_t places[2 * N_CLASSES];
    known->n = 0;
    if (!sg_memory_read(table, places, sizeof places))
        return;
    for (uint32_t i = 0; i < N_CLASSES; i++) {
        known->at[known->n] = places[2 * i];
        known->n += is_head(pools, places[2 * i], &known->heads[known->n]);
    }
}

/* Return whether all known pools lie in the arenas that the array says. */
static bool is_array(const struct sg_pools *pools, const struct known_pools *known,
                     uintptr_t arenas) {
    for (uint32_t i = 0; i < known->n; i++)
        if (!is_arena_of(pools, arenas, known->at[i], &known->heads[i]))
            return false;
    return known->n > 0;
}

/* Return the address of the variable that points to the array of arenas, which up to 3.11 is in the
 * same segment as the table; 0 = not found. */
static uintptr_t search_variable(const struct sg_pools *pools, const struct known_pools *known,
                                 uintptr_t table) {
    uintptr_t words[512], start, end, found = 0, found_at = 0;
    if (!sg_interpreter_image_find_data(table, &start, &end))
        return 0;
    for (uintptr_t at = start & ~(uintptr_t)7; at < end; at += sizeof words) {
        size_t n = end - at < sizeof words ? end - at : sizeof words;
        if (!sg_memory_read(at, words, n))
            continue;
        for (size_t i = 0; i < n / 8; i++) {
            bool is_inside = words[i] - start < end - start;
            if (words[i] % 16 || words[i] < SMALL_POOL_BYTES || words[i] >> 47 || is_inside ||
                words[i] == found || !is_array(pools, known, words[i]))
                continue;
            if (found)
                return 0; /* two arrays fit, so it is not known which one is right */
            found = words[i];
            found_at = at + 8 * i;
        }
    }
    return found_at;
}

/* Return how many entries the array has. It grows by doubling. Unused entries form a list with one
 * last entry; what looks like a second last entry lies behind the array. */
static uint32_t count_places(const struct sg_pools *pools, uintptr_t arenas) {
    struct arena_place place;
    uint32_t n = 0, n_last = 0, most = pools->arena_bytes / pools->pool_bytes;
    uint32_t n_places = FIRST_ARENAS;
    while (n < MOST_ARENAS && sg_memory_read(arenas + n * sizeof place, &place, sizeof place)) {
        bool is_used = place.start % 4096 == 0 && place.n_pools >= most - 1 &&
                       place.n_pools <= most && place.n_free <= place.n_pools;
        n_last += !place.start && !place.next;
        if ((place.start && !is_used) || n_last > 1)
            break;
        n++;
    }
    while (2 * n_places <= n)
        n_places *= 2;
    return n_places;
}

/* Return the address of the pointer to the array; 0 = not found. */
static uintptr_t find_arenas(const struct sg_pools *pools, uintptr_t table) {
    struct known_pools known;
    uintptr_t arenas = 0;
    find_known(pools, table, &known);
    if (sg_debug_offsets.minor <= LAST_MINOR_OF_STATICS)
        return search_variable(pools, &known, table);
    return sg_memory_read(table + TABLE_BYTES, &arenas, sizeof arenas) &&
                   is_array(pools, &known, arenas)
               ? table + TABLE_BYTES
               : 0;
}

void sg_pools_refresh(struct sg_pools *pools) {
    uintptr_t arenas = pools->arenas_at ? sg_memory_load(pools->arenas_at) : 0;
    if (arenas != pools->arenas) {
        pools->arenas = arenas;
        pools->n_arenas = arenas ? count_places(pools, arenas) : 0;
    }
}

bool sg_pools_find_blocks(struct sg_pools *pools, uintptr_t address, struct sg_pool_blocks *found) {
    const struct arena_place *places = (const void *)pools->arenas;
    uintptr_t pool = address & ~(uintptr_t)(pools->pool_bytes - 1);
    struct pool_head head;
    if (!sg_memory_read(pool, &head, sizeof head))
        return false;
    /* realloc may have made the array longer where it is */
    if (head.arena >= pools->n_arenas && places && is_head(pools, pool, &head))
        pools->n_arenas = count_places(pools, pools->arenas);
    if (head.arena >= pools->n_arenas || head.size_class >= N_CLASSES || !head.n_live ||
        head.unused > pools->pool_bytes || pool - places[head.arena].start >= pools->arena_bytes ||
        !places[head.arena].start)
        return false;
    *found = (struct sg_pool_blocks){
        pool + SG_POOL_HEAD_BYTES,
        pool + head.unused,
        block_bytes(&head),
    };
    return true;
}

const char *sg_pools_find(struct sg_pools *pools) {
    static const char unknown[] =
        "the arenas of this interpreter's allocator are not where they are expected";
    void *blocks[N_TRIED];
    bool is_small = sg_debug_offsets.minor <= LAST_MINOR_OF_SMALL_POOLS;
    uintptr_t table = 0;
    int n = 0;
    void *(*allocate)(size_t size);
    void (*release)(void *block);
    sg_python_symbols_look_up("PyObject_Malloc", &allocate);
    sg_python_symbols_look_up("PyObject_Free", &release);
    *pools = (struct sg_pools){
        .pool_bytes = is_small ? SMALL_POOL_BYTES : POOL_BYTES,
        .arena_bytes = is_small ? SMALL_ARENA_BYTES : ARENA_BYTES,
    };
    if (!allocate || !release)
        return unknown;
    while (n < N_TRIED && !table && (blocks[n] = allocate(TRIED_BYTES))) {
        uintptr_t block = (uintptr_t)blocks[n++];
        uintptr_t pool = block & ~(uintptr_t)(pools->pool_bytes - 1);
        table = find_table(pools, pool);
        if (table && !is_table(pools, table))
            table = 0;
        if (table)
            pools->front_bytes = (uint32_t)(block - pool - SG_POOL_HEAD_BYTES) %
                                 block_bytes((const struct pool_head *)pool);
    }
    if (table)
        pools->arenas_at = find_arenas(pools, table);
    sg_pools_refresh(pools);
    while (n)
        release(blocks[--n]);
    return pools->arenas ? NULL : unknown;
}

/* Mark the blocks in the pool's free list. Returns false if the list or the count is wrong. */
static bool mark_free(struct sg_pool *pool, uintptr_t block, uint32_t n_free) {
    const uintptr_t first = pool->address + SG_POOL_HEAD_BYTES;
    uint32_t n = 0;
    for (; block; block = sg_memory_load(block)) {
        uintptr_t offset = block - first;
        uint32_t i = (uint32_t)(offset / pool->block_bytes);
        if (offset >= (uintptr_t)pool->n_blocks * pool->block_bytes || offset % pool->block_bytes ||
            pool->free[i / 64] >> i % 64 & 1)
            return false;
        pool->free[i / 64] |= UINT64_C(1) << i % 64;
        n++;
    }
    return n == n_free;
}

static bool see(const struct sg_pools *pools, uintptr_t address, sg_pool_fn *deliver,
                void *context) {
    const struct pool_head *head = (const void *)address;
    struct sg_pool pool = {.address = address, .n_live = head->n_live};
    if (!head->n_live)
        return true;
    if (head->size_class >= N_CLASSES || head->unused < SG_POOL_HEAD_BYTES)
        return false;
    pool.block_bytes = block_bytes(head);
    pool.n_blocks = (head->unused - SG_POOL_HEAD_BYTES) / pool.block_bytes;
    if (head->unused > pools->pool_bytes || pool.n_live > pool.n_blocks ||
        !mark_free(&pool, head->free, pool.n_blocks - pool.n_live))
        return false;
    deliver(context, &pool);
    return true;
}

bool sg_pools_walk(const struct sg_pools *pools, sg_arena_fn *see_arena, sg_pool_fn *see_pool,
                   void *context) {
    const struct arena_place *places = (const void *)pools->arenas;
    for (uint32_t i = 0; pools->arenas && i < pools->n_arenas; i++) {
        if (!places[i].start)
            continue;
        see_arena(context, &(struct sg_arena){places[i].start, pools->arena_bytes});
        uintptr_t mask = ~(uintptr_t)(pools->pool_bytes - 1);
        uintptr_t pool = (places[i].start + pools->pool_bytes - 1) & mask;
        uintptr_t end = places[i].first_unused_pool;
        if (end - places[i].start > pools->arena_bytes)
            return false;
        for (; pool < end; pool += pools->pool_bytes)
            if (!see(pools, pool, see_pool, context))
                return false;
    }
    return true;
}
