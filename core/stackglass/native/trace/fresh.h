/* Fresh objects: blocks that were allocated for objects in the present generation and not freed:
 * those whose types the worker reads at its end.
 *
 *     page of 4 KiB ──hash──▶ 256 bits, one for 16 bytes
 *
 * One thread at a time. */
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
    uint32_t *slots;             /* an open hash: place + 1 */
    uint32_t n;
    uint32_t last; /* place of the last page that was looked up */
};

int sg_trace_fresh_prepare(struct sg_fresh *fresh); /* 0 or -1 */
void sg_trace_fresh_discard(struct sg_fresh *fresh);
void sg_trace_fresh_clear(struct sg_fresh *fresh);

/* The page of an address; a new one if `is_added` and there is room; else NULL. */
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
