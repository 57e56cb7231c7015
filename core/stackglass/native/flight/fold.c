/* Replay of event blocks into the live set of memory blocks, and snapshots of the live set.
 *
 * A memory block is uncertain if events of its domain were lost after its birth, or in the event
 * block of its birth. A snapshot has the uncertain memory blocks first, then one SG_TRACE_LOST per
 * domain with losses, then the other memory blocks. So a reader of the snapshot finds the same
 * memory blocks uncertain. */
#include "flight/fold.h"

#include <stdlib.h>
#include <string.h>

#include "flight/live_blocks.h"

enum { N_PASSES = 2, MOST_SIZE_BITS = 48 };
enum pass { UNCERTAIN, CERTAIN };

struct snapshot {
    struct sg_trace_columns columns;
    struct sg_trace_block block;
    struct sg_trace_payload payload;
    struct sg_lz4_table table;
    const struct sg_live_block *batch[SG_TRACE_BLOCK_EVENTS];
    uint64_t next_slot;
    int pass;
};

struct sg_fold {
    struct sg_live_blocks live;
    struct sg_block_decoder *decoder;
    uint32_t n_added;                       /* event blocks */
    uint32_t last_loss[SG_TRACE_N_DOMAINS]; /* event block with the last loss; 0 = none */
    uint64_t n_lost[SG_TRACE_N_DOMAINS];    /* events */
    struct snapshot *snapshot;              /* NULL = no snapshot is being written */
};

struct sg_fold *sg_fold_new(void) {
    struct sg_fold *fold = calloc(1, sizeof *fold);
    if (fold && !(fold->decoder = sg_block_decoder_new())) {
        free(fold);
        return NULL;
    }
    return fold;
}

void sg_fold_free(struct sg_fold *fold) {
    if (!fold)
        return;
    sg_fold_end(fold);
    sg_live_blocks_discard(&fold->live);
    sg_block_decoder_free(fold->decoder);
    free(fold);
}

uint64_t sg_fold_count(const struct sg_fold *fold) { return fold->live.n; }

/* ---- Older blocks ---- */

static enum sg_live_space space_of(unsigned kind) {
    return kind <= SG_TRACE_SPAN_FREE                              ? SG_LIVE_SPAN
           : kind >= SG_TRACE_STACK && kind <= SG_TRACE_STACK_FREE ? SG_LIVE_STACK
                                                                   : SG_LIVE_OBJECT;
}

static struct sg_live_site site_of(const struct sg_trace_event *event) {
    return (struct sg_live_site){
        .stack = event->stack,
        .type = event->type,
        .tid = event->tid,
        .domain = event->domain,
    };
}

static bool put(struct sg_fold *fold, const struct sg_trace_event *event,
                const struct sg_live_site *site) {
    uint64_t most = (UINT64_C(1) << MOST_SIZE_BITS) - 1;
    return !event->address || event->address > SG_LIVE_MOST_ADDRESS ||
           sg_live_blocks_put(&fold->live, space_of(event->kind), event->address,
                              event->size < most ? event->size : most, fold->n_added, site);
}

static void end(struct sg_fold *fold, enum sg_live_space space, uint64_t address) {
    struct sg_live_block *block = sg_live_blocks_find(&fold->live, space, address);
    if (block)
        sg_live_blocks_remove(&fold->live, block);
}

/* Apply a reallocation. An object keeps its type, unless its memory was recycled for another
 * object; a block of another domain is a buffer, as readers take it. */
static bool move(struct sg_fold *fold, const struct sg_trace_event *event) {
    struct sg_live_site site = site_of(event);
    const struct sg_live_block *before =
        sg_live_blocks_find(&fold->live, SG_LIVE_OBJECT, event->other);
    if (before && !site.type && event->domain == SG_TRACE_OBJ &&
        !fold->live.sites.at[before->site].is_recycled)
        site.type = fold->live.sites.at[before->site].type;
    end(fold, SG_LIVE_OBJECT, event->other);
    return put(fold, event, &site);
}

