/* The garbage collector's lists of objects in the interpreter.
 *
 *     generations 0, 1, 2 and the frozen objects: circular lists of PyGC_Head
 *
 *     head ⇄ │next│prev│ object … ⇄ │next│prev│ object … ⇄ head
 *
 * The interpreter does not export the heads. They lie before its field `collecting`, and are
 * recognised as circular lists. The low bits of both words are flags of the collector, which are
 * kept. All functions need the GIL. */
#ifndef STACKGLASS_OBJECTS_COLLECTOR_LISTS_H
#define STACKGLASS_OBJECTS_COLLECTOR_LISTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SG_N_COLLECTOR_LISTS = 4,
    SG_OLDEST_LIST = 2,
    SG_FROZEN_LIST = 3,
    SG_COLLECTOR_HEAD_BYTES = 16, /* in front of every object that can be tracked */
};

struct sg_collector_node {
    uintptr_t next, prev;
};

struct sg_collector_lists {
    struct sg_collector_node *heads[SG_N_COLLECTOR_LISTS]; /* young to old, then the frozen */
    int *collecting;     /* not 0 = a collection is running, and no other one begins */
    bool is_incremental; /* 3.14.0 to 3.14.4: objects move between two old lists */
};

/* Find the lists. Returns NULL, or one sentence that says why that failed. Allocates nothing. */
const char *sg_collector_lists_find(struct sg_collector_lists *lists);

static inline struct sg_collector_node *sg_collector_list_node(const void *object) {
    return (struct sg_collector_node *)((uintptr_t)object - SG_COLLECTOR_HEAD_BYTES);
}

static inline void *sg_collector_list_object(struct sg_collector_node *node) { return node + 1; }

static inline struct sg_collector_node *
sg_collector_list_next(const struct sg_collector_node *node) {
    return (struct sg_collector_node *)(node->next & ~(uintptr_t)3);
}

static inline bool sg_collector_list_is_tracked(const void *object) {
    return sg_collector_list_node(object)->next != 0;
}

/* Move the node of one of the engine's own objects, which is tracked, to just before `place`. */
void sg_collector_lists_move_node(struct sg_collector_node *node, struct sg_collector_node *place);

#endif
