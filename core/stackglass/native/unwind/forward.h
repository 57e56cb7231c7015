/* Forward rules: unwind rules of code without rows, found by decoding the code.
 *
 *     handler: pc without a row ─▶ table ─▶ rule
 *                  └─ not there ─▶ misses ─▶ engine thread: forward walk ─▶ table
 *
 * The engine's thread decodes code within a tenth of a second after the first sample in it; a
 * handler only looks it up. So a handler reads no code that may be unmapped, and its cost is
 * bounded. One walk gives the rules of all instructions that it visits. */
#ifndef STACKGLASS_UNWIND_FORWARD_H
#define STACKGLASS_UNWIND_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/tables.h"

/* ---- One engine thread ---- */

/* Map the table, after the unwind tables are open. Returns 0, or -1 if memory runs out. */
int sg_unwind_forward_open(void);
/* Decode the code at missed addresses, for some milliseconds at most. `now_ns`: CLOCK_MONOTONIC. */
void sg_unwind_forward_maintain(int64_t now_ns);
/* Unmap everything. No reader may be inside the tables. */
void sg_unwind_forward_close(void);
/* Forget everything without unmapping it. */
void sg_unwind_forward_forget(void);

/* ---- Readers, inside the tables; any thread, async-signal-safe ---- */

/* Return the rule of a frame with its next instruction at `pc`; SG_UNWIND_RULE_UNKNOWN if none is
 * known, perhaps not yet. */
sg_unwind_rule_id sg_unwind_forward_find(uintptr_t pc);
/* Return whether `pc` can be a return address: it is in known code, behind a call. */
bool sg_unwind_forward_may_return_to(const struct sg_unwind_map *map, uintptr_t pc);

#endif
