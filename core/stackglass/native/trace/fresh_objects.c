/* Pages lie in one array, in the order in which they were added. An open-addressing hash table
 * finds them by number. */
#include "trace/fresh_objects.h"

#include <string.h>

#include "platform/memory.h"

enum { MOST_PAGES = 1 << 15, N_SLOTS = 2 * MOST_PAGES };

int sg_fresh_objects_prepare(struct sg_fresh_objects *fresh) {
    memset(fresh, 0, sizeof *fresh);
    fresh->pages = sg_memory_map(MOST_PAGES * sizeof *fresh->pages);
    fresh->slots = sg_memory_map(N_SLOTS * sizeof *fresh->slots);
    if (fresh->pages && fresh->slots)
        return 0;
    sg_fresh_objects_discard(fresh);
    return -1;
}

void sg_fresh_objects_discard(struct sg_fresh_objects *fresh) {
    sg_memory_unmap(fresh->pages, MOST_PAGES * sizeof *fresh->pages);
    sg_memory_unmap(fresh->slots, N_SLOTS * sizeof *fresh->slots);
    memset(fresh, 0, sizeof *fresh);
}

static uint32_t *slot_of(const struct sg_fresh_objects *fresh, uint64_t number) {
    uint32_t at = (uint32_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (N_SLOTS - 1);
    while (fresh->slots[at] && fresh->pages[fresh->slots[at] - 1].number != number)
        at = (at + 1) & (N_SLOTS - 1);
    return &fresh->slots[at];
}

void sg_fresh_objects_clear(struct sg_fresh_objects *fresh) {
    if (fresh->n > MOST_PAGES / 16)
        memset(fresh->slots, 0, N_SLOTS * sizeof *fresh->slots);
    else
        /* removed in reverse order of insertion, no search misses an entry */
        for (uint32_t i = fresh->n; i-- > 0;)
            *slot_of(fresh, fresh->pages[i].number) = 0;
    fresh->n = fresh->last = 0;
}

struct sg_fresh_page *sg_fresh_objects_find(struct sg_fresh_objects *fresh, uint64_t number,
                                            bool is_added) {
    uint32_t *slot = slot_of(fresh, number);
    if (!*slot) {
        if (!is_added || fresh->n == MOST_PAGES)
            return NULL;
        fresh->pages[fresh->n] = (struct sg_fresh_page){.number = number};
        *slot = ++fresh->n;
    }
    fresh->last = *slot - 1;
    return &fresh->pages[fresh->last];
}
