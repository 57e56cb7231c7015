/* Parts of the loop are functions that its code jumps to more than once, under the same unwind rule
 * on both sides of the jump. The opcodes are x86-64's. */
#include "unwind/loop.h"

#include <stdatomic.h>
#include <string.h>

#include "interpreter/python_symbols.h"
#include "platform/elf_functions.h"
#include "platform/memory.h"

enum {
    MOST_PARTS = 4,
    MOST_CANDIDATES = 32,
    LEAST_JUMPS = 2, /* other bytes may look like a jump once */
    PIECE_BYTES = 1 << 14,
    JUMP = 0xe9, /* jmp with a 32-bit distance */
    CONDITION_PREFIX = 0x0f,
    CONDITION = 0x80, /* 0F 80 to 0F 8F: jcc */
    MOST_JUMP_BYTES = 6,
    SMALLEST_LOOP_BYTES = 0x2000, /* a smaller loop only calls the functions of instructions */
    LARGEST_LOOP_BYTES = 1 << 20,
};

struct part {
    uintptr_t start, end;
};

/* Lock-free: the parts are written once, before their number. The first part is the function
 * itself. */
static struct part parts[MOST_PARTS];
static _Atomic uint32_t n_parts;
static _Atomic bool has_functions;

struct candidate {
    struct part part;
    int n_jumps;
};

struct search {
    const struct sg_unwind_map *map;
    struct candidate candidates[MOST_CANDIDATES];
    int n;
};

/* Return the length of the jump at `code`, or 0 if there is none; `to` gets its target. */
static int read_jump(const uint8_t *code, uintptr_t address, uintptr_t *to) {
    int prefix = code[0] == JUMP                                                ? 1
                 : code[0] == CONDITION_PREFIX && (code[1] & 0xf0) == CONDITION ? 2
                                                                                : 0;
    int32_t distance;
    memcpy(&distance, code + prefix, sizeof distance);
    *to = address + (uintptr_t)prefix + sizeof distance + (uintptr_t)(intptr_t)distance;
    return prefix ? prefix + (int)sizeof distance : 0;
}

static bool is_like(const struct sg_unwind_rule *one, const struct sg_unwind_rule *other) {
    return !memcmp(one, other, sizeof *one);
}

/* Return whether the function at `start` begins with the frame layout of `rule`. A real function
 * begins with the CFA that its caller leaves, a part of another one with the CFA in that one's
 * middle. */
static bool begins_within(const struct search *search, uintptr_t start, sg_unwind_rule_id rule) {
    return is_like(sg_unwind_rules_get(sg_unwind_tables_find(search->map, start)),
                   sg_unwind_rules_get(rule));
}

/* Count a jump out of the loop as a vote for the function that it leads to. */
static void vote(struct search *search, uintptr_t from, uintptr_t to) {
    struct sg_elf_function found;
    sg_unwind_rule_id rule = sg_unwind_tables_find(search->map, from);
    if (rule == SG_UNWIND_RULE_UNKNOWN || sg_unwind_tables_find(search->map, to) != rule)
        return;
    for (int i = 0; i < search->n; i++) {
        struct candidate *known = &search->candidates[i];
        if (to - known->part.start < known->part.end - known->part.start) {
            known->n_jumps++;
            return;
        }
    }
    if (search->n == MOST_CANDIDATES || !sg_elf_functions_find(to, &found) || !found.has_row)
        return;
    struct part part = {found.from, found.to};
    if (to - part.start < part.end - part.start && begins_within(search, part.start, rule))
        search->candidates[search->n++] = (struct candidate){part, 1};
}

static void scan(struct search *search, struct part loop) {
    uint8_t code[PIECE_BYTES];
    for (uintptr_t at = loop.start; at + MOST_JUMP_BYTES <= loop.end;
         at += PIECE_BYTES - MOST_JUMP_BYTES + 1) {
        size_t n = loop.end - at < PIECE_BYTES ? loop.end - at : PIECE_BYTES;
        if (!sg_memory_read(at, code, n))
            return;
        for (size_t i = 0; i + MOST_JUMP_BYTES <= n; i++) {
            uintptr_t to;
            int n_bytes = read_jump(code + i, at + i, &to);
            if (n_bytes && to - loop.start >= loop.end - loop.start)
                vote(search, at + i, to);
        }
    }
}

void sg_loop_learn(const struct sg_unwind_map *map) {
    struct search search = {.map = map};
    struct part loop = {sg_python_symbols.eval_start, sg_python_symbols.eval_end};
    uint32_t n = 0;
    if (atomic_load(&n_parts) || loop.end - loop.start > LARGEST_LOOP_BYTES)
        return;
    scan(&search, loop);
    parts[n++] = loop;
    uintptr_t n_bytes = loop.end - loop.start;
    for (int i = 0; i < search.n && n < MOST_PARTS; i++) {
        if (search.candidates[i].n_jumps >= LEAST_JUMPS) {
            parts[n++] = search.candidates[i].part;
            n_bytes += search.candidates[i].part.end - search.candidates[i].part.start;
        }
    }
    atomic_store(&has_functions, n_bytes < SMALLEST_LOOP_BYTES);
    atomic_store(&n_parts, n);
}

bool sg_loop_holds(uintptr_t code) {
    uint32_t n = atomic_load_explicit(&n_parts, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++)
        if (code - parts[i].start < parts[i].end - parts[i].start)
            return true;
    return false;
}

bool sg_loop_has_functions(void) {
    return atomic_load_explicit(&has_functions, memory_order_relaxed);
}

void sg_loop_forget(void) { atomic_store(&n_parts, 0); }
