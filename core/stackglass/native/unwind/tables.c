/* One engine thread makes the tables, and any thread reads them.
 *
 *     objects have changed ─▶ publish the remaining ones ─▶ rows of new ones, in steps ─▶ publish
 *
 * At most one map waits to be freed, and the next map is published only after that. So an entry of
 * the cache belongs to the present map or to the one before, and one bit (the parity) says to
 * which. */
#include "unwind/tables.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/memory.h"
#include "platform/permitted_calls.h"
#include "platform/time.h"
#include "unwind/builder.h"
#include "unwind/loaded_objects.h"

enum {
    CACHE_BITS = 13,
    RULE_BITS = 16,
    ADDRESS_BITS = 47,         /* bits of an address of user space */
    STEP_NS = 3 * 1000 * 1000, /* limit of one call of sg_unwind_tables_maintain */
};
static const uint64_t MOST_BYTES = UINT64_C(128) << 20; /* limit for all rows */

struct object {
    uintptr_t base, start, end;
    uint64_t fingerprint;
    struct sg_unwind_rows rows; /* empty = the object has no readable table */
};

struct sg_unwind_map {
    uint32_t n, capacity;
    uint64_t parity;    /* 0 or 1, different from the map before */
    struct object at[]; /* (n,), ascending by address, without overlap */
};

/* Lock-free. */
static _Atomic(const struct sg_unwind_map *) published;
static _Atomic uint32_t n_inside;
/* (1 << CACHE_BITS,): │ parity: 1 bit │ address: 47 │ rule: 16 │; 0 = empty. Set by
 * sg_unwind_tables_open. */
static _Atomic uint64_t *cache;

/* Used by the one engine thread only, and by a forked child. */
static struct sg_loaded_objects loaded; /* the loaded objects, of which `next` is made */
static struct sg_unwind_map *current;   /* the published map */
static struct sg_unwind_map *retired;   /* waits to be freed; NULL = none */
static struct sg_unwind_map *next;      /* being made; NULL = none */
static uint32_t n_seen;                 /* number of objects of `loaded` that `next` has */
static struct sg_unwind_builder builder;
static bool is_building;
static unsigned long long n_changes; /* the loader's count of changes when `loaded` was listed */
static uint64_t n_bytes;
static bool is_ready;
static uint32_t n_published;

static size_t size_of(uint32_t capacity) {
    return sizeof(struct sg_unwind_map) + capacity * sizeof(struct object);
}

static struct sg_unwind_map *make_map(uint32_t capacity) {
    struct sg_unwind_map *map = sg_memory_map(size_of(capacity));
    if (map)
        map->capacity = capacity;
    return map;
}

static void unmap(struct sg_unwind_map *map) {
    if (map)
        sg_memory_unmap(map, size_of(map->capacity));
}

/* ---- Readers ---- */

const struct sg_unwind_map *sg_unwind_tables_enter(void) {
    if (!atomic_load_explicit(&published, memory_order_relaxed))
        return NULL;
    atomic_fetch_add(&n_inside, 1);
    const struct sg_unwind_map *map = atomic_load(&published);
    if (!map)
        atomic_fetch_sub(&n_inside, 1);
    return map;
}

void sg_unwind_tables_leave(void) { atomic_fetch_sub_explicit(&n_inside, 1, memory_order_release); }

