/* Numbers of callgrind's format: `12`, `+0x1f`, `-3`, of at most 20 decimal or 16 hex digits. */
#ifndef SG_CALLGRIND_NUMBERS_H
#define SG_CALLGRIND_NUMBERS_H

#include <stdint.h>

/* Holds the product of a number, below 10^20, and an event's factor, which is below 2^60: at most
 * nine digits times a unit (callgrind_events.py). */
typedef __int128 sg_callgrind_number;

enum { SG_CALLGRIND_MOST_DIGITS = 20, SG_CALLGRIND_MOST_HEX_DIGITS = 16 };

/* Return the value of a hex digit; 16 = `letter` is no hex digit. */
static inline unsigned sg_callgrind_digit(unsigned char letter) {
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    letter |= 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10u : 16u;
}

/* Read all bytes up to `end` as one number. Returns 0, or -1 if they are not a number. */
static inline int sg_callgrind_read_number(const unsigned char *at, const unsigned char *end,
                                           sg_callgrind_number *number) {
    int is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    uint64_t value = 0;
    const unsigned char *first = at;
    if (end - at > 2 && at[0] == '0' && at[1] == 'x') {
        if (end - at > SG_CALLGRIND_MOST_HEX_DIGITS + 2)
            return -1;
        for (at += 2; at < end; at++) {
            unsigned digit = sg_callgrind_digit(*at);
            if (digit > 15)
                return -1;
            value = value << 4 | digit;
        }
        *number = value;
    } else {
        const unsigned char *safe = end - at > 19 ? at + 19 : end; /* 19 digits fit in 64 bits */
        for (; at < safe && *at >= '0' && *at <= '9'; at++)
            value = value * 10 + (unsigned)(*at - '0');
        *number = value;
        for (; at < end && *at >= '0' && *at <= '9' && at - first < SG_CALLGRIND_MOST_DIGITS; at++)
            *number = *number * 10 + (*at - '0');
        if (at != end || at == first)
            return -1;
    }
    if (is_negative)
        *number = -*number;
    return 0;
}

#endif
