/* Table of texts in UTF-8, side by side. A Python string of three letters takes 64 bytes, and 24 to
 * 48 more in a dictionary; here it takes 7, and 8 to 16 more while texts are looked up.
 *
 *     "" 0, "main" 1, "work" 2          bytes: mainwork, end: 0 4 8
 */
#ifndef SG_TEXTS_H
#define SG_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

struct sg_texts {
    struct sg_vector bytes; /* of all texts */
    struct sg_vector end;   /* uint32, by number: where a text ends in `bytes` */
    struct sg_vector slots; /* int32: a text's number + 1; 0 = free */
    uint64_t keys[3];       /* of the hash; differ in every run */
    int is_sealed;
    int has_surrogates; /* some texts have them, in the form of UTF-8 */
};

/* Make an empty table. Returns 0, or -1 if memory is short; free it in either case. */
int sg_texts_init(struct sg_texts *texts);
void sg_texts_free(struct sg_texts *texts);

/* Return the number of a text, which is added if it is new. A text that was appended is found only
 * if the table has grown since. Returns -1 if memory is short, if there are 2^31 - 1 texts or
 * 2^32 - 1 bytes, or if the table was sealed. */
int32_t sg_texts_number(struct sg_texts *texts, const unsigned char *text, size_t n);

/* Append a text without a look-up. Returns 0, or -1 as sg_texts_number. */
int sg_texts_append(struct sg_texts *texts, const unsigned char *text, size_t n);

/* Free what look-ups need, and replace each surrogate by U+FFFD. No text can be added then. */
void sg_texts_seal(struct sg_texts *texts);

static inline size_t sg_texts_begin(const struct sg_texts *texts, size_t number) {
    return number ? ((const uint32_t *)(void *)texts->end.data)[number - 1] : 0;
}

static inline size_t sg_texts_length(const struct sg_texts *texts, size_t number) {
    return ((const uint32_t *)(void *)texts->end.data)[number] - sg_texts_begin(texts, number);
}

#endif
