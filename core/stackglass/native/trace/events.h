/* Events of the memory trace: their codes, and the event as the encoder gets it. */
#ifndef STACKGLASS_TRACE_EVENTS_H
#define STACKGLASS_TRACE_EVENTS_H

#include <stdint.h>

/* Go's codes (traceallocfree) keep their meaning; the engine's own begin at 160. */
enum sg_trace_kind {
    SG_TRACE_SPAN = 128, /* it was there at the start, as OBJECT and STACK were */
    SG_TRACE_SPAN_ALLOC,
    SG_TRACE_SPAN_FREE,
    SG_TRACE_OBJECT,
    SG_TRACE_OBJECT_ALLOC,
    SG_TRACE_OBJECT_FREE,
    SG_TRACE_STACK, /* of a thread */
    SG_TRACE_STACK_ALLOC,
    SG_TRACE_STACK_FREE,
    SG_TRACE_OBJECT_FREE_BY_COLLECTOR = 160,
    SG_TRACE_OBJECT_REALLOC,   /* `other` is the block before */
    SG_TRACE_OBJECT_TYPE,      /* of a live object */
    SG_TRACE_OBJECT_RECYCLED,  /* it has another type now, without a free */
    SG_TRACE_COLLECTION_BEGIN, /* size = generation */
    SG_TRACE_COLLECTION_END,
    SG_TRACE_REGION_BEGIN, /* type = its name, size = its number */
    SG_TRACE_REGION_END,
    SG_TRACE_LOST, /* size = events lost before this one */
    SG_TRACE_FIRST_KIND = SG_TRACE_SPAN,
    SG_TRACE_END_OF_KINDS = SG_TRACE_LOST + 1,
};

enum sg_trace_domain {
    SG_TRACE_MEM,
    SG_TRACE_OBJ,
    SG_TRACE_RAW,
    SG_TRACE_NATIVE, /* malloc of extension modules */
    SG_TRACE_MMAP,
    SG_TRACE_N_DOMAINS,
};

struct sg_trace_event {
    uint64_t address; /* 0 = none */
    uint64_t other;
    uint64_t size;   /* bytes */
    int64_t time_ns; /* since the session began */
    uint32_t tid;
    uint32_t stack; /* 0 = none */
    uint32_t type;  /* 0 = not known */
    uint8_t kind;
    uint8_t domain;
};

/* Which columns an event of a kind has beside its kind, domain, stack and type. */
enum {
    SG_TRACE_HAS_SIZE = 1,
    SG_TRACE_HAS_ADDRESS = 2,
    SG_TRACE_HAS_OTHER = 4,
    SG_TRACE_TAKES_BLOCK = 8,  /* `address` may be one that the allocator had got back */
    SG_TRACE_GIVES_BLOCK = 16, /* `address`, or `other` if it has one, goes back */
};

static inline unsigned sg_trace_events_shape(unsigned kind) {
    switch (kind) {
    case SG_TRACE_OBJECT:
    case SG_TRACE_OBJECT_ALLOC:
        return SG_TRACE_HAS_SIZE | SG_TRACE_HAS_ADDRESS | SG_TRACE_TAKES_BLOCK;
    case SG_TRACE_OBJECT_REALLOC:
        return SG_TRACE_HAS_SIZE | SG_TRACE_HAS_ADDRESS | SG_TRACE_HAS_OTHER |
               SG_TRACE_TAKES_BLOCK | SG_TRACE_GIVES_BLOCK;
    case SG_TRACE_OBJECT_FREE:
    case SG_TRACE_OBJECT_FREE_BY_COLLECTOR:
        return SG_TRACE_HAS_ADDRESS | SG_TRACE_GIVES_BLOCK;
    case SG_TRACE_OBJECT_TYPE:
    case SG_TRACE_OBJECT_RECYCLED:
        return SG_TRACE_HAS_ADDRESS;
    case SG_TRACE_SPAN:
    case SG_TRACE_SPAN_ALLOC:
    case SG_TRACE_SPAN_FREE:
    case SG_TRACE_STACK:
    case SG_TRACE_STACK_ALLOC:
    case SG_TRACE_STACK_FREE:
        return SG_TRACE_HAS_SIZE | SG_TRACE_HAS_ADDRESS;
    case SG_TRACE_COLLECTION_BEGIN:
    case SG_TRACE_COLLECTION_END:
    case SG_TRACE_REGION_BEGIN:
    case SG_TRACE_REGION_END:
    case SG_TRACE_LOST:
        return SG_TRACE_HAS_SIZE;
    default:
        return 0;
    }
}

#endif
