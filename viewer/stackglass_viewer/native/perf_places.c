/* Places of frames. The same table (text_pieces.h) numbers names, files and pairs: for pairs the
 * text is the column `pair`, and each piece the eight bytes of two numbers. */
#include "perf_places.h"

int sg_perf_places_init(struct sg_perf_places *places, const unsigned char *text) {
    return sg_text_pieces_init(&places->names, text) < 0 ||
                   sg_text_pieces_init(&places->files, text) < 0 ||
                   sg_text_pieces_init(&places->pairs, NULL) < 0
               ? -1
               : 0;
}

void sg_perf_places_free(struct sg_perf_places *places) {
    sg_text_pieces_free(&places->names);
    sg_text_pieces_free(&places->files);
    sg_text_pieces_free(&places->pairs);
    sg_release(&places->pair);
    sg_release(&places->start);
    sg_release(&places->length);
    sg_release(&places->sample);
}

/* The number of a pair. It is appended to the column first, to be compared there, and removed again
 * if an equal one was there before. */
static int32_t number_pair(struct sg_perf_places *places, int32_t name, int32_t file) {
    size_t n = places->pair.n, width = sizeof(int32_t);
    if (sg_push_i32(&places->pair, name) < 0 || sg_push_i32(&places->pair, file) < 0)
        return -1;
    places->pairs.text = (const unsigned char *)places->pair.data;
    int32_t place = sg_text_pieces_number(&places->pairs, n * width, 2 * width);
    if (place >= 0 && (size_t)place < n / 2)
        places->pair.n = n;
    return place;
}

static int32_t number(struct sg_text_pieces *pieces, struct sg_range range) {
    return sg_text_pieces_number(pieces, range.begin, range.end - range.begin);
}

int32_t sg_perf_places_number(struct sg_perf_places *places, struct sg_range range,
                              const struct sg_perf_frame *frame, size_t sample) {
    size_t n = places->start.n;
    int32_t name = -1, file = (int32_t)n; /* with a tab: a pair that occurs only once */
    if (!frame->has_tab && ((name = number(&places->names, frame->name)) < 0 ||
                            (file = number(&places->files, frame->file)) < 0))
        return -1;
    int32_t place = number_pair(places, name, file);
    if (place < 0 || (size_t)place < n)
        return place;
    return sg_push_i64(&places->start, (int64_t)range.begin) < 0 ||
                   sg_push_i32(&places->length, (int32_t)(range.end - range.begin)) < 0 ||
                   sg_push_i64(&places->sample, (int64_t)sample) < 0
               ? -1
               : place;
}
