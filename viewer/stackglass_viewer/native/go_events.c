/* An event is a code and its arguments as varints; the first argument is the time since the event
 * before. The trace has no sizes of objects: they follow from the spans that the objects are in. */
#include "go_events.h"
#include "memory_replay.h"
#include "seeded_hash.h"

enum { MOST_ARGUMENTS = 8 };
enum { MOST_PAGES = 16 };        /* limit of pages entered for a span */
enum { SHARED_SLOT_BYTES = 16 }; /* Go's tiny allocator puts several objects into such a slot */

struct reader {
    const uint8_t *at, *end;
};

static int read_varint(struct reader *reader, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (reader->at == reader->end)
            return -1;
        uint8_t byte = *reader->at++;
        if (shift < 64)
            *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return 0;
    }
    return -1;
}

static int push(struct sg_go_events *events, uint8_t code, uint64_t ticks,
                const uint64_t *arguments) {
    if (sg_reserve(&events->kind, 1, 1) < 0 || sg_push_u64(&events->ticks, ticks) < 0 ||
        sg_push_u64(&events->first, arguments[1]) < 0 ||
        sg_push_u64(&events->second, arguments[2]) < 0 ||
        sg_push_u64(&events->third, arguments[3]) < 0)
        return -1;
    events->kind.data[events->kind.n++] = (char)code;
    return 0;
}

int sg_go_read_batch(const uint8_t *content, size_t n_bytes, uint64_t ticks,
                     const struct sg_go_spec *spec, struct sg_go_events *events) {
    struct reader reader = {content, content + n_bytes};
    while (reader.at < reader.end) {
        uint8_t code = *reader.at++;
        unsigned n = spec->n_arguments[code];
        uint64_t arguments[MOST_ARGUMENTS] = {0};
        if (n == 0 || n > MOST_ARGUMENTS)
            return -2;
        for (unsigned i = 0; i < n; i++)
            if (read_varint(&reader, &arguments[i]) < 0)
                return -2;
        if (__builtin_add_overflow(ticks, arguments[0], &ticks))
            return -3;
        if (spec->is_wanted[code] && push(events, code, ticks, arguments) < 0)
            return -1;
    }
    return 0;
}

void sg_go_free(struct sg_go_events *events) {
    sg_release(&events->kind);
    sg_release(&events->ticks);
    sg_release(&events->first);
    sg_release(&events->second);
    sg_release(&events->third);
}

static size_t find_page(const struct sg_go_pages *pages, uint64_t page) {
    size_t slot = sg_seeded_hash(pages->seed, page) & (pages->n_slots - 1);
    while (pages->keys[slot] && pages->keys[slot] != page + 1)
        slot = (slot + 1) & (pages->n_slots - 1);
    return slot;
}

static void set_page(struct sg_go_pages *pages, uint64_t page, uint64_t base, uint64_t slot_bytes) {
    size_t slot = find_page(pages, page);
    pages->n_used += !pages->keys[slot];
    pages->keys[slot] = page + 1;
    pages->bases[slot] = base;
    pages->slots[slot] = slot_bytes;
}

/* Enter the pages of a span. The object of a whole span begins at its first page, so this page is
 * enough; spans with several slots have few pages. */
static void set_span(struct sg_go_pages *pages, uint64_t address, uint64_t size, uint32_t slot) {
    uint64_t first = address / pages->page_bytes, n = size / pages->page_bytes;
    if (slot == SG_WHOLE_SPAN || n > MOST_PAGES)
        n = 1;
    for (uint64_t i = 0; i < n; i++)
        set_page(pages, first + i, address, slot == SG_WHOLE_SPAN ? size : slot);
}

static void size_object(const struct sg_go_pages *pages, const struct sg_go_columns *events,
                        size_t i) {
    size_t found = find_page(pages, events->address[i] / pages->page_bytes);
    uint64_t slot = pages->keys[found] ? pages->slots[found] : 0;
    events->size[i] = slot;
    if (!slot)
        return;
    uint64_t behind = (events->address[i] - pages->bases[found]) % slot;
    if (behind && slot == SHARED_SLOT_BYTES)
        events->kind[i] = SG_EV_SHARED;
    else
        events->address[i] -= behind;
}

size_t sg_go_size_objects(struct sg_go_pages *pages, const struct sg_go_columns *events,
                          size_t first) {
    for (size_t i = first; i < events->n; i++) {
        if ((pages->n_used + MOST_PAGES) * 2 > pages->n_slots)
            return i;
        switch (events->kind[i]) {
        case SG_EV_SPAN:
        case SG_EV_SPAN_ALLOC:
            set_span(pages, events->address[i], events->size[i], events->slot[i]);
            break;
        case SG_EV_OBJECT:
        case SG_EV_OBJECT_ALLOC:
            size_object(pages, events, i);
            break;
        default:
            break;
        }
    }
    return events->n;
}

void sg_go_enter_pages(const struct sg_go_pages *from, struct sg_go_pages *to) {
    for (size_t slot = 0; slot < from->n_slots; slot++)
        if (from->keys[slot])
            set_page(to, from->keys[slot] - 1, from->bases[slot], from->slots[slot]);
}
