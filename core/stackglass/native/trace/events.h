/* Events of the memory trace: their kinds, and the struct that the encoder reads and the decoder
 * writes. */
#ifndef STACKGLASS_TRACE_EVENTS_H
#define STACKGLASS_TRACE_EVENTS_H

#include <stdint.h>

/* Codes below 160 are Go's (traceallocfree), with the same meaning; codes from 160 on are the
 * engine's own. */
enum sg_trace_kind {
    SG_TRACE_SPAN = 128, /* existed when the trace began; so do OBJECT and STACK */
    SG_TRACE_SPAN_ALLOC,
    SG_TRACE_SPAN_FREE,
    SG_TRACE_OBJECT,
    SG_TRACE_OBJECT_ALLOC,
    SG_TRACE_OBJECT_FREE,
    SG_TRACE_STACK, /* a thread's stack */
    SG_TRACE_STACK_ALLOC,
    SG_TRACE_STACK_FREE,
    SG_TRACE_OBJECT_FREE_BY_COLLECTOR = 160,
    SG_TRACE_OBJECT_REALLOC,   /* `other` is the old address */
    SG_TRACE_OBJECT_TYPE,      /* the type of a live object */
    SG_TRACE_OBJECT_RECYCLED,  /* an object has another type now, without a free */
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
    SG_TRACE_NATIVE, /* malloc and free of extension modules */
    SG_TRACE_MMAP,
    SG_TRACE_N_DOMAINS,
};

struct sg_trace_event {
    uint64_t address; /* 0 = none */
    uint64_t other;
    uint64_t size;   /* bytes, unless the kind says otherwise */
    int64_t time_ns; /* since the session began */
    uint32_t tid;
    uint32_t stack; /* 0 = none */
    uint32_t type;  /* 0 = not known */
    uint8_t kind;
    uint8_t domain;
};

/* The fields that an event of a kind has besides kind, domain, stack and type. */
enum {
    SG_TRACE_HAS_SIZE = 1,
    SG_TRACE_HAS_ADDRESS = 2,
    SG_TRACE_HAS_OTHER = 4,
    /* `address` comes from the allocator, perhaps a block that was freed before */
    SG_TRACE_TAKES_BLOCK = 8,
    /* `address`, or `other` if the event has it, returns to the allocator */
    SG_TRACE_GIVES_BLOCK = 16,
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
