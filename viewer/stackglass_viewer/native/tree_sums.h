/* Sums over the nodes of a call tree, in which parents come before their children. Each function
 * makes one pass. */
#ifndef SG_TREE_SUMS_H
#define SG_TREE_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* own[node[i]] += weight[i]. Returns 0, or -1 if a node is out of range. */
int sg_tree_sums_own(const int32_t *node, const int64_t *weight, size_t n, int64_t *own,
                     size_t n_nodes);

/* Add every node's total to its parent's, from the last node to the first. Returns 0, or -1 if a
 * parent does not come before its child. */
int sg_tree_sums_add_up(const int32_t *parent, int64_t *total, size_t n_nodes);

/* Add up flat (`own`) and cum (`total`) by frame. A recursive node, below another one of its frame,
 * adds nothing to cum. Returns 0, or -1 if a frame is out of range. */
int sg_tree_sums_frames(const int32_t *frame, const char *is_recursive, const int64_t *own,
                        const int64_t *total, size_t n_nodes, int64_t *flat, int64_t *cum,
                        size_t n_frames);

/* Set `*sum` to the total of all nodes whose frame matches and whose ancestors' frames do not.
 * `is_below` (n_nodes) is scratch memory. Returns 0, or -1 if an index is out of range. */
int sg_tree_sums_topmost(const int32_t *parent, const int32_t *frame, const char *is_match,
                         size_t n_frames, const int64_t *total, char *is_below, size_t n_nodes,
                         int64_t *sum);

#endif
