/* Segmented array: grows and never moves, in mapped pages. Each segment has twice as many items as
 * the one before it.
 *
 *     0 … 1023 │ 1024 … 3071 │ 3072 … 7167 │ …
 *
 * One thread at a time grows it; any thread may read an item that exists. */
#ifndef STACKGLASS_PLATFORM_SEGMENTED_ARRAY_H
#define STACKGLASS_PLATFORM_SEGMENTED_ARRAY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_SEGMENT_FIRST_BITS = 10, SG_SEGMENTS = 10 };
enum { SG_SEGMENT_ITEMS = (1 << (SG_SEGMENT_FIRST_BITS + SG_SEGMENTS)) - 1024 }; /* a million */

struct sg_segmented_array {
    size_t item_bytes; /* set once, before anything else */
    char *parts[SG_SEGMENTS];
    _Atomic uint64_t n_bytes;
};

/* Return the segment of item `number`, and set `offset` to the item's index in it. */
static inline uint32_t sg_segmented_array_part(uint32_t number, uint32_t *offset) {
    uint32_t shifted = number + (1u << SG_SEGMENT_FIRST_BITS);
    uint32_t bits = 31 - (uint32_t)__builtin_clz(shifted);
    *offset = shifted - (1u << bits);
    return bits - SG_SEGMENT_FIRST_BITS;
}

static inline void *sg_segmented_array_at(const struct sg_segmented_array *segments,
                                          uint32_t number) {
    uint32_t offset, part = sg_segmented_array_part(number, &offset);
    return segments->parts[part] + offset * segments->item_bytes;
}

/* Make item `number` exist; a new item is all zero. Returns false if there is no room. */
bool sg_segmented_array_make_room(struct sg_segmented_array *segments, uint32_t number);
void sg_segmented_array_discard(struct sg_segmented_array *segments);

#endif
