/* Unwind tables: the unwind rule of any machine code address of the process.
 *
 *     address ─▶ loaded object ─▶ its rows ─▶ rule
 *        └────────── cache of recent addresses ──▶ rule
 *
 * An engine thread makes the rows of each object once, and publishes a map of all objects. A map,
 * and the rows of unloaded objects, are freed once no reader is inside. */
#ifndef STACKGLASS_UNWIND_TABLES_H
#define STACKGLASS_UNWIND_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/loaded_objects.h"
#include "unwind/rules.h"

struct sg_unwind_map;

struct sg_unwind_tables_counts {
    uint32_t n_objects; /* objects with rows */
    uint32_t n_unknown; /* objects without rows: they have no table, or memory was short */
    uint32_t n_rules;
    uint64_t n_rows, n_bytes;
};

/* ---- One engine thread ---- */

/* Begin to make tables. Returns 0, or -1 if memory runs out. */
int sg_unwind_tables_open(void);
/* Return whether sg_unwind_tables_maintain may change anything. */
bool sg_unwind_tables_are_due(void);
/* Do a part of the pending work, a few milliseconds at most: rows of new objects, a new map.
 * Returns true if there is more to do at once. */
bool sg_unwind_tables_maintain(void);
/* Return whether the first map is published, with all objects that were loaded then. */
bool sg_unwind_tables_are_ready(void);
/* Return how often a map was published. */
uint32_t sg_unwind_tables_generation(void);
/* Find the object that contains an address, with the fields that sg_loaded_objects_read needs.
 * Returns false if there is none. */
bool sg_unwind_tables_find_object(const struct sg_unwind_map *map, uintptr_t pc,
                                  struct sg_loaded_object *object);
void sg_unwind_tables_count(struct sg_unwind_tables_counts *counts);
/* Unmap everything. Returns false if a reader is inside: call it again later. */
bool sg_unwind_tables_close(void);

/* Close the tables in a forked child, where no reader is inside. `is_whole` false: the fork came in
 * the middle of a change, so nothing is unmapped. */
void sg_unwind_tables_after_fork_in_child(bool is_whole);

/* ---- Readers: any thread, async-signal-safe ---- */

/* Return the map, which stays until sg_unwind_tables_leave; NULL = there is none, and
 * sg_unwind_tables_leave must not be called. */
const struct sg_unwind_map *sg_unwind_tables_enter(void);
void sg_unwind_tables_leave(void);
/* Return whether two addresses are in the same object. */
bool sg_unwind_tables_share(const struct sg_unwind_map *map, uintptr_t one, uintptr_t other);
/* Return the rule at `pc`; SG_UNWIND_RULE_UNKNOWN if there is none. */
sg_unwind_rule_id sg_unwind_tables_find(const struct sg_unwind_map *map, uintptr_t pc);

#endif
