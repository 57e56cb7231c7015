/* Unwind rules (rule.h) by number: a table of all distinct ones.
 *
 *     engine's thread: rule ──intern──▶ number ──▶ rows of the unwind tables
 *     signal handlers:                  number ──get──▶ rule
 *
 * A number keeps its rule until sg_unwind_rules_discard. */
#ifndef STACKGLASS_UNWIND_RULES_H
#define STACKGLASS_UNWIND_RULES_H

#include "unwind/rule.h"

/* Number 0 is the rule SG_CFA_UNKNOWN. A number has 16 bits. */
enum { SG_UNWIND_RULE_UNKNOWN = 0, SG_UNWIND_MOST_RULES = 1 << 16 };

/* Map the table, unless it is mapped. Returns 0, or -1 if memory runs out. */
int sg_unwind_rules_prepare(void);
/* Return the number of a rule, which is added if it is new; SG_UNWIND_RULE_UNKNOWN if there is no
 * room. */
sg_unwind_rule_id sg_unwind_rules_intern(const struct sg_unwind_rule *rule);
/* Return the rule of a number. Async-signal-safe. */
const struct sg_unwind_rule *sg_unwind_rules_get(sg_unwind_rule_id id);
uint32_t sg_unwind_rules_count(void);
/* Unmap the table. No handler may run. */
void sg_unwind_rules_discard(void);
/* Forget the table without unmapping it. */
void sg_unwind_rules_forget(void);

#endif
