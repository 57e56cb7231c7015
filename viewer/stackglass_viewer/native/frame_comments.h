/* Comments below rows of addresses that name a frame: `#\t0x10\tapp.load+0x1f\tapp.py:12`. */
#ifndef SG_FRAME_COMMENTS_H
#define SG_FRAME_COMMENTS_H

#include "text_pieces.h"

struct sg_frame_comments {
    struct sg_text_pieces names, files; /* the different ones */
    /* By comment. */
    struct sg_vector address;    /* uint64 */
    struct sg_vector name, file; /* int32; -1 = it is not in the plain form */
    struct sg_vector line;       /* int64 */
};

/* 0, or -1 if there is no memory. To be freed in either case. */
int sg_frame_comments_init(struct sg_frame_comments *comments, const unsigned char *text);
void sg_frame_comments_free(struct sg_frame_comments *comments);

/* Add the next comment, which has no space around it. 0, or -1 if there is no memory. */
int sg_frame_comments_add(struct sg_frame_comments *comments, const unsigned char *at,
                          const unsigned char *end);

#endif
