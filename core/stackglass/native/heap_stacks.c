/* Stacks, each once: see heap_stacks.h.
 *
 *     number = where it begins, in words from the first chunk's start; chunks are 1 MiB each */
#include "heap_stacks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "heap_index.h"
#include "memory.h"

enum {
    CHUNK_BITS = 20,
    CHUNK_BYTES = 1 << CHUNK_BITS,
    MAX_CHUNKS = 2048,
    WORD = sizeof(struct sg_frame),
    WORD_BITS = CHUNK_BITS - 3,
};

/* Guarded by the claim; the counters are read by anyone. */
static char *chunks[MAX_CHUNKS];
static uint32_t n_chunks, n_used; /* of the last chunk: bytes */
static struct sg_heap_index stack_index;
static _Atomic uint32_t n_stacks;
static _Atomic uint64_t n_bytes;

static const struct sg_heap_stack *stack_at(uint32_t number) {
    uint32_t offset = (number & ((1u << WORD_BITS) - 1)) * WORD;
    return (const struct sg_heap_stack *)(chunks[number >> WORD_BITS] + offset);
}

/* Two chains that do not wait for each other: half of the frames' latency. */
uint64_t sg_heap_stack_hash(const struct sg_frame *frames, uint32_t depth) {
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15), other = UINT64_C(0xC2B2AE3D27D4EB4F);
    uint64_t even_hash = depth * odd, odd_hash = other, pair[2] = {0, 0};
    uint32_t i = 0;
    for (; i + 2 <= depth; i += 2) {
        memcpy(pair, frames + i, sizeof pair);
        even_hash = (even_hash ^ pair[0]) * odd;
        odd_hash = (odd_hash ^ pair[1]) * other;
        even_hash ^= even_hash >> 32;
        odd_hash ^= odd_hash >> 32;
    }
    if (i < depth) {
        memcpy(pair, frames + i, sizeof *pair);
        even_hash = (even_hash ^ pair[0]) * odd;
    }
    uint64_t hash = (even_hash ^ (odd_hash << 1)) * odd;
    return hash ^ (hash >> 29);
}

struct wanted {
    uint64_t hash;
    const struct sg_frame *frames;
    uint32_t depth;
};

static bool is_equal(uint32_t number, const void *key) {
    const struct wanted *wanted = key;
    const struct sg_heap_stack *stack = stack_at(number);
    return stack->hash == wanted->hash && stack->depth == wanted->depth &&
           memcmp(stack->frames, wanted->frames, wanted->depth * sizeof *stack->frames) == 0;
}

static uint64_t hash_of(uint32_t number) { return stack_at(number)->hash; }

static bool open_chunk(void) {
    if (n_chunks == MAX_CHUNKS || !(chunks[n_chunks] = sg_memory_map(CHUNK_BYTES)))
        return false;
    n_chunks++;
    n_used = 0;
    atomic_fetch_add(&n_bytes, CHUNK_BYTES);
    return true;
}

const struct sg_heap_stack *sg_heap_stacks_intern(uint64_t hash, const struct sg_frame *frames,
                                                  uint32_t depth) {
    struct wanted wanted = {hash, frames, depth};
    uint32_t size = (uint32_t)(sizeof(struct sg_heap_stack) + depth * sizeof *frames);
    if (!sg_heap_index_reserve(&stack_index, hash_of))
        return NULL;
    uint32_t number = sg_heap_index_find(&stack_index, hash, is_equal, &wanted);
    if (number != UINT32_MAX)
        return stack_at(number);
    if ((!n_chunks || n_used + size > CHUNK_BYTES) && !open_chunk())
        return NULL;
    number = (n_chunks - 1) << WORD_BITS | n_used / WORD;
    struct sg_heap_stack *stack = (struct sg_heap_stack *)(chunks[n_chunks - 1] + n_used);
    n_used += size;
    stack->hash = hash;
    stack->depth = depth;
    if (depth)
        memcpy(stack->frames, frames, depth * sizeof *frames);
    sg_heap_index_put(&stack_index, hash, number);
    atomic_fetch_add(&n_stacks, 1);
    return stack;
}

uint32_t sg_heap_stacks_count(void) { return atomic_load(&n_stacks); }

uint64_t sg_heap_stacks_bytes(void) {
    return atomic_load(&n_bytes) + stack_index.capacity * sizeof *stack_index.entries;
}

void sg_heap_stacks_discard(void) {
    for (uint32_t i = 0; i < n_chunks; i++)
        sg_memory_unmap(chunks[i], CHUNK_BYTES);
    n_chunks = n_used = 0;
    sg_heap_index_discard(&stack_index);
    atomic_store(&n_stacks, 0);
    atomic_store(&n_bytes, 0);
}
