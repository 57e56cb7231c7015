/* Cache that predicts the next comment below a row of addresses: the comment that named the row's
 * next address the last time, or else the one that followed the comment before. A right guess costs
 * one or two comparisons with the text. Without it, each comment would be looked up in a hash table
 * that does not fit in the CPU's caches. */
#ifndef SG_COMMENT_GUESSES_H
#define SG_COMMENT_GUESSES_H

#include "text_pieces.h"

struct sg_comment_guesses {
    struct sg_vector comment; /* int32, by address number: its first comment, the last time */
    struct sg_vector next;    /* int32, by comment: the comment that last followed it; -1 = none */
    const int32_t *row;       /* borrowed: address numbers of the current row */
    size_t n_row;
    size_t at;    /* index in `row` of the next address that a comment may name */
    int32_t last; /* the row's last comment; -1 = none */
};

void sg_comment_guesses_init(struct sg_comment_guesses *guesses);
void sg_comment_guesses_free(struct sg_comment_guesses *guesses);

/* Begin a row with the addresses of these `n` numbers, whose comments follow; `row` is borrowed
 * until the next row begins. Returns 0, or -1 if memory is short. */
int sg_comment_guesses_begin(struct sg_comment_guesses *guesses,
                             const struct sg_text_pieces *pieces, const int32_t *row, size_t n);

/* Return the number of the comment at `begin` if it is the predicted one; else -1. */
int32_t sg_comment_guesses_take(struct sg_comment_guesses *guesses,
                                const struct sg_text_pieces *pieces, size_t begin, size_t length);

/* Record a comment that was not predicted, and the address that it names; `different` has the
 * address of each number. Returns 0, or -1 if memory is short. */
int sg_comment_guesses_learn(struct sg_comment_guesses *guesses, const uint64_t *different,
                             int32_t comment, uint64_t address);

#endif
