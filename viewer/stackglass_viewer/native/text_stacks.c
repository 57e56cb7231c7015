/* A line often begins with the same bytes as the line before. The frames in these bytes are kept
 * without a look-up. */
#include "text_stacks.h"

int sg_text_stacks_init(struct sg_text_stacks *stacks, const unsigned char *text) {
    *stacks = (struct sg_text_stacks){0};
    return sg_text_pieces_init(&stacks->frames, text) < 0 ? -1 : sg_text_stacks_end(stacks);
}

void sg_text_stacks_free(struct sg_text_stacks *stacks) {
    sg_text_pieces_free(&stacks->frames);
    sg_release(&stacks->start);
    sg_release(&stacks->stack);
    sg_release(&stacks->open);
    sg_release(&stacks->ends);
}

/* Return how many bytes, at most `most`, are equal at the begin of two ranges. */
static size_t match(const unsigned char *a, const unsigned char *b, size_t most) {
    size_t n = 0;
    while (n + 8 <= most && sg_text_word(a + n) == sg_text_word(b + n))
        n += 8;
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

/* Keep the frames that this stack has in common with the last one, from the root. Returns how many
 * bytes they take, with the ";" after them. */
static size_t keep_common(struct sg_text_stacks *stacks, size_t begin, size_t end) {
    const unsigned char *text = stacks->frames.text;
    const int32_t *ends = sg_i32(&stacks->ends);
    size_t n_frames = stacks->ends.n, n_kept = 0;
    size_t n_before = n_frames ? (size_t)ends[n_frames - 1] : 0, n = end - begin;
    size_t n_equal = match(text + stacks->before, text + begin, n < n_before ? n : n_before);
    while (n_kept < n_frames && (size_t)ends[n_kept] < n_equal)
        n_kept++;
    stacks->ends.n = stacks->open.n = n_kept;
    stacks->before = begin;
    return n_kept ? (size_t)ends[n_kept - 1] + 1 : 0;
}

static int push_leaf_first(struct sg_text_stacks *stacks) {
    size_t n = stacks->open.n;
    if (sg_reserve(&stacks->stack, n, sizeof(int32_t)) < 0)
        return -1;
    const int32_t *open = sg_i32(&stacks->open);
    int32_t *stack = sg_i32(&stacks->stack) + stacks->stack.n;
    for (size_t i = 0; i < n; i++)
        stack[i] = open[n - 1 - i];
    stacks->stack.n += n;
    return 0;
}

int sg_text_stacks_split(struct sg_text_stacks *stacks, size_t begin, size_t end) {
    const unsigned char *text = stacks->frames.text;
    size_t at = begin + keep_common(stacks, begin, end);
    for (const unsigned char *found = text; found;) {
        found = memchr(text + at, ';', end - at);
        size_t frame_end = found ? (size_t)(found - text) : end;
        int32_t frame = sg_text_pieces_number(&stacks->frames, at, frame_end - at);
        if (frame < 0 || sg_push_i32(&stacks->open, frame) < 0 ||
            sg_push_i32(&stacks->ends, (int32_t)(frame_end - begin)) < 0)
            return -1;
        at = frame_end + 1;
    }
    return push_leaf_first(stacks) < 0 ? -1 : sg_text_stacks_end(stacks);
}

int sg_text_stacks_end(struct sg_text_stacks *stacks) {
    return sg_push_i64(&stacks->start, (int64_t)stacks->stack.n);
}
