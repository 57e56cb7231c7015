/* All texts lie in one array and are found by a hash index. A spin lock (`is_claimed`) guards
 * adding. Reading needs no lock, because a text with a number is constant. */
#include "trace/names.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "platform/futex.h"
#include "platform/hash_index.h"
#include "platform/memory.h"

enum { TEXT_BYTES = 8 << 20, PAUSE_NS = 20 * 1000, LONGEST_TEXT = 1000 };

/* Guarded by `is_claimed`; a text is constant once it has a number. */
static _Atomic bool is_claimed;
static char *texts; /* NUL-terminated, one behind the other */
static size_t n_bytes;
static uint32_t *starts; /* (n_names + 1,) */
static _Atomic uint32_t n_names;
static struct sg_hash_index numbers;

static void claim(void) {
    while (atomic_exchange(&is_claimed, true))
        sg_futex_sleep_ns(PAUSE_NS);
}

static void release(void) { atomic_store(&is_claimed, false); }

static uint32_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(1099511628211);
    return (uint32_t)sg_hash_index_mix(hash, 0);
}

static bool is_equal(uint32_t number, const void *text) {
    return strcmp(sg_trace_names_text(number), text) == 0;
}

static uint32_t add(const char *text) {
    uint32_t hash = hash_text(text);
    uint32_t number = sg_hash_index_find(&numbers, hash, is_equal, text);
    size_t size = strlen(text) + 1;
    if (number != UINT32_MAX)
        return number;
    number = atomic_load(&n_names) + 1;
    if (number > SG_MOST_NAMES || n_bytes + size > TEXT_BYTES || !sg_hash_index_reserve(&numbers))
        return SG_NO_NAME;
    memcpy(texts + n_bytes, text, size);
    starts[number] = (uint32_t)n_bytes;
    n_bytes += size;
    sg_hash_index_put(&numbers, hash, number);
    atomic_store_explicit(&n_names, number, memory_order_release);
    return number;
}

uint32_t sg_trace_names_add(const char *text) {
    char copy[LONGEST_TEXT + 1];
    strncpy(copy, text, LONGEST_TEXT);
    copy[LONGEST_TEXT] = '\0';
    claim();
    uint32_t number = texts ? add(copy) : SG_NO_NAME;
    release();
    return number;
}

const char *sg_trace_names_text(uint32_t number) { return texts + starts[number]; }

int sg_trace_names_prepare(void) {
    texts = sg_memory_map(TEXT_BYTES);
    starts = sg_memory_map((SG_MOST_NAMES + 1) * sizeof *starts);
    n_bytes = 0;
    atomic_store(&n_names, 0);
    if (texts && starts && sg_hash_index_reserve(&numbers))
        return 0;
    sg_trace_names_discard();
    return -1;
}

void sg_trace_names_discard(void) {
    SG_MEMORY_DROP(texts, TEXT_BYTES);
    SG_MEMORY_DROP(starts, (SG_MOST_NAMES + 1) * sizeof *starts);
    sg_hash_index_discard(&numbers);
}

void sg_trace_names_after_fork_in_child(void) {
    memset(&numbers, 0, sizeof numbers);
    texts = NULL;
    starts = NULL;
    release();
}
