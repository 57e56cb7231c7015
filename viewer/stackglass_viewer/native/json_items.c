/* A scan for commas and brackets outside strings, eight bytes at a time. */
#include <string.h>

#include "json_items.h"

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
enum { WORD = sizeof(uint64_t) };

static uint64_t load_word(const unsigned char *content) {
    uint64_t word;
    memcpy(&word, content, WORD);
    return word;
}

/* Return a mask with a bit for each byte of `word` that equals `byte`. Only the lowest set bit is
 * reliable: a borrow may set the bits of bytes above it. */
static uint64_t match(uint64_t word, unsigned char byte) {
    uint64_t other = word ^ EACH(byte);
    return (other - EACH(1)) & ~other & EACH(0x80);
}

/* Return the index, in memory order, of the byte with the lowest set bit. */
static size_t find_byte(uint64_t bits) {
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "find_byte needs a little-endian processor"
#endif
    return (size_t)__builtin_ctzll(bits) / 8;
}

/* Return the offset after the quote that ends the string around `at`; `size` if no quote does. */
static size_t skip_string(const unsigned char *content, size_t size, size_t at) {
    while (at < size) {
        if (size - at >= WORD) {
            uint64_t word = load_word(content + at);
            uint64_t found = match(word, '"') | match(word, '\\');
            if (!found) {
                at += WORD;
                continue;
            }
            at += find_byte(found);
        }
        unsigned char letter = content[at++];
        if (letter == '"')
            return at;
        if (letter == '\\' && at < size)
            at++;
    }
    return size;
}

/* Return the offset of the first quote or bracket from `at` on, or comma if `with_commas`; `end` if
 * there is none. */
static size_t find_sign(const unsigned char *content, size_t end, size_t at, int with_commas) {
    for (; end - at >= WORD; at += WORD) {
        uint64_t word = load_word(content + at);
        uint64_t folded = word | EACH(0x20); /* [ and ] become { and } */
        uint64_t found = match(word, '"') | match(folded, '{') | match(folded, '}');
        if (with_commas)
            found |= match(word, ',');
        if (found)
            return at + find_byte(found);
    }
    for (; at < end; at++)
        if (content[at] == '"' || (content[at] | 0x20) == '{' || (content[at] | 0x20) == '}' ||
            (with_commas && content[at] == ','))
            break;
    return at;
}

size_t sg_json_items_end(const unsigned char *content, size_t size, size_t at, size_t n_bytes) {
    size_t wanted = n_bytes < size - at ? at + n_bytes : size;
    size_t depth = 0;
    while (at < size) {
        int is_early = depth == 0 && at < wanted;
        size_t end = is_early ? wanted : size;
        at = find_sign(content, end, at, depth == 0 && !is_early);
        if (at == end)
            continue;
        switch (content[at]) {
        case '"':
            at = skip_string(content, size, at + 1);
            continue;
        case ',':
            return at;
        case '[':
        case '{':
            depth++;
            break;
        default:
            if (depth == 0)
                return at;
            depth--;
        }
        at++;
    }
    return size;
}
