/* The table uses open addressing and is at most three quarters full: of many short pieces, its
 * slots are most of the memory. The hash is stored beside the number, so that growing need not read
 * the text. */
#include "text_pieces.h"

#include <sys/random.h>
#include <time.h>

/* Some readers make tables again and again, of few pieces each: the first slots are few. */
enum { FIRST_SLOTS = 1 << 6, MOST_COPIED_BYTES = 1 << 20 };

/* The clock is for a kernel whose random number generator is not ready yet. */
void sg_text_choose_keys(uint64_t keys[3]) {
    const size_t n_bytes = 3 * sizeof *keys;
    if (getrandom(keys, n_bytes, GRND_NONBLOCK) == (ssize_t)n_bytes)
        return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t state = (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)keys;
    for (size_t i = 0; i < 3; i++)
        keys[i] = state = sg_text_mix(state + 0x9E3779B97F4A7C15u, 0xD6E8FEB86659FD93u);
}

/* Make room for `n_slots`; the new ones are free. Returns 0, or -1 if memory is short. */
static int resize(struct sg_text_pieces *pieces, size_t n_slots) {
    struct sg_vector *memory = &pieces->slot_memory;
    if (sg_column_resize(memory, n_slots, sizeof *pieces->slots) < 0)
        return -1;
    pieces->slots = (struct sg_text_slot *)(void *)memory->data;
    memset(pieces->slots + memory->n, 0, (n_slots - memory->n) * sizeof *pieces->slots);
    memory->n = pieces->n_slots = n_slots;
    pieces->most = n_slots / 4 * 3;
    return 0;
}

int sg_text_pieces_init(struct sg_text_pieces *pieces, const unsigned char *text) {
    *pieces = (struct sg_text_pieces){.text = text, .most_copied_bytes = MOST_COPIED_BYTES};
    sg_text_choose_keys(pieces->keys);
    return resize(pieces, FIRST_SLOTS);
}

void sg_text_pieces_free(struct sg_text_pieces *pieces) {
    sg_release(&pieces->slot_memory);
    pieces->slots = NULL;
    sg_release(&pieces->start);
    sg_release(&pieces->length);
    sg_release(&pieces->copies);
    sg_release(&pieces->copy_at);
}

/* Double the table in its place: a second one beside it would be most of the memory. Slots are
 * emptied in their order, from one after a free slot on, and a slot's piece belongs at its place,
 * before it, or in the new half. So none moves to where an old one still is. */
static int grow(struct sg_text_pieces *pieces) {
    size_t n_old = pieces->n_slots, mask = n_old * 2 - 1, first = 0;
    if (resize(pieces, mask + 1) < 0)
        return -1;
    struct sg_text_slot *slots = pieces->slots;
    while (slots[first].place)
        first++;
    for (size_t i = 1; i < n_old; i++) {
        struct sg_text_slot *old = &slots[(first + i) & (n_old - 1)], slot = *old;
        size_t at = slot.hash & mask;
        if (!slot.place)
            continue;
        old->place = 0;
        while (slots[at].place)
            at = (at + 1) & mask;
        slots[at] = slot;
    }
    return 0;
}

/* Copy the piece that was just added. The first one without room ends the copying. Returns 0, or -1
 * if memory is short. */
static int copy(struct sg_text_pieces *pieces, size_t begin, size_t length) {
    struct sg_vector *copies = &pieces->copies;
    if (length > pieces->most_copied_bytes - copies->n) {
        pieces->most_copied_bytes = copies->n;
        return 0;
    }
    if (!copies->data && sg_column_resize(copies, pieces->most_copied_bytes, 1) < 0)
        return -1;
    if (sg_push_i32(&pieces->copy_at, (int32_t)copies->n) < 0)
        return -1;
    memcpy(copies->data + copies->n, pieces->text + begin, length);
    copies->n += length;
    return 0;
}

int32_t sg_text_pieces_push(struct sg_text_pieces *pieces, size_t begin, size_t length) {
    size_t number = pieces->start.n;
    if (number == INT32_MAX || begin > UINT32_MAX ||
        sg_push_i32(&pieces->start, (int32_t)(uint32_t)begin) < 0)
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
    if (pieces->start.n > pieces->most && grow(pieces) < 0)
        return -1;
    return number;
}
