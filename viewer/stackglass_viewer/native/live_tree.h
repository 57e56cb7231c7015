/* Call tree of a live session, which grows by batches of nodes from the engine. The caller owns all
 * memory.
 *
 * A child is found in a hash table with open addressing whose key is (parent, frame). `slots` holds
 * nodes, -1 = free; n_slots is a power of two and at least twice the number of nodes to come. */
#ifndef SG_LIVE_TREE_H
#define SG_LIVE_TREE_H

#include <stddef.h>
#include <stdint.h>

struct sg_live_tree {
    int32_t *parent;
    int32_t *frame;
    int32_t *depth;
    char *is_recursive; /* an ancestor has the same frame; NULL = not wanted, as it is slow */
    size_t n_nodes;
    int32_t *slots;
    size_t n_slots;
    uint64_t seed; /* seed of the hash; must not change while `slots` is in use */
};

/* Enter all nodes into `slots`, of which none is in use. */
void sg_live_tree_fill_slots(struct sg_live_tree *tree);

/* Find or make a node for each of the engine's next `n` nodes, parents first. The engine's numbers
 * of these nodes begin at `first`; `parent` has the engine's numbers, too. `node` (first + n) maps
 * the engine's numbers to the tree's: it is filled from `first` on. The tree has room for n more
 * nodes. Returns 0, or -1 if a parent does not come before its child. */
int sg_live_tree_grow(struct sg_live_tree *tree, const int32_t *parent, const int32_t *frame,
                      size_t n, int32_t *node, size_t first);

#endif
