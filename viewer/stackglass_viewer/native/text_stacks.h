/* Splitter of stacks in lines of a text, `root;caller;leaf`, into frames by number, leaf first. */
#ifndef SG_TEXT_STACKS_H
#define SG_TEXT_STACKS_H

#include "text_pieces.h"

struct sg_text_stacks {
    struct sg_text_pieces frames;
    struct sg_vector start; /* int64, (n_stacks + 1): offsets into `stack` */
    struct sg_vector stack; /* int32: frames of all stacks, leaf first */
    /* The stack that was split last: */
    size_t before; /* where it begins in the text */
    /* int32: its frames, root first, and where each of them ends, counted from `before` */
    struct sg_vector open, ends;
};

/* Initialize. Returns 0, or -1 if memory is short; free `stacks` in any case. */
int sg_text_stacks_init(struct sg_text_stacks *stacks, const unsigned char *text);
void sg_text_stacks_free(struct sg_text_stacks *stacks);

/* Add the stack in a range of the text, of at least one frame. Returns 0, or -1 if memory is short.
 */
int sg_text_stacks_split(struct sg_text_stacks *stacks, size_t begin, size_t end);

/* Add a stack of all frames that the caller has pushed to `stack` since the last one. Returns 0, or
 * -1 if memory is short. */
int sg_text_stacks_end(struct sg_text_stacks *stacks);

#endif
