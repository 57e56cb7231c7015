/* An address with inlined calls has several comments, in the same order each time: the first is
 * predicted from the address, each other one from the comment before it. */
#include "comment_guesses.h"

enum { MOST_SKIPPED = 16 }; /* addresses among which the one that a comment names is searched */

void sg_comment_guesses_init(struct sg_comment_guesses *guesses) {
    *guesses = (struct sg_comment_guesses){.last = -1};
}

void sg_comment_guesses_free(struct sg_comment_guesses *guesses) {
    sg_release(&guesses->comment);
    sg_release(&guesses->next);
}

int sg_comment_guesses_begin(struct sg_comment_guesses *guesses,
                             const struct sg_text_pieces *pieces, const int32_t *row, size_t n) {
    guesses->row = row;
    guesses->n_row = n;
    guesses->at = 0;
    guesses->last = -1;
    for (size_t i = 0; i < n; i++) {
        while (guesses->comment.n <= (size_t)row[i])
            if (sg_push_i32(&guesses->comment, -1) < 0)
                return -1;
        int32_t comment = sg_i32(&guesses->comment)[row[i]];
        if (comment >= 0)
            __builtin_prefetch(sg_text_pieces_bytes(pieces, (size_t)comment));
    }
    return 0;
}

int32_t sg_comment_guesses_take(struct sg_comment_guesses *guesses,
                                const struct sg_text_pieces *pieces, size_t begin, size_t length) {
    int32_t comment = -1;
    if (guesses->at < guesses->n_row)
        comment = sg_i32(&guesses->comment)[guesses->row[guesses->at]];
    if (comment >= 0 && sg_text_pieces_is(pieces, comment, begin, length)) {
        guesses->at++;
        return guesses->last = comment;
    }
    comment = guesses->last < 0 ? -1 : sg_i32(&guesses->next)[guesses->last];
    if (comment < 0 || !sg_text_pieces_is(pieces, comment, begin, length))
        return -1;
    return guesses->last = comment;
}

int sg_comment_guesses_learn(struct sg_comment_guesses *guesses, const uint64_t *different,
                             int32_t comment, uint64_t address) {
    while (guesses->next.n <= (size_t)comment)
        if (sg_push_i32(&guesses->next, -1) < 0)
            return -1;
    if (guesses->last >= 0)
        sg_i32(&guesses->next)[guesses->last] = comment;
    guesses->last = comment;
    size_t end = guesses->at + MOST_SKIPPED;
    for (size_t i = guesses->at; i < guesses->n_row && i < end; i++) {
        int32_t number = guesses->row[i];
        if (different[number] - address > 1) /* neither equal nor the return address after it */
            continue;
        sg_i32(&guesses->comment)[number] = comment;
        guesses->at = i + 1;
        break;
    }
    return 0;
}
