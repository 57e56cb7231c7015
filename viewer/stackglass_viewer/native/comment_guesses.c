/* An address with inlined calls has several comments, in the same order each time: the first is
 * predicted from the address, each other one from the comment before it. */
#include "comment_guesses.h"

enum { MOST_SKIPPED = 16 }; /* addresses among which the one that a comment names is searched */

int sg_comment_guesses_init(struct sg_comment_guesses *guesses) {
    *guesses = (struct sg_comment_guesses){.last = -1};
    return sg_address_numbers_init(&guesses->numbers);
}

void sg_comment_guesses_free(struct sg_comment_guesses *guesses) {
    sg_address_numbers_free(&guesses->numbers);
    sg_release(&guesses->comment);
    sg_release(&guesses->next);
    sg_release(&guesses->row);
}

int sg_comment_guesses_begin(struct sg_comment_guesses *guesses,
                             const struct sg_text_pieces *pieces, const uint64_t *address,
                             size_t n) {
    guesses->row.n = guesses->at = 0;
    guesses->last = -1;
    for (size_t i = 0; i < n; i++) {
        int32_t number = sg_address_numbers_number(&guesses->numbers, address[i]);
        if (number < 0 || sg_push_i32(&guesses->row, number) < 0)
            return -1;
        if ((size_t)number == guesses->comment.n && sg_push_i32(&guesses->comment, -1) < 0)
            return -1;
        int32_t comment = sg_i32(&guesses->comment)[number];
        if (comment >= 0)
            __builtin_prefetch(pieces->text + sg_i64(&pieces->start)[comment]);
    }
    return 0;
}

int32_t sg_comment_guesses_take(struct sg_comment_guesses *guesses,
                                const struct sg_text_pieces *pieces, size_t begin, size_t length) {
    int32_t comment = -1;
    if (guesses->at < guesses->row.n)
        comment = sg_i32(&guesses->comment)[sg_i32(&guesses->row)[guesses->at]];
    if (comment >= 0 && sg_text_pieces_is(pieces, comment, begin, length)) {
        guesses->at++;
        return guesses->last = comment;
    }
    comment = guesses->last < 0 ? -1 : sg_i32(&guesses->next)[guesses->last];
    if (comment < 0 || !sg_text_pieces_is(pieces, comment, begin, length))
        return -1;
    return guesses->last = comment;
}

int sg_comment_guesses_learn(struct sg_comment_guesses *guesses, int32_t comment,
                             uint64_t address) {
    while (guesses->next.n <= (size_t)comment)
        if (sg_push_i32(&guesses->next, -1) < 0)
            return -1;
    if (guesses->last >= 0)
        sg_i32(&guesses->next)[guesses->last] = comment;
    guesses->last = comment;
    const uint64_t *different = sg_u64(&guesses->numbers.different);
    size_t end = guesses->at + MOST_SKIPPED;
    for (size_t i = guesses->at; i < guesses->row.n && i < end; i++) {
        int32_t number = sg_i32(&guesses->row)[i];
        if (different[number] - address > 1) /* neither equal nor the return address after it */
            continue;
        sg_i32(&guesses->comment)[number] = comment;
        guesses->at = i + 1;
        break;
    }
    return 0;
}
