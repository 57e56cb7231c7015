/* Parser of comments that name the frame of an address: `#\t0x10\tapp.load+0x1f\tapp.py:12`. */
#ifndef SG_FRAME_COMMENTS_H
#define SG_FRAME_COMMENTS_H

#include "text_pieces.h"

struct sg_frame_comments {
    struct sg_text_pieces names, files; /* the different names and files */
    /* Columns by comment. */
    struct sg_vector address;    /* uint64 */
    struct sg_vector name, file; /* int32; -1 = the comment is not in plain form */
    struct sg_vector line;       /* int64 */
};

/* Initialize. Returns 0, or -1 if memory is short; free `comments` in either case. */
int sg_frame_comments_init(struct sg_frame_comments *comments, const unsigned char *text);
void sg_frame_comments_free(struct sg_frame_comments *comments);

/* Add the next comment, which has no white space around it. Returns 0, or -1 if memory is short. */
int sg_frame_comments_add(struct sg_frame_comments *comments, const unsigned char *at,
                          const unsigned char *end);

#endif
