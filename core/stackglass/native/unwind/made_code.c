/* A list of watched ranges and the hashes of their bytes. Walks from several addresses of one
 * function overlap: they share a range, which grows. */
#include "unwind/made_code.h"

#include "platform/mappings.h"
#include "platform/memory.h"
#include "platform/permitted_calls.h"
#include "platform/time.h"

enum {
    MOST_WATCHED = 1024,
    MOST_BYTES = 1 << 18,        /* of a range */
    MOST_BYTES_IN_ALL = 1 << 25, /* of all ranges */
    PIECE_BYTES = 4096,
};
static const int64_t PERIOD_NS = 1000 * 1000 * 1000;

/* Used by the one engine thread only. */
static struct watched {
    uintptr_t low, high;
    uint64_t hash;
} watched[MOST_WATCHED];
static uint32_t n_watched;
static uint32_t n_compared; /* of them, in the present round of comparing */
static size_t n_bytes;      /* of all ranges */
static bool is_full;        /* there was no room for a range */
static int64_t round_ns;    /* beginning of the round; 0 = none yet */

/* The code may be unmapped at any moment, so it is copied by a system call that fails then. */
bool sg_made_code_read(void *context, uintptr_t address, void *copy, size_t size) {
    (void)context;
    return sg_permitted_calls_may(SG_CALL_PROCESS_VM) && sg_memory_read(address, copy, size);
}

bool sg_made_code_find(uintptr_t pc, uintptr_t *low, uintptr_t *high) {
    return sg_permitted_calls_may(SG_CALL_PROCESS_VM) && sg_mappings_find_executable(pc, low, high);
}

bool sg_made_code_hash(uintptr_t low, uintptr_t high, uint64_t *hash) {
    enum { N_WORDS = PIECE_BYTES / sizeof(uint64_t) };
    uint64_t words[N_WORDS];
    if (low >= high || high - low > MOST_BYTES)
        return false;
    *hash = UINT64_C(0xcbf29ce484222325);
    for (uintptr_t at = low; at < high; at += PIECE_BYTES) {
        size_t n = high - at < PIECE_BYTES ? high - at : PIECE_BYTES;
        words[n / sizeof *words % N_WORDS] = 0; /* reading may fill only a part of the last word */
        if (!sg_made_code_read(NULL, at, words, n))
            return false;
        for (size_t i = 0; i < (n + sizeof *words - 1) / sizeof *words; i++)
            *hash = (*hash ^ words[i] ^ words[i] >> 32) * UINT64_C(0x100000001b3);
    }
    return true;
}

static bool is_unchanged(const struct watched *range) {
    uint64_t hash;
    return sg_made_code_hash(range->low, range->high, &hash) && hash == range->hash;
}

/* Return a watched range with bytes of [low, high), or NULL. */
static struct watched *find_overlapping(uintptr_t low, uintptr_t high) {
    for (uint32_t i = 0; i < n_watched; i++)
        if (watched[i].low < high && low < watched[i].high)
            return &watched[i];
    return NULL;
}

/* Let a watched range include `more`, which overlaps it. Returns false if it would be too large, or
 * if the code of either has changed. */
static bool widen(struct watched *range, const struct watched *more) {
    struct watched both = {
        .low = more->low < range->low ? more->low : range->low,
        .high = more->high > range->high ? more->high : range->high,
    };
    if (both.low == range->low && both.high == range->high)
        return is_unchanged(more);
    /* Hashed first: if neither part has changed afterwards, this is the hash of both. */
    if (!sg_made_code_hash(both.low, both.high, &both.hash) || !is_unchanged(range) ||
        !is_unchanged(more))
        return false;
    n_bytes += (both.high - both.low) - (range->high - range->low);
    *range = both;
    return true;
}

bool sg_made_code_watch(uintptr_t low, uintptr_t high, uint64_t hash) {
    struct watched range = {low, high, hash};
    struct watched *overlapping = find_overlapping(low, high);
    if (overlapping && widen(overlapping, &range))
        return true;
    if (!is_unchanged(&range))
        return false;
    if (n_watched == MOST_WATCHED || n_bytes + (high - low) > MOST_BYTES_IN_ALL) {
        is_full = true;
        return false;
    }
    watched[n_watched++] = range;
    n_bytes += high - low;
    return true;
}

bool sg_made_code_is_valid(int64_t now_ns, int64_t end_ns) {
    if (is_full)
        return false;
    if (n_compared == n_watched && now_ns - round_ns >= PERIOD_NS) {
        n_compared = 0;
        round_ns = now_ns;
    }
    while (n_compared < n_watched) {
        if (!is_unchanged(&watched[n_compared++]))
            return false;
        if (sg_time_mono_ns() >= end_ns)
            break;
    }
    return true;
}

void sg_made_code_forget(void) {
    n_watched = n_compared = 0;
    n_bytes = 0;
    is_full = false;
    round_ns = 0;
}
