/* A pair is a piece of the text that all pairs make. */
#include "number_pairs.h"

int sg_number_pairs_init(struct sg_number_pairs *pairs) {
    return sg_text_pieces_init(&pairs->pieces, NULL);
}

void sg_number_pairs_free(struct sg_number_pairs *pairs) {
    sg_text_pieces_free(&pairs->pieces);
    sg_release(&pairs->pair);
}

int32_t sg_number_pairs_number(struct sg_number_pairs *pairs, int32_t first, int32_t second) {
    size_t n = pairs->pair.n, width = sizeof(int32_t);
    if (sg_push_i32(&pairs->pair, first) < 0 || sg_push_i32(&pairs->pair, second) < 0)
        return -1;
    pairs->pieces.text = (const unsigned char *)pairs->pair.data;
    int32_t number = sg_text_pieces_number(&pairs->pieces, n * width, 2 * width);
    if (number >= 0 && (size_t)number < n / 2)
        pairs->pair.n = n; /* it was there */
    return number;
}
