/* Fresh objects: the set of addresses that were allocated for objects in the present generation
 * and not freed. The writer ends a generation after 64 blocks of events or a second. Then the
 * worker reads the types of the fresh objects. If there is no room for a page, its objects are left
 * out: their types may stay unknown.
 *
 *     page of 4 KiB ──hash──▶ 256 bits, one for each 16 bytes
 *
 * Used by one thread at a time. */
#ifndef STACKGLASS_TRACE_FRESH_OBJECTS_H
#define STACKGLASS_TRACE_FRESH_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_FRESH_PAGE_BITS = 12, SG_FRESH_UNIT_BITS = 4, SG_FRESH_WORDS = 4 };

struct sg_fresh_page {
    uint64_t number; /* address >> SG_FRESH_PAGE_BITS */
    uint64_t bits[SG_FRESH_WORDS];
};

struct sg_fresh_objects {
    struct sg_fresh_page *pages; /* (n,); mapped */
    uint32_t *slots;             /* open addressing: place of the page + 1; 0 = free */
    uint32_t n;
    uint32_t last; /* place of the last page that was looked up */
};

/* Return 0, or -1 if memory is short. */
int sg_fresh_objects_prepare(struct sg_fresh_objects *fresh);
void sg_fresh_objects_discard(struct sg_fresh_objects *fresh);
/* Forget all objects: a generation begins. */
void sg_fresh_objects_clear(struct sg_fresh_objects *fresh);

/* Return the page with this number. If it is not there: NULL, or a new page if `is_added` and there
 * is room. */
struct sg_fresh_page *sg_fresh_objects_find(struct sg_fresh_objects *fresh, uint64_t number,
                                            bool is_added);

/* The same by an address in the page; fast if it was the last one that was looked up. */
static inline struct sg_fresh_page *sg_fresh_objects_page(struct sg_fresh_objects *fresh,
                                                          uint64_t address, bool is_added) {
    uint64_t number = address >> SG_FRESH_PAGE_BITS;
    if (fresh->last < fresh->n && fresh->pages[fresh->last].number == number)
        return &fresh->pages[fresh->last];
    return sg_fresh_objects_find(fresh, number, is_added);
}

/* Return the number of the bit in its page that stands for an address. */
static inline unsigned sg_fresh_objects_bit(uint64_t address) {
    return address >> SG_FRESH_UNIT_BITS & (SG_FRESH_WORDS * 64 - 1);
}

static inline void sg_fresh_objects_add(struct sg_fresh_objects *fresh, uint64_t address) {
    struct sg_fresh_page *page = sg_fresh_objects_page(fresh, address, true);
    unsigned bit = sg_fresh_objects_bit(address);
    if (page)
        page->bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline void sg_fresh_objects_remove(struct sg_fresh_objects *fresh, uint64_t address) {
    struct sg_fresh_page *page = fresh->n ? sg_fresh_objects_page(fresh, address, false) : NULL;
    unsigned bit = sg_fresh_objects_bit(address);
    if (page)
        page->bits[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

#endif
