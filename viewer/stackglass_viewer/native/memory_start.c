/* A block is found through the first row of its KiB, then by linear search. The sums by site after
 * n events are the stored sums before that moment, less the few deaths that follow them. */
#include "memory_start.h"

#include <stdlib.h>
#include <string.h>

#include "seeded_hash.h"

enum { SITE_BITS = 28, PAGE_BITS = 10 };
enum { EV_OBJECT = 131 }; /* event kind: an object of the snapshot */
enum { AHEAD = 32 };      /* distance of the prefetch, in deaths */
enum { FEW = 24 };        /* blocks up to this number are sorted by insertion */
enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, LEVELS = 64 / DIGIT_BITS };
/* Between two stored sums are at least LEAST_SUM_STEP deaths, and at least SUM_SHARE for each site,
 * so that the sums take less memory than the deaths. */
enum { LEAST_SUM_STEP = 1 << 16, SUM_SHARE = 16 };

void sg_start_init(struct sg_start *start, uint64_t seed) {
    memset(start, 0, sizeof *start);
    start->sites = (struct sg_table){.width = sizeof(struct sg_start_site), .seed = seed};
    start->kinds = (struct sg_table){.width = sizeof(struct sg_start_kind), .seed = seed};
}

void sg_start_release(struct sg_start *start) {
    sg_release(&start->blocks);
    sg_table_free(&start->sites);
    sg_table_free(&start->kinds);
    free(start->pages);
    start->pages = NULL;
    sg_release(&start->deaths);
    sg_release(&start->sums);
}

static struct sg_start_site *site_at(const struct sg_start *start, size_t site) {
    return (struct sg_start_site *)(void *)start->sites.items.data + site;
}

static const struct sg_start_kind *kind_at(const struct sg_start *start, uint32_t kind) {
    return (const struct sg_start_kind *)(const void *)start->kinds.items.data + kind;
}

static uint32_t site_of(const struct sg_start *start, const struct sg_start_block *block) {
    return kind_at(start, block->kind)->place & ((1u << SITE_BITS) - 1);
}

/* Return the index of a kind, which is added if it is new; -1 = memory is short, -2 = too many
 * sites.
 */
static int64_t find_kind(struct sg_start *start, uint32_t stack, uint32_t type, uint32_t tid,
                         unsigned domain) {
    char *site = sg_table_find(&start->sites, stack, type);
    if (!site)
        return -1;
    size_t number = (size_t)(site - start->sites.items.data) / sizeof(struct sg_start_site);
    if (number >> SITE_BITS)
        return -2;
    char *kind =
        sg_table_find(&start->kinds, (uint32_t)number | (uint32_t)domain << SITE_BITS, tid);
    if (!kind)
        return -1;
    return (kind - start->kinds.items.data) / (int64_t)sizeof(struct sg_start_kind);
}

int sg_start_add(struct sg_start *start, const struct sg_start_events *events) {
    int64_t kind = -1;
    size_t last = 0; /* the event for which `kind` was found */
    if (start->n_events + events->n >= SG_NO_DEATH)
        return -2;
    if (sg_reserve(&start->blocks, events->n, sizeof(struct sg_start_block)) < 0)
        return -1;
    for (size_t i = 0; i < events->n; i++) {
        if (events->kind[i] != EV_OBJECT || events->size[i] > 1u << SG_GRANULE_BITS ||
            events->address[i] > UINT64_MAX - (1u << SG_GRANULE_BITS) ||
            events->domain[i] >> (32 - SITE_BITS))
            continue;
        if (kind < 0 || events->stack[i] != events->stack[last] ||
            events->type[i] != events->type[last] || events->tid[i] != events->tid[last] ||
            events->domain[i] != events->domain[last]) {
            kind = find_kind(start, events->stack[i], events->type[i], events->tid[i],
                             events->domain[i]);
            if (kind < 0)
                return (int)kind;
            last = i;
        }
        start->time_ns = events->time_ns[i];
        *sg_start_row(start, start->blocks.n++) = (struct sg_start_block){
            .address = events->address[i],
            .size = (uint32_t)events->size[i],
            .kind = (uint32_t)kind,
            .birth = (uint32_t)(start->n_events + i),
            .death = SG_NO_DEATH,
        };
    }
    start->n_events += events->n;
    return 0;
}

struct range {
    size_t begin, end;
    int shift; /* bit position of the digit to sort by; below 0 = the range is sorted */
};

static unsigned digit_of(const struct sg_start_block *block, int shift) {
    return block->address >> shift & (DIGITS - 1);
}

static void sort_few(struct sg_start_block *blocks, size_t n) {
    for (size_t i = 1; i < n; i++) {
        struct sg_start_block moved = blocks[i];
        size_t at = i;
        for (; at && blocks[at - 1].address > moved.address; at--)
            blocks[at] = blocks[at - 1];
        blocks[at] = moved;
    }
}

