/* Replay of a memory trace: events applied to the live blocks, and what is counted meanwhile. */
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
/* The domain of Go's spans with objects: the column `stack` has the size of their slots. */
enum { SG_DOMAINS = 5, SG_DOMAIN_GO_SPAN = 5 };
/* In place of a Go span's slot size: one object fills it. */
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
    uint64_t n_events;              /* applied so far: the number of the next event */
    int64_t time_ns;                /* of the last one */
    uint64_t last_loss[SG_DOMAINS]; /* number of the last LOST of each domain, plus 1; 0 = none */
    uint64_t n_lost;                /* events, by what LOST says */
    uint64_t n_unknown_frees;       /* of blocks that are not there */
    uint64_t n_overwritten;         /* blocks replaced by another one at their address */
    uint64_t n_dropped;             /* objects that went with their span */
    uint64_t peak_bytes;            /* most bytes of objects after any event since the last reset */
    uint64_t peak_event;            /* events applied then */
    int64_t peak_ns;
    uint32_t ended; /* start block that the event being applied has ended: its row plus 1 */
    struct sg_survey *survey; /* NULL = nothing is counted; the owner's */
    struct sg_raster *raster; /* NULL = nothing is drawn; the owner's */
};

/* Apply events. 0; -1 if there is no memory; -2 if an event is impossible. */
int sg_replay_apply(struct sg_replay *replay, const struct sg_events *events);

/* Bytes of live objects. */
static inline uint64_t sg_replay_bytes(const struct sg_replay *replay) {
    return replay->blocks.bytes[SG_SPACE_OBJECT] + replay->blocks.start_bytes;
}

/* The start block that is live at an address: its row plus 1; 0 = none. */
uint32_t sg_replay_find_start(const struct sg_replay *replay, uint64_t address);

/* Flags of a block as they are now, with SG_UNCERTAIN. */
uint8_t sg_replay_flags(const struct sg_replay *replay, const struct sg_block *block);

#endif
