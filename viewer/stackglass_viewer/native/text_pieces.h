/* Hash table of the pieces of a text: equal ranges of bytes get the same number, in order of first
 * appearance.
 *
 *     main;work;main 5  ─▶  "main" 0, "work" 1, "main" 0
 *
 * So each distinct piece is interpreted only once, however often it comes, and memory grows only
 * with the distinct pieces. Every table has random keys for its hash, so that a file cannot be made
 * to cause collisions.
 *
 * A known piece is compared with its bytes. Those of the first pieces are copied side by side: in
 * the text, each would lie in a cache line and a page of its own. */
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
    const unsigned char *text;    /* borrowed; it may move as long as its pieces stay the same */
    struct sg_vector slot_memory; /* slots; a mapping, so that what is freed is given back */
    struct sg_text_slot *slots;
    size_t n_slots; /* a power of two */
    size_t most;    /* pieces for which there are slots enough */
    uint64_t keys[3];
    struct sg_vector start;   /* uint32, by number: offset of the occurrence numbered last */
    struct sg_vector length;  /* int32, by number */
    struct sg_vector copies;  /* bytes of the first pieces */
    struct sg_vector copy_at; /* int32, by number: offset in `copies`, for those that are there */
    size_t most_copied_bytes;
};

/* Choose keys that the author of a file cannot know. */
void sg_text_choose_keys(uint64_t keys[3]);

/* Make an empty table. Returns 0, or -1 if memory is short; then there is nothing to free. */
int sg_text_pieces_init(struct sg_text_pieces *pieces, const unsigned char *text);
void sg_text_pieces_free(struct sg_text_pieces *pieces);

/* Return a new number for a range; no later range gets it, even if it is equal. Returns -1 if
 * memory is short, if there are 2^31 - 1 pieces, or if the range begins at 4 GiB or later. */
int32_t sg_text_pieces_push(struct sg_text_pieces *pieces, size_t begin, size_t length);

/* Return a number for a new range, which belongs into the free slot `at`; -1 as
 * sg_text_pieces_push. */
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
    if (n < 4)
        return memcmp(a, b, n) == 0;
    if (n < 8)
        return sg_text_half(a) == sg_text_half(b) &&
               sg_text_half(a + n - 4) == sg_text_half(b + n - 4);
    for (size_t at = 0; at + 8 < n; at += 8)
        if (sg_text_word(a + at) != sg_text_word(b + at))
            return 0;
    return sg_text_word(a + n - 8) == sg_text_word(b + n - 8);
}

/* Return the bytes of piece `number`. */
static inline const unsigned char *sg_text_pieces_bytes(const struct sg_text_pieces *pieces,
                                                        size_t number) {
    return number < pieces->copy_at.n
               ? (const unsigned char *)pieces->copies.data + sg_i32(&pieces->copy_at)[number]
               : pieces->text + sg_u32(&pieces->start)[number];
}

/* Whether the range `begin`, `length` of the text equals piece `number`. */
static inline int sg_text_pieces_is(const struct sg_text_pieces *pieces, int32_t number,
                                    size_t begin, size_t length) {
    return (size_t)sg_i32(&pieces->length)[number] == length &&
           sg_text_equal(sg_text_pieces_bytes(pieces, (size_t)number), pieces->text + begin,
                         length);
}

/* Return the number of the range `begin`, `length` of the text, which is added if it is new. The
 * length is at most 2^31 - 1. Returns -1 as sg_text_pieces_push. */
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
            /* The new place is more likely in the CPU's cache. */
            if (number >= pieces->copy_at.n && begin <= UINT32_MAX)
                sg_u32(&pieces->start)[number] = (uint32_t)begin;
            return (int32_t)number;
        }
    }
}

#endif