static bool set_type(struct sg_fold *fold, const struct sg_trace_event *event) {
    struct sg_live_block *block = sg_live_blocks_find(&fold->live, SG_LIVE_OBJECT, event->address);
    if (!block)
        return true;
    struct sg_live_site site = fold->live.sites.at[block->site];
    if (event->kind == SG_TRACE_OBJECT_RECYCLED) {
        site.is_recycled = true;
        site.type = event->type;
    } else if (event->type) {
        site.type = event->type;
    }
    return sg_live_blocks_move(&fold->live, block, &site);
}

static void note_loss(struct sg_fold *fold, const struct sg_trace_event *event) {
    fold->n_lost[event->domain] += event->size;
    fold->last_loss[event->domain] = fold->n_added;
    if (event->domain <= SG_TRACE_OBJ) /* a lane has the events of both */
        fold->last_loss[SG_TRACE_MEM] = fold->last_loss[SG_TRACE_OBJ] = fold->n_added;
}

static bool apply(struct sg_fold *fold, const struct sg_trace_event *event) {
    struct sg_live_site site = site_of(event);
    switch (event->kind) {
    case SG_TRACE_SPAN:
    case SG_TRACE_SPAN_ALLOC:
    case SG_TRACE_OBJECT:
    case SG_TRACE_OBJECT_ALLOC:
    case SG_TRACE_STACK:
    case SG_TRACE_STACK_ALLOC:
        return put(fold, event, &site);
    case SG_TRACE_SPAN_FREE:
    case SG_TRACE_OBJECT_FREE:
    case SG_TRACE_STACK_FREE:
    case SG_TRACE_OBJECT_FREE_BY_COLLECTOR:
        end(fold, space_of(event->kind), event->address);
        return true;
    case SG_TRACE_OBJECT_REALLOC:
        return move(fold, event);
    case SG_TRACE_OBJECT_TYPE:
    case SG_TRACE_OBJECT_RECYCLED:
        return set_type(fold, event);
    case SG_TRACE_LOST:
        note_loss(fold, event);
        return true;
    default:
        return true; /* collections and regions leave nothing behind */
    }
}

enum sg_block_decoder_result sg_fold_add(struct sg_fold *fold, const uint8_t *payload, size_t size,
                                         unsigned packing, size_t raw_size) {
    const struct sg_trace_event *events;
    uint32_t n;
    enum sg_block_decoder_result result =
        sg_block_decoder_read(fold->decoder, payload, size, packing, raw_size, &events, &n);
    if (result != SG_BLOCK_DECODED)
        return result;
    fold->n_added++;
    for (uint32_t i = 0; i < n; i++)
        if (!apply(fold, &events[i]))
            result = SG_BLOCK_NO_MEMORY;
    return result;
}

/* ---- The snapshot ---- */

static uint32_t same_number(void *context, uint32_t number) {
    (void)context;
    return number;
}

static const struct sg_trace_numbers SAME = {same_number, same_number, NULL};

bool sg_fold_begin(struct sg_fold *fold) {
    sg_fold_end(fold);
    fold->snapshot = calloc(1, sizeof *fold->snapshot);
    if (fold->snapshot && !sg_trace_columns_prepare(&fold->snapshot->columns))
        return true;
    free(fold->snapshot);
    fold->snapshot = NULL;
    return false;
}

void sg_fold_end(struct sg_fold *fold) {
    if (!fold->snapshot)
        return;
    sg_trace_columns_discard(&fold->snapshot->columns);
    sg_trace_block_free(&fold->snapshot->block);
    sg_encoder_buffer_free(&fold->snapshot->payload.bytes);
    free(fold->snapshot);
    fold->snapshot = NULL;
}

