/* Memory trace of a session, on its way to its client.
 *
 *     reader ─▶ block ─▶ waits for its stacks' names ─▶ packed ─▶ the client that has the trace
 *
 * The snapshot's blocks come first, as fast as the client reads. Beyond a limit of unsent bytes
 * nothing more is read from the lanes: they fill up, and what finds no room is lost and counted.
 * Owned by the writer. */
#ifndef STACKGLASS_WIRE_MEMORY_STREAM_H
#define STACKGLASS_WIRE_MEMORY_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/vector.h"
#include "trace/block.h"
#include "trace/trace.h"
#include "wire/clients.h"
#include "wire/stacks.h"
#include "wire/thread_names.h"

struct sg_waiting_block {
    struct sg_trace_block block;
    uint32_t generation;
};

enum { SG_MOST_WAITING_BLOCKS = 64 };

/* All zero: there is no trace. */
struct sg_memory_stream {
    bool is_open;
    bool is_snapshot_over;
    bool is_drained;          /* everything that was recorded is in blocks */
    struct sg_vector nodes;   /* by the engine's number of a stack: its node, in order */
    struct sg_vector strings; /* by number of a name: its string, 0 = not interned yet */
    struct sg_waiting_block waiting[SG_MOST_WAITING_BLOCKS]; /* (n_waiting,): oldest first */
    uint32_t n_waiting;
    uint32_t generation, n_blocks; /* of the present generation */
    bool is_cut;                   /* it is to end as soon as the lanes are read */
    int64_t generation_begun_ns, info_sent_ns;
    int64_t read_ns;            /* of the last look at the lanes */
    int64_t whole_ns, sent_ns;  /* up to then all is in blocks, and all blocks are sent */
    struct sg_lz4_table *table; /* owned */
    struct sg_trace_payload payload;
};

/* A trace has begun. False if there is no memory. */
bool sg_memory_stream_open(struct sg_memory_stream *stream);
void sg_memory_stream_close(struct sg_memory_stream *stream);

/* Read the lanes into blocks as far as that is due. `is_last`: everything that was recorded. A
 * generation may end: its objects' types are wanted then. */
void sg_memory_stream_read(struct sg_memory_stream *stream, struct sg_clients *clients,
                           struct sg_thread_names *threads, bool is_last);
/* End the generation now, however short it is: `is_cut` is set until its objects are handed over.
 */
void sg_memory_stream_cut(struct sg_memory_stream *stream);
/* Find the names of waiting blocks. Returns whether a block can be sent: then first the definitions
 * that it refers to. `is_last`: unknown code becomes "<unknown>". */
bool sg_memory_stream_name(struct sg_memory_stream *stream, struct sg_stacks *stacks, bool is_last);
/* Send the blocks that have names. */
void sg_memory_stream_send(struct sg_memory_stream *stream, struct sg_clients *clients);

/* Up to when all that was recorded has been sent; 0 = nothing yet. */
int64_t sg_memory_stream_sent_ns(struct sg_memory_stream *stream);
/* Whether all that was recorded has been sent. */
bool sg_memory_stream_is_over(const struct sg_memory_stream *stream);
/* How long the writer may sleep. */
int sg_memory_stream_pause_ms(const struct sg_memory_stream *stream, int most_ms);

/* What a MemoryInfo says beside the status of the trace. */
struct sg_memory_standing {
    const char *problem;
    bool is_ended;
    int64_t session_start_ns, sent_ns; /* CLOCK_MONOTONIC */
    bool is_native_seen;
    const char *native_problem;
    int minor;
};
void sg_memory_stream_put_info(const struct sg_memory_standing *standing, struct sg_buffer *out);

#endif
