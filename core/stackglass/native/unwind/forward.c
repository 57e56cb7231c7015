/* A hash table that handlers read without a lock. One engine thread fills it with the addresses
 * that handlers missed. */
#include "unwind/forward.h"

#include <stdatomic.h>

#include "platform/memory.h"
#include "platform/time.h"
#include "unwind/forward_rule.h"
#include "unwind/forward_walk.h"
#include "unwind/instruction.h"
#include "unwind/loaded_objects.h"
#include "unwind/made_code.h"
#include "unwind/register_effect.h"

enum {
    TABLE_BITS = 17,
    MOST_PROBES = 16,
    MOST_ENTRIES = (1 << TABLE_BITS) / 2,
    N_MISSES = 64, /* missed addresses that are remembered */
    RULE_BITS = 16,
    ADDRESS_BITS = 47,         /* bits of an address of user space */
    STEP_NS = 3 * 1000 * 1000, /* limit of one call of sg_unwind_forward_maintain */
    MOST_CALL_BYTES = 7,       /* without prefixes */
    LEAST_CALL_BYTES = 2,
};
static const uint64_t IS_BEHIND_CALL = UINT64_C(1) << 63;

/* Lock-free; set by sg_unwind_forward_open. (1 << TABLE_BITS,), open addressing: │ it is behind a
 * call: 1 bit │ address: 47 │ rule: 16, unknown = it cannot be found │; 0 = empty. Entries are
 * added one by one, and removed all at once. */
static _Atomic uint64_t *table;
/* missed addresses, indexed by 6 bits of their hash; 0 = none */
static _Atomic uint64_t misses[N_MISSES];

/* Used by the one engine thread only. */
struct workshop {
    struct sg_forward_walk walk;
    struct sg_code_bytes code;
};
static struct workshop *workshop; /* mapped */
static uint32_t n_entries;
static bool is_full;        /* there was no place for an entry */
static uint32_t generation; /* generation of the unwind tables when the entries were made */

static uint64_t mix(uintptr_t pc) { return pc * UINT64_C(0x9E3779B97F4A7C15); }

/* ---- Readers ---- */

/* Return the entry of an address; 0 = there is none. */
static uint64_t find_entry(uintptr_t pc) {
    uint64_t place = mix(pc) >> (64 - TABLE_BITS);
    for (int i = 0; i < MOST_PROBES; i++, place = (place + 1) % (1 << TABLE_BITS)) {
        uint64_t entry = atomic_load_explicit(&table[place], memory_order_acquire);
        if (!entry || (entry & ~IS_BEHIND_CALL) >> RULE_BITS == pc)
            return entry;
    }
    return 0;
}

static uint64_t find_or_miss(uintptr_t pc) {
    if (!pc || pc >> ADDRESS_BITS)
        return 0;
    uint64_t entry = find_entry(pc);
    if (!entry)
        atomic_store_explicit(&misses[mix(pc) >> 58], pc, memory_order_relaxed);
    return entry;
}

sg_unwind_rule_id sg_unwind_forward_find(uintptr_t pc) {
    return (sg_unwind_rule_id)find_or_miss(pc);
}

static bool ends_with_call(const uint8_t bytes[MOST_CALL_BYTES]) {
    struct sg_instruction instruction;
    for (size_t n = LEAST_CALL_BYTES; n <= MOST_CALL_BYTES; n++)
        if (sg_instruction_decode(bytes + MOST_CALL_BYTES - n, n, &instruction) &&
            instruction.length == n && sg_register_effect_find(&instruction).kind == SG_EFFECT_CALL)
            return true;
    return false;
}

/* Code of a library is read in place: it has a row, so it is loaded. */
bool sg_unwind_forward_may_return_to(const struct sg_unwind_map *map, uintptr_t pc) {
    uint8_t bytes[MOST_CALL_BYTES];
    if (sg_unwind_tables_find(map, pc - 1) == SG_UNWIND_RULE_UNKNOWN) {
        uint64_t entry = find_or_miss(pc);
        return entry & IS_BEHIND_CALL && (sg_unwind_rule_id)entry != SG_UNWIND_RULE_UNKNOWN;
    }
    return sg_unwind_tables_share(map, pc - 1, pc - MOST_CALL_BYTES) &&
           sg_memory_read_probed(pc - MOST_CALL_BYTES, bytes, sizeof bytes) &&
           ends_with_call(bytes);
}

/* ---- The engine thread ---- */

int sg_unwind_forward_open(void) {
    if (!table)
        table = sg_memory_map(sizeof *table << TABLE_BITS);
    if (!workshop)
        workshop = sg_memory_map(sizeof *workshop);
    if (table && workshop)
        return 0;
    sg_unwind_forward_close();
    return -1;
}

void sg_unwind_forward_close(void) {
    if (table)
        sg_memory_unmap((void *)table, sizeof *table << TABLE_BITS);
    sg_memory_unmap(workshop, sizeof *workshop);
    sg_unwind_forward_forget();
}

void sg_unwind_forward_forget(void) {
    table = NULL;
    workshop = NULL;
    n_entries = 0;
    is_full = false;
    for (int i = 0; i < N_MISSES; i++)
        atomic_store_explicit(&misses[i], 0, memory_order_relaxed);
    sg_made_code_forget();
}

static void clear(void) {
    for (uint32_t i = 0; i < 1 << TABLE_BITS; i++)
        if (atomic_load_explicit(&table[i], memory_order_relaxed))
            atomic_store_explicit(&table[i], 0, memory_order_relaxed);
    n_entries = 0;
    is_full = false;
    sg_made_code_forget();
}

