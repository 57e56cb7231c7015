/* The table uses open addressing and is at most half full. The hash is stored beside the number, so
 * that growing need not read the text. */
#include "text_pieces.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

enum { FIRST_SLOTS = 1 << 12, MOST_COPIED_BYTES = 1 << 20 };

/* Choose keys that the author of a file cannot know. The fallback is for a kernel whose random
 * number generator is not ready yet. */
static void choose_keys(struct sg_text_pieces *pieces) {
    if (getrandom(pieces->keys, sizeof pieces->keys, GRND_NONBLOCK) == sizeof pieces->keys)
        return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t state = (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)pieces;
    for (size_t i = 0; i < 3; i++)
        pieces->keys[i] = state = sg_text_mix(state + 0x9E3779B97F4A7C15u, 0xD6E8FEB86659FD93u);
}

int sg_text_pieces_init(struct sg_text_pieces *pieces, const unsigned char *text) {
    *pieces = (struct sg_text_pieces){
        .text = text, .n_slots = FIRST_SLOTS, .most_copied_bytes = MOST_COPIED_BYTES};
    pieces->slots = calloc(FIRST_SLOTS, sizeof *pieces->slots);
    choose_keys(pieces);
    return pieces->slots ? 0 : -1;
}

void sg_text_pieces_free(struct sg_text_pieces *pieces) {
    free(pieces->slots);
    pieces->slots = NULL;
    sg_release(&pieces->start);
    sg_release(&pieces->length);
    free(pieces->copies);
    pieces->copies = NULL;
    sg_release(&pieces->copy_at);
}

static int grow(struct sg_text_pieces *pieces) {
    size_t n_slots = pieces->n_slots * 2, mask = n_slots - 1;
    struct sg_text_slot *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return -1;
    for (size_t i = 0; i < pieces->n_slots; i++) {
        struct sg_text_slot slot = pieces->slots[i];
        if (!slot.place)
            continue;
        size_t at = slot.hash & mask;
        while (slots[at].place)
            at = (at + 1) & mask;
        slots[at] = slot;
    }
    free(pieces->slots);
    pieces->slots = slots;
    pieces->n_slots = n_slots;
    return 0;
}

/* Copy the piece that was just added. The first one without room ends the copying. Returns 0, or -1
 * if memory is short. */
static int copy(struct sg_text_pieces *pieces, size_t begin, size_t length) {
    if (length > pieces->most_copied_bytes - pieces->n_copied_bytes) {
        pieces->most_copied_bytes = pieces->n_copied_bytes;
        return 0;
    }
    if (!pieces->copies && !(pieces->copies = malloc(pieces->most_copied_bytes)))
        return -1;
    if (sg_push_i32(&pieces->copy_at, (int32_t)pieces->n_copied_bytes) < 0)
        return -1;
    memcpy(pieces->copies + pieces->n_copied_bytes, pieces->text + begin, length);
    pieces->n_copied_bytes += length;
    return 0;
}

int32_t sg_text_pieces_push(struct sg_text_pieces *pieces, size_t begin, size_t length) {
    size_t number = pieces->start.n;
    if (number == INT32_MAX || sg_push_i64(&pieces->start, (int64_t)begin) < 0)
        return -1;
    if (sg_push_i32(&pieces->length, (int32_t)length) < 0) {
        pieces->start.n--;
        return -1;
    }
    return pieces->copy_at.n == number && copy(pieces, begin, length) < 0 ? -1 : (int32_t)number;
}

int32_t sg_text_pieces_insert(struct sg_text_pieces *pieces, size_t at, uint32_t hash, size_t begin,
                              size_t length) {
    int32_t number = sg_text_pieces_push(pieces, begin, length);
    if (number < 0)
        return -1;
    pieces->slots[at] = (struct sg_text_slot){hash, (uint32_t)number + 1};
    if (pieces->start.n * 2 > pieces->n_slots && grow(pieces) < 0)
        return -1;
    return number;
}