static const struct object *find_object(const struct sg_unwind_map *map, uintptr_t pc) {
    uint32_t low = 0, high = map->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (map->at[middle].end <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < map->n && map->at[low].start <= pc ? &map->at[low] : NULL;
}

bool sg_unwind_tables_share(const struct sg_unwind_map *map, uintptr_t one, uintptr_t other) {
    const struct object *object = find_object(map, one);
    return object && object == find_object(map, other);
}

sg_unwind_rule_id sg_unwind_tables_find(const struct sg_unwind_map *map, uintptr_t pc) {
    if (pc >> ADDRESS_BITS)
        return SG_UNWIND_RULE_UNKNOWN;
    uint64_t key = map->parity << ADDRESS_BITS | pc;
    _Atomic uint64_t *entry = &cache[pc * UINT64_C(0x9E3779B97F4A7C15) >> (64 - CACHE_BITS)];
    uint64_t known = atomic_load_explicit(entry, memory_order_relaxed);
    if (known >> RULE_BITS == key)
        return (sg_unwind_rule_id)known;
    const struct object *object = find_object(map, pc);
    if (!object)
        return SG_UNWIND_RULE_UNKNOWN;
    sg_unwind_rule_id rule = sg_unwind_rows_find(&object->rows, (uint32_t)(pc - object->start));
    atomic_store_explicit(entry, key << RULE_BITS | rule, memory_order_relaxed);
    return rule;
}

/* ---- The engine thread ---- */

static void clear_cache(void) {
    for (uint32_t i = 0; i < 1 << CACHE_BITS; i++)
        atomic_store_explicit(&cache[i], 0, memory_order_relaxed);
}

int sg_unwind_tables_open(void) {
    if (!cache)
        cache = sg_memory_map(sizeof *cache << CACHE_BITS);
    if (!cache || sg_unwind_rules_prepare())
        return -1;
    /* A map that could not be freed, because a reader was inside. If objects have changed since,
     * the next call of sg_unwind_tables_maintain publishes another one. */
    if (current && sg_loaded_objects_count_changes() == n_changes)
        atomic_store(&published, current);
    return 0;
}

static const struct object *find_same(const struct sg_unwind_map *map,
                                      const struct sg_loaded_object *object) {
    const struct object *known = map ? find_object(map, object->start) : NULL;
    bool is_same = known && known->start == object->start && known->end == object->end &&
                   known->fingerprint == object->fingerprint;
    return is_same ? known : NULL;
}

static bool has_object(const struct sg_unwind_map *map, const struct object *object) {
    const struct object *same = find_object(map, object->start);
    return same && same->rows.offsets == object->rows.offsets;
}

/* Free the retired map, and the rows that the present map does not use. Returns false if a reader
 * may be inside. */
static bool free_retired(void) {
    if (!retired)
        return true;
    if (atomic_load(&n_inside))
        return false;
    clear_cache();
    for (uint32_t i = 0; i < retired->n; i++) {
        struct object *object = &retired->at[i];
        if (object->rows.n && !has_object(current, object)) {
            n_bytes -= sg_unwind_rows_bytes(&object->rows);
            sg_unwind_rows_free(&object->rows);
        }
    }
    unmap(retired);
    retired = NULL;
    return true;
}

static void publish(struct sg_unwind_map *map) {
    retired = current;
    map->parity = current ? 1 - current->parity : 0;
    current = map;
    n_published++;
    atomic_store(&published, map);
}

static void append(struct sg_unwind_map *map, const struct sg_loaded_object *object,
                   const struct sg_unwind_rows *rows) {
    if (map->n && map->at[map->n - 1].end > object->start)
        return; /* two objects overlap: the list is not of one moment */
    map->at[map->n++] = (struct object){
        .base = object->base,
        .start = object->start,
        .end = object->end,
        .fingerprint = object->fingerprint,
        .rows = *rows,
    };
}

/* List the objects again, and publish a map without the objects that are gone. */
static void begin(unsigned long long n_now) {
    uint32_t n_known = 0;
    if (!sg_loaded_objects_list(&loaded))
        return;
    n_changes = n_now;
    for (uint32_t i = 0; i < loaded.n; i++)
        n_known += find_same(current, &loaded.at[i]) != NULL;
    next = make_map(loaded.n);
    n_seen = 0;
    if (!next || !current || n_known == current->n)
        return;
    struct sg_unwind_map *left = make_map(n_known);
    if (!left)
        return;
    for (uint32_t i = 0; i < loaded.n; i++) {
        const struct object *known = find_same(current, &loaded.at[i]);
        if (known)
            append(left, &loaded.at[i], &known->rows);
    }
    publish(left);
}

/* Take over the rows of a known object, begin to build the rows of a new one, or give it no
 * rows. */
static void see_to(const struct sg_loaded_object *object) {
    const struct object *known = find_same(current, object);
    if (known) {
        append(next, object, &known->rows);
        n_seen++;
    } else if (n_bytes < MOST_BYTES && sg_unwind_builder_begin(&builder, object)) {
        is_building = true;
    } else {
        append(next, object, &(struct sg_unwind_rows){0});
        n_seen++;
    }
}

static void build(void) {
    if (!sg_unwind_builder_step(&builder))
        return;
    is_building = false;
    n_bytes += sg_unwind_rows_bytes(&builder.rows);
    append(next, &loaded.at[n_seen++], &builder.rows);
    memset(&builder, 0, sizeof builder);
}

static void step(void) {
    if (is_building)
        build();
    else if (n_seen < loaded.n)
        see_to(&loaded.at[n_seen]);
    if (n_seen == loaded.n && !is_building) {
        publish(next);
        next = NULL;
        is_ready = true;
    }
}

bool sg_unwind_tables_are_due(void) {
    return retired || next || !current || sg_loaded_objects_count_changes() != n_changes;
}

bool sg_unwind_tables_maintain(void) {
    int64_t end_ns = sg_time_mono_ns() + STEP_NS;
    if (!cache || !free_retired())
        return false;
    if (!next) {
        unsigned long long n_now = sg_loaded_objects_count_changes();
        if (!current || n_now != n_changes)
            begin(n_now);
    }
    if (next)
        sg_permitted_calls_check(); /* a new seccomp filter may kill the process for a read */
    while (next && !retired && sg_time_mono_ns() < end_ns)
        step();
    return next != NULL;
}

bool sg_unwind_tables_are_ready(void) { return is_ready; }

uint32_t sg_unwind_tables_generation(void) { return n_published; }

bool sg_unwind_tables_find_object(const struct sg_unwind_map *map, uintptr_t pc,
                                  struct sg_loaded_object *object) {
    const struct object *found = find_object(map, pc);
    if (!found)
        return false;
    *object = (struct sg_loaded_object){
        .base = found->base,
        .start = found->start,
        .end = found->end,
        .fingerprint = found->fingerprint,
    };
    return true;
}

void sg_unwind_tables_count(struct sg_unwind_tables_counts *counts) {
    *counts = (struct sg_unwind_tables_counts){
        .n_rules = sg_unwind_rules_count(),
        .n_bytes = n_bytes,
    };
    for (uint32_t i = 0; current && i < current->n; i++) {
        counts->n_objects += current->at[i].rows.n != 0;
        counts->n_unknown += current->at[i].rows.n == 0;
        counts->n_rows += current->at[i].rows.n;
    }
}

/* Free a map, and its rows that `kept` does not use. */
static void free_unpublished(struct sg_unwind_map *map, const struct sg_unwind_map *kept) {
    for (uint32_t i = 0; map && i < map->n; i++)
        if (!kept || !has_object(kept, &map->at[i]))
            sg_unwind_rows_free(&map->at[i].rows);
    unmap(map);
}

/* Forget everything without unmapping it. */
static void forget(void) {
    atomic_store(&published, NULL);
    sg_unwind_rules_forget();
    memset(&loaded, 0, sizeof loaded);
    memset(&builder, 0, sizeof builder);
    cache = NULL;
    next = retired = current = NULL;
    is_building = is_ready = false;
    n_seen = 0;
    n_changes = n_bytes = 0;
}

bool sg_unwind_tables_close(void) {
    atomic_store(&published, NULL);
    if (atomic_load(&n_inside))
        return false;
    if (is_building)
        sg_unwind_builder_drop(&builder);
    free_unpublished(next, current);
    free_unpublished(retired, current);
    free_unpublished(current, NULL);
    sg_loaded_objects_free(&loaded);
    sg_unwind_rules_discard();
    if (cache)
        sg_memory_unmap((void *)cache, sizeof *cache << CACHE_BITS);
    forget();
    return true;
}

void sg_unwind_tables_after_fork_in_child(bool is_whole) {
    atomic_store(&n_inside, 0);
    if (is_whole)
        sg_unwind_tables_close();
    else
        forget();
}