/* Sort by one digit, in place. Sets `ends` to where each digit's blocks end. */
static void sort_by_digit(struct sg_start_block *blocks, size_t n, int shift, size_t *ends) {
    size_t next[DIGITS], sum = 0;
    memset(ends, 0, DIGITS * sizeof *ends);
    for (size_t i = 0; i < n; i++)
        ends[digit_of(&blocks[i], shift)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        next[digit] = sum;
        sum += ends[digit];
        ends[digit] = sum;
    }
    for (size_t digit = 0; digit < DIGITS; digit++)
        while (next[digit] < ends[digit]) {
            struct sg_start_block moved = blocks[next[digit]];
            for (unsigned to; (to = digit_of(&moved, shift)) != digit;) {
                struct sg_start_block other = blocks[next[to]];
                blocks[next[to]++] = moved;
                moved = other;
            }
            blocks[next[digit]++] = moved;
        }
}

/* American flag sort: a radix sort by the most significant digit first, in place, because a copy of
 * all blocks would take too much memory. */
static void sort_blocks(struct sg_start_block *blocks, size_t n) {
    struct range todo[LEVELS * DIGITS];
    size_t n_todo = 0, ends[DIGITS];
    todo[n_todo++] = (struct range){0, n, 64 - DIGIT_BITS};
    while (n_todo) {
        struct range range = todo[--n_todo];
        if (range.end - range.begin <= FEW) {
            sort_few(blocks + range.begin, range.end - range.begin);
            continue;
        }
        if (range.shift < 0)
            continue;
        sort_by_digit(blocks + range.begin, range.end - range.begin, range.shift, ends);
        size_t begin = 0;
        for (size_t digit = 0; digit < DIGITS; digit++) {
            if (ends[digit] > begin + 1)
                todo[n_todo++] = (struct range){range.begin + begin, range.begin + ends[digit],
                                                range.shift - DIGIT_BITS};
            begin = ends[digit];
        }
    }
}

static size_t page_slot(const struct sg_start *start, uint64_t address) {
    return sg_seeded_hash(start->sites.seed, address >> PAGE_BITS) & (start->n_pages - 1);
}

static int is_first_of_page(const struct sg_start *start, size_t row) {
    return !row || sg_start_row(start, row)->address >> PAGE_BITS !=
                       sg_start_row(start, row - 1)->address >> PAGE_BITS;
}

static int enter_pages(struct sg_start *start) {
    size_t n = 0;
    for (size_t row = 0; row < start->blocks.n; row++)
        n += is_first_of_page(start, row) ? 1 : 0;
    start->n_pages = 1;
    while (start->n_pages < 2 * n)
        start->n_pages *= 2;
    start->pages = calloc(start->n_pages, sizeof *start->pages);
    if (!start->pages)
        return -1;
    for (size_t row = 0; row < start->blocks.n; row++) {
        if (!is_first_of_page(start, row))
            continue;
        size_t slot = page_slot(start, sg_start_row(start, row)->address);
        while (start->pages[slot])
            slot = (slot + 1) & (start->n_pages - 1);
        start->pages[slot] = (uint32_t)(row + 1);
    }
    return 0;
}

int sg_start_finish(struct sg_start *start) {
    struct sg_start_block *blocks = sg_start_row(start, 0);
    size_t n = 0;
    if (!start->blocks.n)
        return 0;
    sort_blocks(blocks, start->blocks.n);
    for (size_t i = 0; i < start->blocks.n; i++) {
        if (n && blocks[n - 1].address == blocks[i].address) {
            if (blocks[i].birth > blocks[n - 1].birth)
                blocks[n - 1] = blocks[i];
        } else {
            blocks[n++] = blocks[i];
        }
    }
    start->blocks.n = n;
    if (sg_column_resize(&start->blocks, n, sizeof *blocks) < 0)
        return -1;
    return enter_pages(start);
}

int sg_start_end(struct sg_start *start, uint32_t row, uint64_t event) {
    if (start->is_frozen)
        return 0;
    if (event >= SG_NO_DEATH)
        return -2;
    sg_start_row(start, row)->death = (uint32_t)event;
    return sg_push_i32(&start->deaths, (int32_t)row);
}

int sg_start_set_type(struct sg_start *start, uint32_t row, uint32_t type) {
    struct sg_start_block *block = sg_start_row(start, row);
    struct sg_start_kind kind = *kind_at(start, block->kind);
    int64_t changed = find_kind(start, site_at(start, site_of(start, block))->stack, type, kind.tid,
                                kind.place >> SITE_BITS);
    if (changed < 0)
        return -1;
    block->kind = (uint32_t)changed;
    return 0;
}

static const uint32_t *death_rows(const struct sg_start *start) {
    return (const uint32_t *)(const void *)start->deaths.data;
}

