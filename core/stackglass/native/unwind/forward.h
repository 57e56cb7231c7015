/* Forward rules: rules of code without rows, found by decoding it.
 *
 *     handler: pc without a row ─▶ table ─▶ rule
 *                  └─ not there ─▶ misses ─▶ engine thread: forward walk ─▶ table
 *
 * The engine's thread decodes, within a tenth of a second of the first sample there; a handler only
 * looks up. So it reads no code that may be unmapped, and its cost has a bound. One walk gives the
 * rules of all instructions that it visits. */
#ifndef STACKGLASS_UNWIND_FORWARD_H
#define STACKGLASS_UNWIND_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/tables.h"

/* ---- One engine thread ---- */

/* 0, or -1 if memory runs out. After the tables are open. */
int sg_unwind_forward_open(void);
/* Decode what was missed, for some milliseconds at most. `now_ns`: CLOCK_MONOTONIC. */
void sg_unwind_forward_maintain(int64_t now_ns);
/* Unmap everything. No reader is inside the tables. */
void sg_unwind_forward_close(void);

/* ---- Readers, inside the tables; any thread, async-signal-safe ---- */

/* The rule of a frame whose next instruction is at `pc`; SG_UNWIND_RULE_UNKNOWN if none is known,
 * perhaps not yet. */
sg_unwind_rule_id sg_unwind_forward_find(uintptr_t pc);
/* Whether `pc` can be where a function returns to: it is in known code, behind a call. */
bool sg_unwind_forward_may_return_to(const struct sg_unwind_map *map, uintptr_t pc);

#endif
