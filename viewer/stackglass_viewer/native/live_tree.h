/* The call tree of a live session, which grows by a batch at a time. All memory is the caller's.
 *
 * Children are found through an open hash of (parent, frame); `slots` holds nodes, -1 = free, and
 * has a power of two of them, at least twice as many as there will be nodes. */
#ifndef SG_LIVE_TREE_H
#define SG_LIVE_TREE_H

#include <stddef.h>
#include <stdint.h>

struct sg_live_tree {
    int32_t *parent;
    int32_t *frame;
    int32_t *depth;
    char *is_recursive; /* NULL = not wanted; finding out takes longer than all the rest */
    size_t n_nodes;
    int32_t *slots;
    size_t n_slots;
    uint64_t seed; /* of the hash; one for the life of `slots` */
};

/* Enter all nodes into `slots`, which are all free. */
void sg_live_tree_fill_slots(struct sg_live_tree *tree);

/* Find or make a node for each of `n` nodes of the engine's, parents first. The engine numbers them
 * from `first` on, and `parent` are its numbers. `node`, (first + n), has the tree's number for
 * each of the engine's: known below `first`, filled from there. There is room for n more nodes in
 * the tree. 0, or -1 if a parent does not come before its child. */
int sg_live_tree_grow(struct sg_live_tree *tree, const int32_t *parent, const int32_t *frame,
                      size_t n, int32_t *node, size_t first);

#endif
