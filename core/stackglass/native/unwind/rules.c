/* An array of rules, and a hash index that finds an equal rule. */
#include "unwind/rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "platform/hash_index.h"
#include "platform/memory.h"

/* Lock-free. One thread interns rules. Handlers read only rules with numbers from a published
 * table, and those rules do not change. */
static struct sg_unwind_rule *rules; /* (SG_UNWIND_MOST_RULES,) */
static struct sg_hash_index by_hash;
static uint32_t n_rules;

static uint32_t hash_of(const struct sg_unwind_rule *rule) {
    uint64_t kinds =
        rule->cfa | (uint64_t)rule->cfa_register << 8 | (uint64_t)rule->frame_pointer << 16;
    return (uint32_t)sg_hash_index_mix(kinds << 32 | (uint32_t)rule->cfa_offset,
                                       (uint64_t)(uint32_t)rule->cfa_addend << 32 |
                                           (uint32_t)rule->frame_pointer_offset);
}

static bool is_equal(uint32_t number, const void *key) {
    const struct sg_unwind_rule *rule = key, *known = &rules[number];
    return rule->cfa == known->cfa && rule->cfa_register == known->cfa_register &&
           rule->frame_pointer == known->frame_pointer && rule->cfa_offset == known->cfa_offset &&
           rule->cfa_addend == known->cfa_addend &&
           rule->frame_pointer_offset == known->frame_pointer_offset;
}

int sg_unwind_rules_prepare(void) {
    if (rules)
        return 0;
    rules = sg_memory_map(SG_UNWIND_MOST_RULES * sizeof *rules);
    n_rules = 0;
    if (!rules || !sg_hash_index_reserve(&by_hash)) {
        sg_unwind_rules_discard();
        return -1;
    }
    sg_unwind_rules_intern(&(struct sg_unwind_rule){.cfa = SG_CFA_UNKNOWN});
    return 0;
}

sg_unwind_rule_id sg_unwind_rules_intern(const struct sg_unwind_rule *rule) {
    uint32_t hash = hash_of(rule);
    uint32_t number = sg_hash_index_find(&by_hash, hash, is_equal, rule);
    if (number != UINT32_MAX)
        return (sg_unwind_rule_id)number;
    if (n_rules == SG_UNWIND_MOST_RULES || !sg_hash_index_reserve(&by_hash))
        return SG_UNWIND_RULE_UNKNOWN;
    rules[n_rules] = *rule;
    sg_hash_index_put(&by_hash, hash, n_rules);
    return (sg_unwind_rule_id)n_rules++;
}

const struct sg_unwind_rule *sg_unwind_rules_get(sg_unwind_rule_id id) { return &rules[id]; }

uint32_t sg_unwind_rules_count(void) { return n_rules; }

void sg_unwind_rules_discard(void) {
    sg_memory_unmap(rules, SG_UNWIND_MOST_RULES * sizeof *rules);
    sg_hash_index_discard(&by_hash);
    sg_unwind_rules_forget();
}

void sg_unwind_rules_forget(void) {
    rules = NULL;
    memset(&by_hash, 0, sizeof by_hash);
    n_rules = 0;
}
