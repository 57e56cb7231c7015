/* Segmented array: mapping and unmapping of segments. */
#include "platform/segmented_array.h"

#include "platform/memory.h"

static size_t size_of(const struct sg_segmented_array *segments, uint32_t part) {
    return segments->item_bytes << (part + SG_SEGMENT_FIRST_BITS);
}

bool sg_segmented_array_make_room(struct sg_segmented_array *segments, uint32_t number) {
    uint32_t offset, part = number < SG_SEGMENT_ITEMS ? sg_segmented_array_part(number, &offset)
                                                      : (uint32_t)SG_SEGMENTS;
    if (part >= SG_SEGMENTS)
        return false;
    if (!segments->parts[part] &&
        (segments->parts[part] = sg_memory_map(size_of(segments, part))) != NULL)
        atomic_fetch_add(&segments->n_bytes, size_of(segments, part));
    return segments->parts[part] != NULL;
}

void sg_segmented_array_discard(struct sg_segmented_array *segments) {
    for (uint32_t part = 0; part < SG_SEGMENTS; part++) {
        SG_MEMORY_DROP(segments->parts[part], size_of(segments, part));
    }
    atomic_store(&segments->n_bytes, 0);
}
