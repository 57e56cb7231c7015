/* Only the plain form, which Go and Stackglass write, is read here: single tabs, and no `+` in a
 * name. In other forms the end of the name is ambiguous; Python reads them. */
#include "frame_comments.h"
#include "hex_digits.h"

enum { MOST_LINE_DIGITS = 18 };

struct frame {
    uint64_t address;
    const unsigned char *name, *name_end, *file, *file_end;
    int64_t line;
};

int sg_frame_comments_init(struct sg_frame_comments *comments, const unsigned char *text) {
    *comments = (struct sg_frame_comments){0};
    return sg_text_pieces_init(&comments->names, text) < 0 ||
                   sg_text_pieces_init(&comments->files, text) < 0
               ? -1
               : 0;
}

void sg_frame_comments_free(struct sg_frame_comments *comments) {
    sg_text_pieces_free(&comments->names);
    sg_text_pieces_free(&comments->files);
    sg_release(&comments->address);
    sg_release(&comments->name);
    sg_release(&comments->file);
    sg_release(&comments->line);
}

static int is_space(unsigned char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

/* Read a hex number that begins with `0x`. Returns where its digits end; NULL = no such number. */
static const unsigned char *read_hex(const unsigned char *at, const unsigned char *end,
                                     uint64_t *number) {
    if (end - at < 3 || at[0] != '0' || at[1] != 'x')
        return NULL;
    const unsigned char *digits = at + 2;
    at = sg_read_hex_digits(digits, end, number);
    return at > digits ? at : NULL;
}

/* Read `app.py:12`, up to `end`. Returns whether the text has this form. */
static int read_place(const unsigned char *at, const unsigned char *end, struct frame *frame) {
    const unsigned char *colon = memrchr(at, ':', (size_t)(end - at));
    if (!colon || end - colon < 2 || end - colon - 1 > MOST_LINE_DIGITS ||
        memchr(at, '\t', (size_t)(end - at)))
        return 0;
    frame->file = at;
    frame->file_end = colon;
    frame->line = 0;
    for (at = colon + 1; at < end; at++) {
        if (*at < '0' || *at > '9')
            return 0;
        frame->line = frame->line * 10 + (*at - '0');
    }
    return 1;
}

static int read_frame(const unsigned char *at, const unsigned char *end, struct frame *frame) {
    if (end - at < 2 || at[0] != '#' || at[1] != '\t')
        return 0;
    const unsigned char *digits = at + 4;
    at = read_hex(at + 2, end, &frame->address);
    if (!at || at - digits > SG_MOST_HEX_DIGITS || end - at < 2 || *at != '\t' || is_space(at[1]) ||
        at[1] == '+')
        return 0;
    frame->name = ++at;
    while (at < end && *at != '\t' && *at != '+')
        at++;
    frame->name_end = at;
    uint64_t offset;
    if (at < end && *at == '+' && !(at = read_hex(at + 1, end, &offset)))
        return 0;
    return at < end && *at == '\t' && read_place(at + 1, end, frame);
}

static int32_t number(struct sg_text_pieces *pieces, const unsigned char *at,
                      const unsigned char *end) {
    return sg_text_pieces_number(pieces, (size_t)(at - pieces->text), (size_t)(end - at));
}

int sg_frame_comments_add(struct sg_frame_comments *comments, const unsigned char *at,
                          const unsigned char *end) {
    struct frame frame = {0};
    int32_t name = -1, file = -1;
    if (read_frame(at, end, &frame)) {
        name = number(&comments->names, frame.name, frame.name_end);
        file = number(&comments->files, frame.file, frame.file_end);
        if (name < 0 || file < 0)
            return -1;
    }
    return sg_push_u64(&comments->address, frame.address) < 0 ||
                   sg_push_i32(&comments->name, name) < 0 ||
                   sg_push_i32(&comments->file, file) < 0 ||
                   sg_push_i64(&comments->line, frame.line) < 0
               ? -1
               : 0;
}
