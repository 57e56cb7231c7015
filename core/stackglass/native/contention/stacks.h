/* Stacks of waiters and holders: captured, trimmed, kept as nodes of a tree. */
#ifndef STACKGLASS_CONTENTION_STACKS_H
#define STACKGLASS_CONTENTION_STACKS_H

#include "contention/samples.h"
#include "frames/stack_tree.h"

/* A sg_contention_stack is a node and, in the bits above it, traits of its leaf before the
 * trimming. SG_STACK_LOST has no such bits. */
enum {
    SG_STACK_SLEEPS = 1 << SG_STACK_BITS,         /* waits in a lock made for this one wait */
    SG_STACK_RESTORES = 1 << (SG_STACK_BITS + 1), /* is the second half of a recorded wait */
    SG_STACK_WAKES = 1 << (SG_STACK_BITS + 2),    /* releases a lock made for one wait */
    SG_STACK_HOLDS_UP = 1 << (SG_STACK_BITS + 3), /* with WAKES: it has delayed the waiter */
    SG_STACK_TRAITS = SG_STACK_SLEEPS | SG_STACK_RESTORES | SG_STACK_WAKES | SG_STACK_HOLDS_UP,
};

extern struct sg_stack_tree sg_contention_stacks; /* guarded by the ledger's claim (ledger.h) */

enum { SG_MOST_TRIMMED = 16 }; /* frames cut off at the leaf */

/* Frames that a capture needs room for. */
static inline uint32_t sg_contention_stacks_room(void) {
    return sg_contention_stacks_depth + SG_MOST_TRIMMED;
}

/* A stack on its way to the tree. */
struct sg_capture {
    uint32_t traits;       /* SG_STACK_… */
    bool is_idle;          /* an event loop waits for something to do */
    uint32_t n_primitives; /* Python functions down to the outermost primitive, inclusive */
    uint32_t depth;
    const struct sg_frame *frames; /* leaf first, within `walked` */
    struct sg_frame *walked;       /* (room,); the caller sets it, and `room` */
    uint32_t room;                 /* sg_contention_stacks_room() */
};

/* Walk and trim the stack of `thread`, or of the calling thread if it is NULL; see
 * sg_contention_take_stack. No claim. Caller holds the GIL. */
void sg_contention_stacks_capture(struct sg_capture *capture, const void *thread,
                                  enum sg_primitive leaf);

/* Return the handle of a stack, or SG_STACK_LOST if there is no room. Caller holds the ledger's
 * claim. */
sg_contention_stack sg_contention_stacks_intern(const struct sg_frame *frames, uint32_t depth,
                                                uint32_t traits);
/* Return the node of a handle. */
static inline uint32_t sg_contention_stack_node(sg_contention_stack stack) {
    return stack == SG_STACK_LOST ? stack : stack & ~(uint32_t)SG_STACK_TRAITS;
}
void sg_contention_stacks_discard(void);

/* Number of walks that met memory which is no frame. Any thread may call this. */
uint64_t sg_contention_stacks_bad_walks(void);

#endif
