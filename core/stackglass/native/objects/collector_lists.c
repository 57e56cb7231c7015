/* The collector's lists: finding their heads, and moving a node. */
#include "objects/collector_lists.h"

#include <Python.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    COLLECTING_BEFORE_GARBAGE = 8, /* up to 3.12: an int and padding, then the list of garbage */
    BYTES_SEARCHED = 384,        /* before `collecting`; the first head is at most 180 before it */
    HEAD_ALIGNMENT = 4,          /* so in 3.13.5; 8 in other releases */
    FLAGS = 3,                   /* low bits of each word of a PyGC_Head */
    FIRST_GENERATIONAL_3_14 = 5, /* 3.14.5 is not incremental any more */
};

/* Whether the two words at `address` are the head of a circular list. */
static bool is_head(uintptr_t address) {
    struct sg_collector_node head, next, prev;
    return sg_memory_read(address, &head, sizeof head) && head.next && head.prev &&
           !(head.next & FLAGS) && !(head.prev & FLAGS) &&
           sg_memory_read(head.next, &next, sizeof next) &&
           sg_memory_read(head.prev, &prev, sizeof prev) &&
           (next.prev & ~(uintptr_t)FLAGS) == address && (prev.next & ~(uintptr_t)FLAGS) == address;
}

static uintptr_t find_collecting(void) {
    uintptr_t thread = (uintptr_t)PyThreadState_Get();
    uintptr_t interpreter = sg_memory_load(thread + (uintptr_t)sg_debug_offsets.thread_interp);
    if (sg_debug_offsets.gc_collecting >= 0)
        return interpreter + (uintptr_t)sg_debug_offsets.gc_collecting;
    return interpreter + (uintptr_t)sg_debug_offsets.gc_garbage - COLLECTING_BEFORE_GARBAGE;
}

const char *sg_collector_lists_find(struct sg_collector_lists *lists) {
    if (!sg_debug_offsets.minor)
        return "the sampler has to be prepared before a census";
    uintptr_t collecting = find_collecting();
    uintptr_t at = collecting - BYTES_SEARCHED;
    int n = 0;
    while (at < collecting) {
        if (!is_head(at)) {
            at += HEAD_ALIGNMENT;
            continue;
        }
        if (n < SG_N_COLLECTOR_LISTS)
            lists->heads[n] = (struct sg_collector_node *)at;
        n++;
        at += sizeof(struct sg_collector_node);
    }
    lists->collecting = (int *)collecting;
    lists->is_incremental =
        sg_debug_offsets.minor == 14 && sg_python_symbols.micro < FIRST_GENERATIONAL_3_14;
    return n == SG_N_COLLECTOR_LISTS ? NULL
                                     : "the collector's lists are not where they are expected";
}

static void set(uintptr_t *word, const struct sg_collector_node *node) {
    *word = (*word & FLAGS) | (uintptr_t)node;
}

void sg_collector_lists_move_node(struct sg_collector_node *node, struct sg_collector_node *place) {
    if (node == place)
        return;
    struct sg_collector_node *next = sg_collector_list_next(node);
    struct sg_collector_node *prev = (struct sg_collector_node *)(node->prev & ~(uintptr_t)FLAGS);
    set(&prev->next, next);
    set(&next->prev, prev);
    prev = (struct sg_collector_node *)(place->prev & ~(uintptr_t)FLAGS);
    set(&prev->next, node);
    set(&node->prev, prev);
    set(&node->next, place);
    set(&place->prev, node);
}
