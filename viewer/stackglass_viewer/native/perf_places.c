/* The name is looked up in a hash table. Its file is mostly the file of the last place with this
 * name, so comparing with that file comes first. */
#include "perf_places.h"

enum { NO_FILE = -1 };

int sg_perf_places_init(struct sg_perf_places *places, const unsigned char *text) {
    return sg_text_pieces_init(&places->names, text) < 0 ||
                   sg_text_pieces_init(&places->files, text) < 0 ||
                   sg_number_pairs_init(&places->pairs) < 0
               ? -1
               : 0;
}

void sg_perf_places_free(struct sg_perf_places *places) {
    sg_text_pieces_free(&places->names);
    sg_text_pieces_free(&places->files);
    sg_number_pairs_free(&places->pairs);
    struct sg_vector *const columns[] = {
        &places->name_start,  &places->name_length, &places->file_start,
        &places->file_length, &places->has_tab,     &places->sample,
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sg_release(columns[i]);
}

static int32_t number(struct sg_text_pieces *pieces, struct sg_range range) {
    return sg_text_pieces_number(pieces, range.begin, range.end - range.begin);
}

static int push_range(struct sg_vector *start, struct sg_vector *length, struct sg_range range) {
    return sg_push_i32(start, (int32_t)(uint32_t)range.begin) < 0 ||
                   sg_push_i32(length, (int32_t)(range.end - range.begin)) < 0
               ? -1
               : 0;
}

static int push_place(struct sg_perf_places *places, struct sg_range name, struct sg_range file,
                      int has_tab, size_t sample) {
    if (push_range(&places->name_start, &places->name_length, name) < 0 ||
        push_range(&places->file_start, &places->file_length, file) < 0 ||
        sg_push_i64(&places->sample, (int64_t)sample) < 0 || sg_reserve(&places->has_tab, 1, 1) < 0)
        return -1;
    places->has_tab.data[places->has_tab.n++] = (char)has_tab;
    return 0;
}

static int has_file(const struct sg_perf_places *places, int32_t place, struct sg_range file) {
    size_t n = file.end - file.begin;
    const unsigned char *text = places->names.text;
    return !places->has_tab.data[place] && (size_t)sg_i32(&places->file_length)[place] == n &&
           sg_text_equal(text + sg_u32(&places->file_start)[place], text + file.begin, n);
}

int32_t sg_perf_places_number(struct sg_perf_places *places, struct sg_range range,
                              const struct sg_perf_frame *frame, size_t sample) {
    struct sg_range name = frame->has_tab ? range : frame->name;
    struct sg_range file =
        frame->has_tab ? (struct sg_range){range.begin, range.begin} : frame->file;
    int32_t name_number = number(&places->names, name);
    if (name_number < 0)
        return -1;
    int32_t last = sg_number_pairs_last(&places->pairs, name_number);
    if (last >= 0 && !frame->has_tab && has_file(places, last, file))
        return last;
    int32_t file_number = frame->has_tab ? NO_FILE : number(&places->files, file);
    if (file_number < 0 && !frame->has_tab)
        return -1;
    int32_t place = sg_number_pairs_number(&places->pairs, name_number, file_number);
    if (place < 0)
        return -1;
    if ((size_t)place == places->sample.n &&
        push_place(places, name, file, frame->has_tab, sample) < 0)
        return -1;
    return place;
}