/* Add an entry. If the address has one already, that entry stays. */
static void add(uintptr_t pc, bool is_behind_call, sg_unwind_rule_id rule) {
    uint64_t place = mix(pc) >> (64 - TABLE_BITS);
    uint64_t entry = (is_behind_call ? IS_BEHIND_CALL : 0) | (uint64_t)pc << RULE_BITS | rule;
    if (find_entry(pc))
        return;
    for (int i = 0; i < MOST_PROBES; i++, place = (place + 1) % (1 << TABLE_BITS)) {
        if (!atomic_load_explicit(&table[place], memory_order_relaxed)) {
            atomic_store_explicit(&table[place], entry, memory_order_release);
            n_entries++;
            return;
        }
    }
    is_full = true;
}

static const struct sg_unwind_rule *find_row(void *context, uintptr_t pc) {
    sg_unwind_rule_id rule = sg_unwind_tables_find(context, pc);
    return rule == SG_UNWIND_RULE_UNKNOWN ? NULL : sg_unwind_rules_get(rule);
}

static bool read_library(void *context, uintptr_t address, void *copy, size_t size) {
    return sg_loaded_objects_read(context, address, copy, size);
}

static bool is_behind_call(struct sg_code_bytes *code, uintptr_t pc) {
    uint8_t bytes[MOST_CALL_BYTES];
    return sg_code_bytes_copy(code, pc - sizeof bytes, bytes, sizeof bytes) == sizeof bytes &&
           ends_with_call(bytes);
}

/* Add the rules of all visited instructions, so that samples in the rest of a loop find theirs,
 * too. */
static void add_visits(const struct sg_forward_walk *walk) {
    for (uint32_t i = 0; i < walk->n_visits; i++) {
        const struct sg_forward_visit *visit = &walk->visits[i];
        struct sg_unwind_rule rule;
        if (sg_forward_rule_find(walk, visit, &rule))
            add(visit->address, visit->is_behind_call, sg_unwind_rules_intern(&rule));
    }
}

struct range {
    uintptr_t low, high;
};

/* Return the range of the visited instructions, of which there is at least one. */
static struct range find_range(const struct sg_forward_walk *walk) {
    uint8_t bytes[SG_INSTRUCTION_BYTES];
    struct sg_instruction last;
    struct range range = {UINTPTR_MAX, 0};
    for (uint32_t i = 0; i < walk->n_visits; i++) {
        uintptr_t address = walk->visits[i].address;
        range.low = address < range.low ? address : range.low;
        range.high = address > range.high ? address : range.high;
    }
    size_t n = sg_code_bytes_copy(walk->code, range.high, bytes, sizeof bytes);
    range.high += sg_instruction_decode(bytes, n, &last) ? last.length : 1;
    return range;
}

/* Walk through code that no library owns, and watch it. A JIT compiler may replace it meanwhile. So
 * the first walk finds the range to watch, and only the second is used: its range has the same hash
 * before and after it. Returns false if there are no rules. */
static bool walk_made_code(struct sg_forward_walk *walk, struct sg_code_bytes *code,
                           const struct sg_unwind_map *map, uintptr_t pc, bool has_call) {
    uint64_t hash;
    if (!sg_forward_walk_run(walk, code, find_row, (void *)map, pc, has_call))
        return false;
    struct range first = find_range(walk);
    if (!sg_made_code_hash(first.low, first.high, &hash))
        return false;
    sg_code_bytes_begin(code, code->low, code->high, code->read, code->context);
    if (!sg_forward_walk_run(walk, code, find_row, (void *)map, pc, has_call))
        return false;
    struct range second = find_range(walk);
    return second.low == first.low && second.high == first.high &&
           sg_made_code_watch(first.low, first.high, hash);
}

/* Walk from a missed address, and add the rules of the visited instructions. */
static void learn(const struct sg_unwind_map *map, uintptr_t pc) {
    struct sg_code_bytes *code = &workshop->code;
    struct sg_forward_walk *walk = &workshop->walk;
    struct sg_loaded_object object;
    uintptr_t low, high;
    bool is_loaded = sg_unwind_tables_find_object(map, pc, &object), has_call = false, is_known;
    if (is_loaded)
        sg_code_bytes_begin(code, object.start, object.end, read_library, &object);
    else if (sg_made_code_find(pc, &low, &high))
        sg_code_bytes_begin(code, low, high, sg_made_code_read, NULL);
    else
        code = NULL;
    if (code) {
        has_call = is_behind_call(code, pc);
        is_known = is_loaded ? sg_forward_walk_run(walk, code, find_row, (void *)map, pc, has_call)
                             : walk_made_code(walk, code, map, pc, has_call);
        if (is_known)
            add_visits(walk);
    }
    add(pc, has_call, SG_UNWIND_RULE_UNKNOWN); /* keeps the entry that the walk has added, if any */
}

void sg_unwind_forward_maintain(int64_t now_ns) {
    int64_t start_ns = sg_time_mono_ns();
    const struct sg_unwind_map *map = workshop ? sg_unwind_tables_enter() : NULL;
    if (!map)
        return;
    uint32_t now = sg_unwind_tables_generation();
    if (now != generation || n_entries > MOST_ENTRIES || is_full ||
        !sg_made_code_is_valid(now_ns, start_ns + STEP_NS / 2))
        clear();
    generation = now;
    bool has_time = true;
    for (int i = 0; i < N_MISSES && has_time; i++) {
        uintptr_t pc = atomic_exchange_explicit(&misses[i], 0, memory_order_relaxed);
        if (pc) {
            learn(map, pc);
            has_time = sg_time_mono_ns() < start_ns + STEP_NS;
        }
    }
    sg_unwind_tables_leave();
}
