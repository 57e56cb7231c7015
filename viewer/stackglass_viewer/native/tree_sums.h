/* Sums over call trees with parents before their children: one pass each. */
#ifndef SG_TREE_SUMS_H
#define SG_TREE_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* own[node[i]] += weight[i]. 0, or -1 if a node is not there. */
int sg_tree_sums_own(const int32_t *node, const int64_t *weight, size_t n, int64_t *own,
                     size_t n_nodes);

/* Every node's value is added to its parent's, last node first. 0, or -1 if a parent does not
 * come before its child. */
int sg_tree_sums_add_up(const int32_t *parent, int64_t *total, size_t n_nodes);

/* flat and cum of frames; a node below one of its own frame adds nothing to cum. 0, or -1 if a
 * frame is not there. */
int sg_tree_sums_frames(const int32_t *frame, const char *is_recursive, const int64_t *own,
                        const int64_t *total, size_t n_nodes, int64_t *flat, int64_t *cum,
                        size_t n_frames);

/* The total of nodes with a matching frame and none above them. `is_below` is
 * (n_nodes) scratch. 0, or -1 if a reference is out of range. */
int sg_tree_sums_topmost(const int32_t *parent, const int32_t *frame, const char *is_match,
                         size_t n_frames, const int64_t *total, char *is_below, size_t n_nodes,
                         int64_t *sum);

#endif
