/* The bytes of all pairs are a text, and each pair is a piece of this text (text_pieces.h). */
#include "number_pairs.h"

int sg_number_pairs_init(struct sg_number_pairs *pairs) {
    if (sg_text_pieces_init(&pairs->pieces, NULL) < 0)
        return -1;
    pairs->pieces.most_copied_bytes = 0; /* pairs lie side by side already */
    return 0;
}

void sg_number_pairs_free(struct sg_number_pairs *pairs) {
    sg_text_pieces_free(&pairs->pieces);
    sg_release(&pairs->pair);
    sg_release(&pairs->last);
}

static int remember(struct sg_number_pairs *pairs, int32_t first, int32_t number) {
    struct sg_vector *last = &pairs->last;
    while (first >= 0 && last->n <= (size_t)first)
        if (sg_push_i32(last, -1) < 0)
            return -1;
    if (first >= 0)
        sg_i32(last)[first] = number;
    return 0;
}

int32_t sg_number_pairs_find(struct sg_number_pairs *pairs, int32_t first, int32_t second) {
    size_t n = pairs->pair.n, width = sizeof(int32_t);
    if (sg_push_i32(&pairs->pair, first) < 0 || sg_push_i32(&pairs->pair, second) < 0)
        return -1;
    pairs->pieces.text = (const unsigned char *)pairs->pair.data;
    int32_t number = sg_text_pieces_number(&pairs->pieces, n * width, 2 * width);
    if (number < 0)
        return -1;
    if ((size_t)number < n / 2) { /* the pair is known: remove the copy just added */
        pairs->pair.n = n;
        sg_u32(&pairs->pieces.start)[number] = (uint32_t)((size_t)number * 2 * width);
    }
    return remember(pairs, first, number) < 0 ? -1 : number;
}
