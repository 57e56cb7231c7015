/* Guess of the next comment below a row of addresses: the one that named the row's next address the
 * last time. A right guess costs one comparison. Looking up each of many comments in a table takes
 * longer than reading it: the table is in no cache. */
#ifndef SG_COMMENT_GUESSES_H
#define SG_COMMENT_GUESSES_H

#include "address_numbers.h"
#include "text_pieces.h"

struct sg_comment_guesses {
    struct sg_address_numbers numbers;
    struct sg_vector comment; /* int32, by number of an address: what named it last; -1 = nothing */
    struct sg_vector next;    /* int32, by comment: what came next the last time; -1 = nothing */
    struct sg_vector row;     /* int32: the addresses of the open row */
    size_t at;                /* in the row: the next that a comment may name */
    int32_t last;             /* the row's comment before; -1 = none */
};

/* 0, or -1 if there is no memory. To be freed in either case. */
int sg_comment_guesses_init(struct sg_comment_guesses *guesses);
void sg_comment_guesses_free(struct sg_comment_guesses *guesses);

/* Comments of a row with these addresses follow. 0, or -1 if there is no memory. */
int sg_comment_guesses_begin(struct sg_comment_guesses *guesses,
                             const struct sg_text_pieces *pieces, const uint64_t *address,
                             size_t n);

/* The number of the comment at `begin`, if it is the expected one; else -1. */
int32_t sg_comment_guesses_take(struct sg_comment_guesses *guesses,
                                const struct sg_text_pieces *pieces, size_t begin, size_t length);

/* The next comment was not expected; it names an address. 0, or -1 if there is no memory. */
int sg_comment_guesses_learn(struct sg_comment_guesses *guesses, int32_t comment, uint64_t address);

#endif
