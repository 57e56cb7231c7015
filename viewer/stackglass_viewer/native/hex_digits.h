/* Hex digits of lower case to a number, eight at a time: one word of the text is classified and
 * converted without a branch for each digit. The text is never read at or beyond `end`. */
#ifndef SG_HEX_DIGITS_H
#define SG_HEX_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum { SG_MOST_HEX_DIGITS = 16 }; /* of a number with 64 bits */

#define SG_EACH_BYTE(byte) ((uint64_t)(byte)*0x0101010101010101u)

/* Return how many of the eight bytes of `word`, from the lowest on, are hex digits. */
static inline unsigned sg_count_hex_digits(uint64_t word) {
    uint64_t high = SG_EACH_BYTE(0x80), low = word & ~high; /* no sum below carries over a byte */
    uint64_t from_0 = low + SG_EACH_BYTE(0x80 - '0'), from_a = low + SG_EACH_BYTE(0x80 - 'a');
    uint64_t after_9 = low + SG_EACH_BYTE(0x7F - '9'), after_f = low + SG_EACH_BYTE(0x7F - 'f');
    uint64_t others = ~((from_0 & ~after_9) | (from_a & ~after_f)) | word;
    others &= high;
    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* Return the number of eight hex digits, the first one in the lowest byte; a byte 0 counts as a
 * digit 0. */
static inline uint64_t sg_join_hex_digits(uint64_t word) {
    uint64_t digits = (word & SG_EACH_BYTE(0x0F)) + 9 * (word >> 6 & SG_EACH_BYTE(1));
    digits = (digits << 4 | digits >> 8) & 0x00FF00FF00FF00FFu;
    digits = (digits << 8 | digits >> 16) & 0x0000FFFF0000FFFFu;
    return (digits << 16 | digits >> 32) & 0xFFFFFFFFu;
}

/* Return the value of a hex digit; 16 = `letter` is none. */
static inline unsigned sg_hex_digit(unsigned char letter) {
    unsigned digit = letter - (unsigned)'0', above = letter - (unsigned)'a';
    return digit < 10 ? digit : above < 6 ? above + 10 : 16;
}

/* Read all hex digits from `at` on. Returns where they end; beyond 16 digits, `number` is only
 * their last 64 bits. */
static inline const unsigned char *sg_read_hex_digits(const unsigned char *at,
                                                      const unsigned char *end, uint64_t *number) {
    uint64_t value = 0, word;
    while (end - at >= (ptrdiff_t)sizeof word) {
        memcpy(&word, at, sizeof word);
        word = le64toh(word);
        unsigned n = sg_count_hex_digits(word);
        if (n < 8) {
            if (n) /* the digits to the high bytes, so that zeros come before them */
                value = value << 4 * n | sg_join_hex_digits(word << 8 * (8 - n));
            *number = value;
            return at + n;
        }
        value = value << 32 | sg_join_hex_digits(word);
        at += 8;
    }
    for (unsigned digit; at < end && (digit = sg_hex_digit(*at)) < 16; at++)
        value = value << 4 | digit;
    *number = value;
    return at;
}

#endif
