/* Stacks in lines of a text, frames between ";", root first: to frames by number, leaf first. */
#ifndef SG_TEXT_STACKS_H
#define SG_TEXT_STACKS_H

#include "text_pieces.h"

struct sg_text_stacks {
    struct sg_text_pieces frames;
    struct sg_vector start; /* int64, by stack, and the end of the last */
    struct sg_vector stack; /* int32: frames of all */
    /* Of the stack that was split last: where it begins in the text, its frames, root first, and
     * where each ends, counted from there. */
    size_t before;
    struct sg_vector open, ends;
};

/* 0, or -1 if there is no memory; to be freed in any case. */
int sg_text_stacks_init(struct sg_text_stacks *stacks, const unsigned char *text);
void sg_text_stacks_free(struct sg_text_stacks *stacks);

/* Add the stack of a range of the text, of one frame at least. 0, or -1 if there is no memory. */
int sg_text_stacks_split(struct sg_text_stacks *stacks, size_t begin, size_t end);

/* Add the stack of all frames that were pushed to `stack` since the one before. 0, or -1 if there
 * is no memory. */
int sg_text_stacks_end(struct sg_text_stacks *stacks);

#endif
