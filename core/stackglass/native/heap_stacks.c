/* The tree of stacks: see heap_stacks.h. */
#include "heap_stacks.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "heap_index.h"
#include "memory.h"

enum { CHUNK_BITS = 16, CHUNK_NODES = 1 << CHUNK_BITS, MAX_CHUNKS = 1024 };

struct node {
    uint32_t caller;
    struct sg_frame frame;
};

/* Guarded by the claim; the counters are read by anyone. Node 0 is never looked at. */
static struct node *chunks[MAX_CHUNKS];
static struct sg_heap_index node_index;
static _Atomic uint32_t n_nodes;
static _Atomic uint64_t n_bytes;

static struct node *node_at(uint32_t number) {
    return &chunks[number >> CHUNK_BITS][number & (CHUNK_NODES - 1)];
}

static uint64_t hash_of_node(const struct node *node) {
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15), other = UINT64_C(0xC2B2AE3D27D4EB4F);
    uint64_t hash = (uint64_t)node->caller * odd;
    hash ^= ((uint64_t)node->frame.code << 32 | (uint32_t)node->frame.lasti) * other;
    hash *= odd;
    return hash ^ (hash >> 32);
}

static bool is_equal(uint32_t number, const void *key) {
    const struct node *node = node_at(number), *wanted = key;
    return node->caller == wanted->caller && node->frame.code == wanted->frame.code &&
           node->frame.lasti == wanted->frame.lasti;
}

static uint64_t hash_of(uint32_t number) { return hash_of_node(node_at(number)); }

static bool make_room(uint32_t number) {
    uint32_t chunk = number >> CHUNK_BITS;
    if (chunk >= MAX_CHUNKS)
        return false;
    if (chunks[chunk])
        return true;
    chunks[chunk] = sg_memory_map(CHUNK_NODES * sizeof **chunks);
    atomic_fetch_add(&n_bytes, CHUNK_NODES * sizeof **chunks);
    return chunks[chunk] != NULL;
}

uint32_t sg_heap_stacks_call(uint32_t caller, struct sg_frame frame) {
    struct node wanted = {caller, frame};
    uint64_t hash = hash_of_node(&wanted);
    if (caller == SG_HEAP_STACK_LOST)
        return caller;
    uint32_t number = sg_heap_index_find(&node_index, hash, is_equal, &wanted);
    if (number != UINT32_MAX)
        return number;
    number = atomic_load_explicit(&n_nodes, memory_order_relaxed) + 1;
    if (!make_room(number) || !sg_heap_index_reserve(&node_index, hash_of))
        return SG_HEAP_STACK_LOST;
    *node_at(number) = wanted;
    sg_heap_index_put(&node_index, hash, number);
    atomic_store_explicit(&n_nodes, number, memory_order_release);
    return number;
}

uint32_t sg_heap_stacks_intern(const struct sg_frame *frames, uint32_t depth) {
    uint32_t stack = SG_HEAP_NO_STACK;
    while (depth--)
        stack = sg_heap_stacks_call(stack, frames[depth]);
    return stack;
}

uint32_t sg_heap_stacks_get(uint32_t stack, struct sg_frame *frames, uint32_t capacity) {
    uint32_t depth = 0;
    for (; stack != SG_HEAP_NO_STACK && depth < capacity; stack = node_at(stack)->caller)
        frames[depth++] = node_at(stack)->frame;
    return depth;
}

uint32_t sg_heap_stacks_count(void) { return atomic_load(&n_nodes); }

uint64_t sg_heap_stacks_bytes(void) {
    return atomic_load(&n_bytes) + node_index.capacity * sizeof *node_index.entries;
}

int sg_heap_stacks_prepare(void) {
    return make_room(0) && sg_heap_index_reserve(&node_index, hash_of) ? 0 : -1;
}

void sg_heap_stacks_discard(void) {
    for (uint32_t i = 0; i < MAX_CHUNKS; i++) {
        sg_memory_unmap(chunks[i], CHUNK_NODES * sizeof **chunks);
        chunks[i] = NULL;
    }
    sg_heap_index_discard(&node_index);
    atomic_store(&n_nodes, 0);
    atomic_store(&n_bytes, 0);
}
