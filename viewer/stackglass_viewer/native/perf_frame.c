/* A frame is parsed from both ends: the address first, then the file from the end, and the name is
 * what is left between them. */
#include <string.h>

#include "perf_frame.h"

enum { MOST_HEX_DIGITS = 16, MOST_LINE_DIGITS = 9 };

static int is_hex(unsigned char letter) {
    return sg_is_digit(letter) || (letter >= 'a' && letter <= 'f');
}

/* Count the hex digits at the end of a range. */
static size_t count_hex(const unsigned char *text, struct sg_range range) {
    size_t n = 0;
    while (n < range.end - range.begin && is_hex(text[range.end - 1 - n]))
        n++;
    return n;
}

static int ends_with(const unsigned char *text, struct sg_range range, const char *ending) {
    size_t n = strlen(ending);
    return range.end - range.begin >= n && !memcmp(text + range.end - n, ending, n);
}

struct sg_range sg_strip(const unsigned char *text, struct sg_range range) {
    while (range.begin < range.end && sg_is_space(text[range.begin]))
        range.begin++;
    while (range.begin < range.end && sg_is_space(text[range.end - 1]))
        range.end--;
    return range;
}

/* Return the name without an offset, `+0x69c`, at its end. */
static struct sg_range cut_offset(const unsigned char *text, struct sg_range name) {
    size_t n = count_hex(text, name);
    struct sg_range before = {name.begin, name.end - n};
    if (n >= 1 && n <= MOST_HEX_DIGITS && ends_with(text, before, "+0x"))
        name.end = before.end - strlen("+0x");
    return name;
}

/* Return where ` (deleted))` begins at the end of `rest`, or the end of `rest` without it. In place
 * of the space may be a tab if it is the first one of the text, at `tab`. */
static size_t find_deleted(const unsigned char *text, struct sg_range rest,
                           const unsigned char *tab) {
    size_t n = strlen(" (deleted))");
    if (!ends_with(text, rest, "(deleted))") || rest.end - rest.begin < n)
        return rest.end;
    const unsigned char *space = text + rest.end - n;
    return *space == ' ' || space == tab ? rest.end - n : rest.end;
}

int sg_perf_frame_split(const unsigned char *text, struct sg_range range,
                        struct sg_perf_frame *frame) {
    size_t n_digits = 0;
    while (range.begin + n_digits < range.end && is_hex(text[range.begin + n_digits]))
        n_digits++;
    struct sg_range rest = {range.begin + n_digits + 1, range.end};
    if (n_digits < 1 || n_digits > MOST_HEX_DIGITS || rest.begin >= rest.end ||
        text[rest.end - 1] != ')')
        return 0;
    unsigned char behind = text[rest.begin - 1];
    if (behind != ' ' && behind != '\t')
        return 0;
    const unsigned char *tab =
        behind == ' ' ? memchr(text + rest.begin, '\t', rest.end - rest.begin) : NULL;
    size_t bracket = find_deleted(text, rest, tab);
    const unsigned char *found = memrchr(text + rest.begin, '(', bracket - rest.begin);
    if (!found)
        return 0;
    bracket = (size_t)(found - text);
    frame->name = cut_offset(text, sg_strip(text, (struct sg_range){rest.begin, bracket}));
    frame->file = (struct sg_range){bracket + 1, rest.end - 1};
    frame->has_tab = tab != NULL;
    return 1;
}

int sg_perf_is_source(const unsigned char *text, struct sg_range range) {
    if (range.begin == range.end)
        return 0;
    struct sg_range before = range;
    if (text[range.end - 1] == ']') {
        before.end--;
        size_t n = count_hex(text, before);
        before.end -= n;
        return n >= 1 && n <= MOST_HEX_DIGITS && ends_with(text, before, "[");
    }
    while (before.begin < before.end && sg_is_digit(text[before.end - 1]))
        before.end--;
    size_t n = range.end - before.end;
    return n >= 1 && n <= MOST_LINE_DIGITS && ends_with(text, before, ":");
}
