/* A hash index finds a node by its caller and frame. Nodes lie in chunks that never move, so a
 * number leads to its node without the index.
 *
 * A new node is filled in before `n_nodes` is raised to its number, with release order: a reader
 * without the claim sees only complete nodes. */
#include "frames/stack_tree.h"

#include <stdbool.h>

#include "platform/memory.h"

enum { CHUNK_NODES = 1 << SG_STACK_CHUNK_BITS };
_Static_assert(SG_STACK_CHUNKS << SG_STACK_CHUNK_BITS == 1 << SG_STACK_BITS, "numbers of nodes");

static struct sg_stack_node *node_at(const struct sg_stack_tree *tree, uint32_t number) {
    return &tree->chunks[number >> SG_STACK_CHUNK_BITS][number & (CHUNK_NODES - 1)];
}

static uint32_t hash_of(const struct sg_stack_node *node) {
    return (uint32_t)sg_hash_index_mix(node->caller, (uint64_t)node->frame.code << 32 |
                                                         (uint32_t)node->frame.lasti);
}

struct wanted {
    const struct sg_stack_tree *tree;
    struct sg_stack_node node;
};

static bool is_equal(uint32_t number, const void *key) {
    const struct wanted *wanted = key;
    const struct sg_stack_node *node = node_at(wanted->tree, number);
    return node->caller == wanted->node.caller && node->frame.code == wanted->node.frame.code &&
           node->frame.lasti == wanted->node.frame.lasti;
}

static bool make_room(struct sg_stack_tree *tree, uint32_t number) {
    uint32_t chunk = number >> SG_STACK_CHUNK_BITS;
    if (chunk >= SG_STACK_CHUNKS)
        return false;
    if (tree->chunks[chunk])
        return true;
    tree->chunks[chunk] = sg_memory_map(CHUNK_NODES * sizeof **tree->chunks);
    if (tree->chunks[chunk])
        atomic_fetch_add(&tree->n_bytes, CHUNK_NODES * sizeof **tree->chunks);
    return tree->chunks[chunk] != NULL;
}

uint32_t sg_stack_tree_call(struct sg_stack_tree *tree, uint32_t caller, struct sg_frame frame) {
    struct wanted wanted = {tree, {caller, frame}};
    uint32_t hash = hash_of(&wanted.node);
    if (caller == SG_STACK_LOST)
        return caller;
    uint32_t number = sg_hash_index_find(&tree->index, hash, is_equal, &wanted);
    if (number != UINT32_MAX)
        return number;
    number = atomic_load_explicit(&tree->n_nodes, memory_order_relaxed) + 1;
    if (!make_room(tree, number) || !sg_hash_index_reserve(&tree->index))
        return SG_STACK_LOST;
    *node_at(tree, number) = wanted.node;
    sg_hash_index_put(&tree->index, hash, number);
    atomic_store_explicit(&tree->n_nodes, number, memory_order_release);
    return number;
}

uint32_t sg_stack_tree_intern(struct sg_stack_tree *tree, const struct sg_frame *frames,
                              uint32_t depth) {
    uint32_t stack = SG_NO_STACK;
    while (depth--)
        stack = sg_stack_tree_call(tree, stack, frames[depth]);
    return stack;
}

uint32_t sg_stack_tree_get(const struct sg_stack_tree *tree, uint32_t stack,
                           struct sg_frame *frames, uint32_t capacity) {
    uint32_t depth = 0;
    for (; stack != SG_NO_STACK && depth < capacity; stack = node_at(tree, stack)->caller)
        frames[depth++] = node_at(tree, stack)->frame;
    return depth;
}

struct sg_stack_node sg_stack_tree_node(const struct sg_stack_tree *tree, uint32_t stack) {
    return *node_at(tree, stack);
}

uint32_t sg_stack_tree_count(const struct sg_stack_tree *tree) {
    return atomic_load(&tree->n_nodes);
}

uint64_t sg_stack_tree_bytes(const struct sg_stack_tree *tree) {
    return atomic_load(&tree->n_bytes) + sg_hash_index_bytes(&tree->index);
}

int sg_stack_tree_prepare(struct sg_stack_tree *tree) {
    return make_room(tree, 0) && sg_hash_index_reserve(&tree->index) ? 0 : -1;
}

void sg_stack_tree_discard(struct sg_stack_tree *tree) {
    for (uint32_t i = 0; i < SG_STACK_CHUNKS; i++) {
        SG_MEMORY_DROP(tree->chunks[i], CHUNK_NODES * sizeof **tree->chunks);
    }
    sg_hash_index_discard(&tree->index);
    atomic_store(&tree->n_nodes, 0);
    atomic_store(&tree->n_bytes, 0);
}
