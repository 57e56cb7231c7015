/* Pieces of a text: equal ranges of bytes get the same number, in order of first appearance.
 *
 *     main;work;main 5  ─▶  "main" 0, "work" 1, "main" 0
 *
 * What a piece means is read once, however often it comes. Memory grows
 * with the different pieces. A file cannot be made so that its pieces collide: the hash has keys
 * of its own in every table. */
#ifndef SG_TEXT_PIECES_H
#define SG_TEXT_PIECES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "column.h"

struct sg_text_slot {
    uint32_t hash;
    uint32_t place; /* number + 1; 0 = free */
};

struct sg_text_pieces {
    const unsigned char *text; /* the caller's, as long as the pieces live */
    struct sg_text_slot *slots;
    size_t n_slots; /* a power of two, at least twice the pieces */
    uint64_t keys[3];
    struct sg_vector start;  /* int64, by number: of the last occurrence, up to now */
    struct sg_vector length; /* int32, by number */
};

/* 0, or -1 if there is no memory; then there is nothing to free. */
int sg_text_pieces_init(struct sg_text_pieces *pieces, const unsigned char *text);
void sg_text_pieces_free(struct sg_text_pieces *pieces);

/* A number of its own for a range, which no later range gets. -1 = no memory. */
int32_t sg_text_pieces_push(struct sg_text_pieces *pieces, size_t begin, size_t length);

/* The same for a range that belongs into the free slot `at`. */
int32_t sg_text_pieces_insert(struct sg_text_pieces *pieces, size_t at, uint32_t hash, size_t begin,
                              size_t length);

static inline uint64_t sg_text_word(const unsigned char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint64_t sg_text_half(const unsigned char *at) {
    uint32_t half;
    memcpy(&half, at, sizeof half);
    return half;
}

static inline uint64_t sg_text_mix(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint32_t sg_text_hash(const uint64_t keys[3], const unsigned char *at, size_t n) {
    uint64_t state = keys[0] ^ n, first = 0, last = 0;
    for (; n > 16; at += 16, n -= 16)
        state = sg_text_mix(sg_text_word(at) ^ keys[1], sg_text_word(at + 8) ^ state);
    if (n >= 8) {
        first = sg_text_word(at);
        last = sg_text_word(at + n - 8);
    } else if (n >= 4) {
        first = sg_text_half(at);
        last = sg_text_half(at + n - 4);
    } else if (n) {
        first = (uint64_t)at[0] << 16 | (uint64_t)at[n / 2] << 8 | at[n - 1];
    }
    return (uint32_t)sg_text_mix(sg_text_mix(first ^ keys[1], last ^ state) ^ keys[2], keys[1]);
}

static inline int sg_text_equal(const unsigned char *a, const unsigned char *b, size_t n) {
    if (n < 8)
        return memcmp(a, b, n) == 0;
    for (size_t at = 0; at + 8 < n; at += 8)
        if (sg_text_word(a + at) != sg_text_word(b + at))
            return 0;
    return sg_text_word(a + n - 8) == sg_text_word(b + n - 8);
}

/* Whether the range `begin`, `length` of the text is the piece of a number. */
static inline int sg_text_pieces_is(const struct sg_text_pieces *pieces, int32_t number,
                                    size_t begin, size_t length) {
    return (size_t)sg_i32(&pieces->length)[number] == length &&
           sg_text_equal(pieces->text + sg_i64(&pieces->start)[number], pieces->text + begin,
                         length);
}

/* The number of the range `begin`, `length` of the text; a length of at most 2^31 - 1. -1 = no
 * memory, or more than 2^31 - 1 different pieces. */
static inline int32_t sg_text_pieces_number(struct sg_text_pieces *pieces, size_t begin,
                                            size_t length) {
    const unsigned char *piece = pieces->text + begin;
    const size_t mask = pieces->n_slots - 1;
    uint32_t hash = sg_text_hash(pieces->keys, piece, length);
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        struct sg_text_slot slot = pieces->slots[at];
        if (!slot.place)
            return sg_text_pieces_insert(pieces, at, hash, begin, length);
        size_t number = slot.place - 1;
        if (slot.hash == hash && sg_text_pieces_is(pieces, (int32_t)number, begin, length)) {
            sg_i64(&pieces->start)[number] = (int64_t)begin; /* more likely in a cache */
            return (int32_t)number;
        }
    }
}

#endif
