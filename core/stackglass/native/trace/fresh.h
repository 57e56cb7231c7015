/* Fresh objects: the set of blocks that were allocated for objects in the present generation and
 * not freed. A generation is a stretch of the trace, 64 blocks of events or a second, that the
 * writer ends. Then the worker reads the types of the fresh objects. If there is no room for a
 * page, its objects are left out: their types may stay unknown.
 *
 *     page of 4 KiB ──hash──▶ 256 bits, one for each 16 bytes
 *
 * Used by one thread at a time. */
#ifndef STACKGLASS_TRACE_FRESH_H
#define STACKGLASS_TRACE_FRESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_FRESH_PAGE_BITS = 12, SG_FRESH_UNIT_BITS = 4, SG_FRESH_WORDS = 4 };

struct sg_fresh_page {
    uint64_t number; /* address >> SG_FRESH_PAGE_BITS */
    uint64_t bits[SG_FRESH_WORDS];
};

struct sg_fresh {
    struct sg_fresh_page *pages; /* (n,); mapped */
    uint32_t *slots;             /* open addressing: place of the page + 1; 0 = free */
    uint32_t n;
    uint32_t last; /* place of the last page that was looked up */
};

int sg_trace_fresh_prepare(struct sg_fresh *fresh); /* returns 0, or -1 if memory is short */
void sg_trace_fresh_discard(struct sg_fresh *fresh);
void sg_trace_fresh_clear(struct sg_fresh *fresh);

/* Return the page with this number. If it is not there: NULL, or a new page if `is_added` and there
 * is room. */
struct sg_fresh_page *sg_trace_fresh_find(struct sg_fresh *fresh, uint64_t number, bool is_added);

static inline struct sg_fresh_page *sg_trace_fresh_page(struct sg_fresh *fresh, uint64_t address,
                                                        bool is_added) {
    uint64_t number = address >> SG_FRESH_PAGE_BITS;
    if (fresh->last < fresh->n && fresh->pages[fresh->last].number == number)
        return &fresh->pages[fresh->last];
    return sg_trace_fresh_find(fresh, number, is_added);
}

static inline unsigned sg_trace_fresh_bit(uint64_t address) {
    return address >> SG_FRESH_UNIT_BITS & (SG_FRESH_WORDS * 64 - 1);
}

static inline void sg_trace_fresh_add(struct sg_fresh *fresh, uint64_t address) {
    struct sg_fresh_page *page = sg_trace_fresh_page(fresh, address, true);
    unsigned bit = sg_trace_fresh_bit(address);
    if (page)
        page->bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline void sg_trace_fresh_remove(struct sg_fresh *fresh, uint64_t address) {
    struct sg_fresh_page *page = fresh->n ? sg_trace_fresh_page(fresh, address, false) : NULL;
    unsigned bit = sg_trace_fresh_bit(address);
    if (page)
        page->bits[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

#endif
