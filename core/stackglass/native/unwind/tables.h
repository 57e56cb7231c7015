/* Unwind tables: the rule of any machine code address of the process.
 *
 *     address ─▶ loaded object ─▶ its rows ─▶ rule
 *        └────────── cache of recent addresses ──▶ rule
 *
 * An engine thread makes the rows of each object once and publishes a map of all objects. A map
 * and the rows of unloaded objects are freed when no reader is inside any more. */
#ifndef STACKGLASS_UNWIND_TABLES_H
#define STACKGLASS_UNWIND_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/loaded.h"
#include "unwind/rules.h"

struct sg_unwind_map;

struct sg_unwind_tables_counts {
    uint32_t n_objects; /* with rows */
    uint32_t n_unknown; /* without: they have none, or there was no memory */
    uint32_t n_rules;
    uint64_t n_rows, n_bytes;
};

/* ---- One engine thread ---- */

/* Begin to make tables. 0, or -1 if memory runs out. */
int sg_unwind_tables_open(void);
/* Do a part of the pending work, a few milliseconds at most: rows of objects that are new, a new
 * map. True if there is more to do at once. */
bool sg_unwind_tables_maintain(void);
/* Whether the first map, of all objects then loaded, is published. */
bool sg_unwind_tables_are_ready(void);
/* How often a map was published. */
uint32_t sg_unwind_tables_generation(void);
/* The object that holds an address, with what sg_loaded_read needs of it; false if there is none.
 */
bool sg_unwind_tables_find_object(const struct sg_unwind_map *map, uintptr_t pc,
                                  struct sg_loaded_object *object);
void sg_unwind_tables_count(struct sg_unwind_tables_counts *counts);
/* Unmap everything, unless a reader is inside: false, then to be called again. */
bool sg_unwind_tables_close(void);

/* Close, in a forked child, where no reader is inside. */
void sg_unwind_tables_after_fork_in_child(void);

/* ---- Readers: any thread, async-signal-safe ---- */

/* The map stays until leave. NULL = there is none; then nothing is to be left. */
const struct sg_unwind_map *sg_unwind_tables_enter(void);
void sg_unwind_tables_leave(void);
/* Whether two addresses are in one object. */
bool sg_unwind_tables_share(const struct sg_unwind_map *map, uintptr_t one, uintptr_t other);
/* The rule at `pc`; SG_UNWIND_RULE_UNKNOWN if there is none. */
sg_unwind_rule_id sg_unwind_tables_find(const struct sg_unwind_map *map, uintptr_t pc);

#endif