static void take_deaths(const struct sg_start *start, size_t begin, size_t end,
                        struct sg_start_sum *sums) {
    const uint32_t *rows = death_rows(start);
    for (size_t i = begin; i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(sg_start_row(start, rows[i + AHEAD]));
        const struct sg_start_block *block = sg_start_row(start, rows[i]);
        struct sg_start_sum *sum = &sums[site_of(start, block)];
        sum->n--;
        sum->bytes -= block->size;
    }
}

static struct sg_start_sum *sums_at(const struct sg_start *start, size_t step) {
    return (struct sg_start_sum *)(void *)start->sums.data + step * start->sites.items.n;
}

int sg_start_freeze(struct sg_start *start) {
    size_t n_sites = start->sites.items.n, n_deaths = start->deaths.n;
    start->sum_step = LEAST_SUM_STEP;
    if (start->sum_step < SUM_SHARE * n_sites)
        start->sum_step = SUM_SHARE * n_sites;
    size_t n_steps = n_deaths / start->sum_step + 1;
    if (sg_reserve(&start->sums, n_steps * n_sites, sizeof(struct sg_start_sum)) < 0)
        return -1;
    start->sums.n = n_steps * n_sites;
    if (n_sites)
        memset(start->sums.data, 0, start->sums.n * sizeof(struct sg_start_sum));
    for (size_t row = 0; row < start->blocks.n; row++) {
        const struct sg_start_block *block = sg_start_row(start, row);
        struct sg_start_sum *sum = &sums_at(start, 0)[site_of(start, block)];
        sum->n++;
        sum->bytes += block->size;
    }
    for (size_t step = 1; step < n_steps; step++) {
        memcpy(sums_at(start, step), sums_at(start, step - 1),
               n_sites * sizeof(struct sg_start_sum));
        take_deaths(start, (step - 1) * start->sum_step, step * start->sum_step,
                    sums_at(start, step));
    }
    start->is_frozen = 1;
    return 0;
}

uint32_t sg_start_find(const struct sg_start *start, uint64_t address) {
    if (!start->pages)
        return 0;
    for (size_t slot = page_slot(start, address); start->pages[slot];
         slot = (slot + 1) & (start->n_pages - 1)) {
        size_t row = start->pages[slot] - 1;
        if (sg_start_row(start, row)->address >> PAGE_BITS != address >> PAGE_BITS)
            continue;
        while (row < start->blocks.n && sg_start_row(start, row)->address < address)
            row++;
        int is_found = row < start->blocks.n && sg_start_row(start, row)->address == address;
        return is_found ? (uint32_t)(row + 1) : 0;
    }
    return 0;
}

void sg_start_prefetch(const struct sg_start *start, uint64_t address) {
    if (start->pages)
        __builtin_prefetch(&start->pages[page_slot(start, address)]);
}

size_t sg_start_lower(const struct sg_start *start, uint64_t address) {
    size_t low = 0, high = start->blocks.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sg_start_row(start, middle)->address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct sg_block sg_start_block_at(const struct sg_start *start, uint32_t row) {
    const struct sg_start_block *block = sg_start_row(start, row);
    const struct sg_start_kind *kind = kind_at(start, block->kind);
    const struct sg_start_site *site = site_at(start, site_of(start, block));
    return (struct sg_block){
        .address = block->address,
        .size = block->size,
        .birth_ns = start->time_ns,
        .birth_event = block->birth,
        .stack = site->stack,
        .type = site->type,
        .tid = kind->tid,
        .domain = (uint8_t)(kind->place >> SITE_BITS),
        .flags = SG_BORN_BEFORE,
        .space = SG_SPACE_OBJECT,
        .is_used = 1,
    };
}

static size_t count_deaths(const struct sg_start *start, uint64_t n_events) {
    size_t low = 0, high = start->deaths.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sg_start_row(start, death_rows(start)[middle])->death < n_events)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sg_start_sum(const struct sg_start *start, uint64_t n_events, struct sg_start_sum *sums) {
    size_t n_sites = start->sites.items.n;
    if (n_events < start->n_events || !start->is_frozen) { /* rare: count all rows */
        memset(sums, 0, n_sites * sizeof *sums);
        for (size_t row = 0; row < start->blocks.n; row++) {
            const struct sg_start_block *block = sg_start_row(start, row);
            if (!sg_start_is_live(block, n_events))
                continue;
            sums[site_of(start, block)].n++;
            sums[site_of(start, block)].bytes += block->size;
        }
        return;
    }
    size_t n_deaths = count_deaths(start, n_events), step = n_deaths / start->sum_step;
    if (n_sites)
        memcpy(sums, sums_at(start, step), n_sites * sizeof *sums);
    take_deaths(start, step * start->sum_step, n_deaths, sums);
}
