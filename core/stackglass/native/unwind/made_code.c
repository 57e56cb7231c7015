/* Watches code by a hash of its bytes. */
#include "unwind/made_code.h"

#include "platform/mappings.h"
#include "platform/memory.h"
#include "platform/permitted_calls.h"

enum { MOST_WATCHED = 128, MOST_BYTES = 1 << 18, PIECE_BYTES = 4096 };
static const int64_t PERIOD_NS = 1000 * 1000 * 1000;

/* Used by the one engine thread only. */
static struct watched {
    uintptr_t low, high;
    uint64_t hash;
} watched[MOST_WATCHED];
static uint32_t n_watched;
static int64_t compared_ns;

/* Uses only the read that cannot fault, because the memory may be unmapped at any moment. */
bool sg_made_code_read(void *context, uintptr_t address, void *copy, size_t size) {
    (void)context;
    return sg_permitted_calls_may(SG_CALL_PROCESS_VM) && sg_memory_read(address, copy, size);
}

bool sg_made_code_find(uintptr_t pc, uintptr_t *low, uintptr_t *high) {
    return sg_permitted_calls_may(SG_CALL_PROCESS_VM) && sg_mappings_find_executable(pc, low, high);
}

/* Hash the bytes of [low, high). Returns false if some of them cannot be read. */
static bool hash_bytes(uintptr_t low, uintptr_t high, uint64_t *hash) {
    enum { N_WORDS = PIECE_BYTES / sizeof(uint64_t) };
    uint64_t words[N_WORDS];
    *hash = UINT64_C(0xcbf29ce484222325);
    for (uintptr_t at = low; at < high; at += PIECE_BYTES) {
        size_t n = high - at < PIECE_BYTES ? high - at : PIECE_BYTES;
        words[n / sizeof *words % N_WORDS] = 0; /* the last word may be read in part */
        if (!sg_made_code_read(NULL, at, words, n))
            return false;
        for (size_t i = 0; i < (n + sizeof *words - 1) / sizeof *words; i++)
            *hash = (*hash ^ words[i] ^ words[i] >> 32) * UINT64_C(0x100000001b3);
    }
    return true;
}

bool sg_made_code_watch(uintptr_t low, uintptr_t high) {
    struct watched *last = &watched[n_watched];
    if (n_watched == MOST_WATCHED || high - low > MOST_BYTES || !hash_bytes(low, high, &last->hash))
        return false;
    last->low = low;
    last->high = high;
    n_watched++;
    return true;
}

bool sg_made_code_is_same(int64_t now_ns) {
    uint64_t hash;
    if (!n_watched || now_ns - compared_ns < PERIOD_NS)
        return true;
    compared_ns = now_ns;
    for (uint32_t i = 0; i < n_watched; i++)
        if (!hash_bytes(watched[i].low, watched[i].high, &hash) || hash != watched[i].hash)
            return false;
    return true;
}

void sg_made_code_forget(void) { n_watched = 0; }
