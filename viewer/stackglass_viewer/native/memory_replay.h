/* Replay of a memory trace: applies events to the table of live blocks, and counts. */
#ifndef SG_MEMORY_REPLAY_H
#define SG_MEMORY_REPLAY_H

#include "memory_blocks.h"
#include "memory_raster.h"
#include "memory_start.h"
#include "memory_survey.h"

/* Codes of events; see model/memory_trace/events.py. */
enum {
    SG_EV_SPAN = 128,
    SG_EV_SPAN_ALLOC,
    SG_EV_SPAN_FREE,
    SG_EV_OBJECT,
    SG_EV_OBJECT_ALLOC,
    SG_EV_OBJECT_FREE,
    SG_EV_STACK,
    SG_EV_STACK_ALLOC,
    SG_EV_STACK_FREE,
    SG_EV_FREE_BY_COLLECTOR = 160,
    SG_EV_REALLOC,
    SG_EV_TYPE,
    SG_EV_RECYCLED,
    SG_EV_LOST = 168,
    SG_EV_SHARED = 192,
};
/* Events of domain SG_DOMAIN_GO_SPAN are Go spans that hold objects. Their column `stack` is the
 * size of the span's slots. */
enum { SG_DOMAINS = 5, SG_DOMAIN_GO_SPAN = 5 };
/* Slot size of a Go span that one object fills. */
#define SG_WHOLE_SPAN UINT32_MAX

/* Columns of events, `n` rows each. */
struct sg_events {
    const uint8_t *kind;
    const int64_t *time_ns;
    const uint32_t *tid;
    const uint64_t *address;
    const uint64_t *size;
    const uint32_t *stack;
    const uint32_t *type;
    const uint8_t *domain;
    const uint64_t *other;
    size_t n;
};

struct sg_replay {
    struct sg_blocks blocks;
    uint64_t n_events;              /* events applied so far; the number of the next event */
    int64_t time_ns;                /* time of the last event */
    uint64_t last_loss[SG_DOMAINS]; /* number of the last LOST of each domain, plus 1; 0 = none */
    uint64_t n_lost;                /* lost events, summed over the LOST events */
    uint64_t n_unknown_frees;       /* frees of blocks that are not in the table */
    uint64_t n_overwritten;         /* blocks replaced by another one at their address */
    uint64_t n_dropped;             /* objects that ended with their Go span */
    uint64_t peak_bytes;            /* most bytes of objects after any event since the last reset */
    uint64_t peak_event;            /* events applied until the peak */
    int64_t peak_ns;
    uint32_t ended;           /* row, plus 1, of the start block that the current event has ended */
    struct sg_survey *survey; /* counts births and deaths; NULL = none; borrowed */
    struct sg_raster *raster; /* heap map to draw into; NULL = none; borrowed */
};

/* Apply events. Returns 0, -1 if memory is short, or -2 if an event is impossible. */
int sg_replay_apply(struct sg_replay *replay, const struct sg_events *events);

/* Return the bytes of all live objects, with start blocks. */
static inline uint64_t sg_replay_bytes(const struct sg_replay *replay) {
    return replay->blocks.bytes[SG_SPACE_OBJECT] + replay->blocks.start_bytes;
}

/* Return the row, plus 1, of the live start block at `address`; 0 = none. */
uint32_t sg_replay_find_start(const struct sg_replay *replay, uint64_t address);

/* Return the flags of a block, with SG_UNCERTAIN if events of its domain were lost since its birth.
 */
uint8_t sg_replay_flags(const struct sg_replay *replay, const struct sg_block *block);

#endif
