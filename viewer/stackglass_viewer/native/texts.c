/* Open addressing with linear probing: the table doubles when three quarters of its slots are in
 * use. */
#include "texts.h"

#include <string.h>

#include "text_pieces.h"

enum { FIRST_SLOTS = 1 << 8 };

static const unsigned char *bytes_of(const struct sg_texts *texts, size_t number) {
    return (const unsigned char *)texts->bytes.data + sg_texts_begin(texts, number);
}

/* Make room for `n_slots`, a power of two, in which each text finds its slot. Returns 0, or -1 if
 * memory is short. */
static int resize(struct sg_texts *texts, size_t n_slots) {
    struct sg_vector *slots = &texts->slots;
    const size_t mask = n_slots - 1;
    slots->n = 0; /* the texts know where they belong */
    if (sg_column_resize(slots, n_slots, sizeof(int32_t)) < 0)
        return -1;
    int32_t *slot = sg_i32(slots);
    memset(slot, 0, n_slots * sizeof *slot);
    slots->n = n_slots;
    for (size_t i = 0; i < texts->end.n; i++) {
        size_t n = sg_texts_length(texts, i);
        size_t at = sg_text_hash(texts->keys, bytes_of(texts, i), n) & mask;
        while (slot[at])
            at = (at + 1) & mask;
        slot[at] = (int32_t)i + 1;
    }
    return 0;
}

int sg_texts_init(struct sg_texts *texts) {
    *texts = (struct sg_texts){0};
    sg_text_choose_keys(texts->keys);
    return resize(texts, FIRST_SLOTS);
}

void sg_texts_free(struct sg_texts *texts) {
    sg_release(&texts->slots);
    sg_release(&texts->bytes);
    sg_release(&texts->end);
}

int sg_texts_append(struct sg_texts *texts, const unsigned char *text, size_t n) {
    size_t n_bytes = texts->bytes.n;
    if (!texts->slots.n || n > UINT32_MAX - n_bytes || texts->end.n == INT32_MAX)
        return -1;
    if (sg_reserve(&texts->bytes, n, 1) < 0 ||
        sg_push_i32(&texts->end, (int32_t)(uint32_t)(n_bytes + n)) < 0)
        return -1;
    if (n)
        memcpy(texts->bytes.data + n_bytes, text, n);
    texts->bytes.n += n;
    return 0;
}

int32_t sg_texts_number(struct sg_texts *texts, const unsigned char *text, size_t n) {
    if (!texts->slots.n)
        return -1;
    const size_t mask = texts->slots.n - 1;
    int32_t *slots = sg_i32(&texts->slots);
    size_t at = sg_text_hash(texts->keys, text, n) & mask;
    for (int32_t place; (place = slots[at]); at = (at + 1) & mask) {
        size_t number = (size_t)place - 1;
        if (sg_texts_length(texts, number) == n && !memcmp(bytes_of(texts, number), text, n))
            return (int32_t)number;
    }
    if (sg_texts_append(texts, text, n) < 0)
        return -1;
    int32_t number = (int32_t)texts->end.n - 1;
    slots[at] = number + 1;
    size_t n_slots = mask + 1;
    while (n_slots / 4 * 3 <
           texts->end.n) /* appended texts count, too: a slot for each is needed */
        n_slots *= 2;
    return n_slots > mask + 1 && resize(texts, n_slots) < 0 ? -1 : number;
}

/* Surrogates have the form ED A0…BF 80…BF, and U+FFFD is EF BF BD. No other letter has an ED with
 * such a byte after it. */
static void replace_surrogates(unsigned char *at, size_t n) {
    for (size_t i = 0; i + 2 < n; i++)
        if (at[i] == 0xED && at[i + 1] >= 0xA0)
            memcpy(at + i, "\xEF\xBF\xBD", 3);
}

void sg_texts_seal(struct sg_texts *texts) {
    sg_release(&texts->slots);
    texts->is_sealed = 1;
    if (texts->has_surrogates)
        replace_surrogates((unsigned char *)texts->bytes.data, texts->bytes.n);
    /* On failure, the memory stays larger. */
    if (texts->bytes.n)
        (void)sg_column_resize(&texts->bytes, texts->bytes.n, 1);
    if (texts->end.n)
        (void)sg_column_resize(&texts->end, texts->end.n, sizeof(uint32_t));
}
