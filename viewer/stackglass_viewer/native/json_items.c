/* Items of JSON: a scan for commas and brackets outside strings. */
#include "json_items.h"

enum { PLAIN, QUOTE, COMMA, OPEN, CLOSE };

static const unsigned char KIND[256] = {
    ['"'] = QUOTE, [','] = COMMA, ['['] = OPEN, ['{'] = OPEN, [']'] = CLOSE, ['}'] = CLOSE,
};

/* The place after the quote that ends a string, of which `at` is inside; `size` if none does. */
static size_t skip_string(const unsigned char *content, size_t size, size_t at) {
    while (at < size) {
        unsigned char letter = content[at++];
        if (letter == '"')
            return at;
        if (letter == '\\' && at < size)
            at++;
    }
    return size;
}

size_t sg_json_items_end(const unsigned char *content, size_t size, size_t at, size_t n_bytes) {
    size_t wanted = n_bytes < size - at ? at + n_bytes : size;
    size_t depth = 0;
    while (at < size) {
        switch (KIND[content[at]]) {
        case QUOTE:
            at = skip_string(content, size, at + 1);
            continue;
        case COMMA:
            if (depth == 0 && at >= wanted)
                return at;
            break;
        case OPEN:
            depth++;
            break;
        case CLOSE:
            if (depth == 0)
                return at;
            depth--;
            break;
        default:
            break;
        }
        at++;
    }
    return size;
}