static enum pass pass_of(const struct sg_fold *fold, const struct sg_live_block *block) {
    unsigned domain = fold->live.sites.at[block->site].domain;
    return block->birth <= fold->last_loss[domain] ? UNCERTAIN : CERTAIN;
}

static int compare(const void *one, const void *other) {
    uint64_t a = (*(const struct sg_live_block *const *)one)->key;
    uint64_t b = (*(const struct sg_live_block *const *)other)->key;
    return (a > b) - (a < b);
}

/* Put the next blocks of this pass into the batch, sorted by address. Returns their number. */
static uint32_t gather(const struct sg_fold *fold, struct snapshot *to) {
    uint32_t n = 0;
    /* A memory block needs up to two events; the losses need one event per domain. */
    const uint32_t most = SG_TRACE_BLOCK_EVENTS / 2 - SG_TRACE_N_DOMAINS;
    for (; to->next_slot < fold->live.n_slots && n < most; to->next_slot++) {
        const struct sg_live_block *block = &fold->live.slots[to->next_slot];
        if (block->key && pass_of(fold, block) == (enum pass)to->pass)
            to->batch[n++] = block;
    }
    qsort(to->batch, n, sizeof *to->batch, compare);
    return n;
}

static void write_block(const struct sg_fold *fold, struct snapshot *to,
                        const struct sg_live_block *block, int64_t time_ns) {
    static const uint8_t KINDS[] = {
        [SG_LIVE_OBJECT] = SG_TRACE_OBJECT,
        [SG_LIVE_SPAN] = SG_TRACE_SPAN,
        [SG_LIVE_STACK] = SG_TRACE_STACK,
    };
    const struct sg_live_site *site = &fold->live.sites.at[block->site];
    struct sg_trace_event event = {
        .kind = KINDS[sg_live_blocks_space(block)],
        .domain = site->domain,
        .address = sg_live_blocks_address(block),
        .size = block->size,
        .time_ns = time_ns,
        .tid = site->tid,
        .stack = site->stack,
        .type = site->is_recycled ? 0 : site->type,
    };
    sg_trace_columns_add(&to->columns, &event);
    if (site->is_recycled) {
        event.kind = SG_TRACE_OBJECT_RECYCLED;
        event.type = site->type;
        event.stack = 0;
        event.size = 0;
        sg_trace_columns_add(&to->columns, &event);
    }
}

static void write_losses(const struct sg_fold *fold, struct snapshot *to, int64_t time_ns) {
    for (unsigned domain = 0; domain < SG_TRACE_N_DOMAINS; domain++) {
        const struct sg_trace_event event = {
            .kind = SG_TRACE_LOST,
            .domain = (uint8_t)domain,
            .size = fold->n_lost[domain],
            .time_ns = time_ns,
        };
        if (fold->last_loss[domain]) /* a loss may have no number: the domains of a lost block */
            sg_trace_columns_add(&to->columns, &event);
    }
}

int sg_fold_take(struct sg_fold *fold, int64_t time_ns, const struct sg_trace_payload **payload) {
    struct snapshot *to = fold->snapshot;
    if (!to)
        return 0;
    sg_trace_columns_begin(&to->columns, time_ns, false);
    while (!to->columns.n_events && to->pass < N_PASSES) {
        uint32_t n = gather(fold, to);
        for (uint32_t i = 0; i < n; i++)
            write_block(fold, to, to->batch[i], time_ns);
        if (to->next_slot == fold->live.n_slots) {
            if (to->pass == UNCERTAIN)
                write_losses(fold, to, time_ns);
            to->next_slot = 0;
            to->pass++;
        }
    }
    if (!to->columns.n_events)
        return 0;
    sg_trace_block_begin(&to->block, time_ns);
    bool is_packed = sg_trace_block_add(&to->block, &to->columns) &&
                     sg_trace_block_pack(&to->block, &SAME, &to->table, &to->payload);
    *payload = &to->payload;
    return is_packed ? (int)to->columns.n_events : -1;
}
