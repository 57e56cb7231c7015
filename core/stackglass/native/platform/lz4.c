/* LZ4 block encoder: searches for matches, and writes them as sequences. */
#include "platform/lz4.h"

#include <stdbool.h>
#include <string.h>

enum {
    LEAST_MATCH = 4,
    MOST_OFFSET = UINT16_MAX,
    LAST_LITERALS = 5,      /* of the format: a block ends with at least so many literals */
    LAST_MATCH_BEGINS = 12, /* of the format: at least so many bytes before the end */
    SKIP_BITS = 6,    /* after 2^6 places without a match, every second one is tried, and so on */
    LONG_LENGTH = 15, /* in a token's half: more bytes of the length follow */
};

struct output {
    uint8_t *at, *end;
};

static uint32_t load_u32(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t load_u64(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t hash_of(uint32_t four_bytes) {
    return four_bytes * UINT32_C(2654435761) >> (32 - SG_LZ4_HASH_BITS);
}

/* Count the equal bytes from `a` and `b` on, up to `end` for `a`. */
static size_t count_equal(const uint8_t *a, const uint8_t *b, const uint8_t *end) {
    const uint8_t *start = a;
    while (a + sizeof(uint64_t) <= end) {
        uint64_t differs = load_u64(a) ^ load_u64(b);
        if (differs)
            return (size_t)(a - start) + (size_t)__builtin_ctzll(differs) / 8;
        a += sizeof(uint64_t);
        b += sizeof(uint64_t);
    }
    while (a < end && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(a - start);
}

static void put_length(struct output *out, size_t length) {
    for (length -= LONG_LENGTH; length >= UINT8_MAX; length -= UINT8_MAX)
        *out->at++ = UINT8_MAX;
    *out->at++ = (uint8_t)length;
}

/* Write a sequence; `match` 0 = it is the last one, of literals alone. Returns false if there is no
 * room. */
static bool put_sequence(struct output *out, const uint8_t *literals, size_t n, size_t offset,
                         size_t match) {
    size_t most = 1 + n + n / UINT8_MAX + 1 + (match ? 2 + match / UINT8_MAX + 1 : 0);
    if ((size_t)(out->end - out->at) < most)
        return false;
    size_t matched = match ? match - LEAST_MATCH : 0;
    uint8_t *token = out->at++;
    *token = (uint8_t)((n < LONG_LENGTH ? n : LONG_LENGTH) << 4 |
                       (matched < LONG_LENGTH ? matched : LONG_LENGTH));
    if (n >= LONG_LENGTH)
        put_length(out, n);
    memcpy(out->at, literals, n);
    out->at += n;
    if (!match)
        return true;
    *out->at++ = (uint8_t)offset;
    *out->at++ = (uint8_t)(offset >> 8);
    if (matched >= LONG_LENGTH)
        put_length(out, matched);
    return true;
}

size_t sg_lz4_pack(struct sg_lz4_table *table, const uint8_t *bytes, size_t n, uint8_t *packed,
                   size_t capacity) {
    struct output out = {packed, packed + capacity};
    const uint8_t *literals = bytes, *end = bytes + n;
    size_t at =
        1; /* 0 in the table is the first byte, or no place: it can be compared either way */
    if (n > SG_LZ4_MOST_BYTES)
        return 0;
    memset(table->places, 0, sizeof table->places);
    size_t tried = 1 << SKIP_BITS;
    while (n >= LAST_MATCH_BEGINS && at <= n - LAST_MATCH_BEGINS) {
        uint32_t value = load_u32(bytes + at), hash = hash_of(value);
        size_t place = table->places[hash];
        table->places[hash] = (uint32_t)at;
        if (at - place > MOST_OFFSET || load_u32(bytes + place) != value) {
            at += tried++ >> SKIP_BITS;
            continue;
        }
        const uint8_t *from = bytes + at, *like = bytes + place;
        while (from > literals && like > bytes && from[-1] == like[-1]) {
            from--;
            like--;
        }
        size_t match =
            LEAST_MATCH + count_equal(from + LEAST_MATCH, like + LEAST_MATCH, end - LAST_LITERALS);
        if (!put_sequence(&out, literals, (size_t)(from - literals), (size_t)(from - like), match))
            return 0;
        literals = from + match;
        at = (size_t)(literals - bytes);
        tried = 1 << SKIP_BITS;
        if (at >= 2 && at + LEAST_MATCH <= n)
            table->places[hash_of(load_u32(bytes + at - 2))] = (uint32_t)at - 2;
    }
    if (!put_sequence(&out, literals, (size_t)(end - literals), 0, 0))
        return 0;
    return (size_t)(out.at - packed);
}
