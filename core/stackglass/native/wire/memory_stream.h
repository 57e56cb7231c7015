/* Memory stream: sends the events of the memory trace to the client that has requested the trace.
 *
 *     reader ─▶ block ─▶ waits for its stacks' names ─▶ packed ─▶ the client that has the trace
 *
 * The snapshot's blocks come first, as fast as the client reads. Beyond a limit of unsent bytes
 * nothing more is read from the lanes (trace/lanes.h): they fill up, and events without room are
 * lost and counted.
 *
 * The trace is divided into generations, of 64 blocks or a second. At the end of a generation the
 * types of its live objects are read (trace/fresh_objects.h), and the lanes of ended threads are
 * freed. The writer owns the stream. */
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

/* All zero = there is no trace. */
struct sg_memory_stream {
    bool is_open;
    bool is_snapshot_over;
    bool is_drained;          /* everything that was recorded is in blocks */
    struct sg_vector nodes;   /* node by the engine's number of a stack */
    struct sg_vector strings; /* string by number of a name; 0 = not interned yet */
    struct sg_waiting_block waiting[SG_MOST_WAITING_BLOCKS]; /* (n_waiting,): oldest first */
    uint32_t n_waiting, n_named;   /* n_named: the first ones that can be sent */
    uint32_t generation, n_blocks; /* number of the present generation; its blocks so far */
    bool is_cut;                   /* the generation must end as soon as the lanes are read */
    int64_t generation_begun_ns, info_sent_ns;
    int64_t read_ns; /* when the lanes were last read; 0 = read them at once */
    /* time up to which all events are in blocks, and up to which all are sent */
    int64_t whole_ns, sent_ns;
    struct sg_lz4_table *table; /* owned */
    struct sg_trace_payload payload;
};

/* Open the stream when a trace has begun. Returns false if memory is short. */
bool sg_memory_stream_open(struct sg_memory_stream *stream);
void sg_memory_stream_close(struct sg_memory_stream *stream);

/* Read the lanes into blocks, as far as that is due. `is_last`: read everything that was recorded.
 * A generation may end: then the types of its objects are read. */
void sg_memory_stream_read(struct sg_memory_stream *stream, struct sg_clients *clients,
                           struct sg_thread_names *threads, bool is_last);
/* End the generation now, even if it is short: `is_cut` is set until its objects are handed
 * over. */
void sg_memory_stream_cut(struct sg_memory_stream *stream);
/* Find the names of waiting blocks. Returns whether a block can be sent; the definitions that it
 * refers to must be sent first. `is_last`: code without a name becomes "<unknown>". */
bool sg_memory_stream_name(struct sg_memory_stream *stream, struct sg_stacks *stacks, bool is_last);
/* Send the blocks that have names. */
void sg_memory_stream_send(struct sg_memory_stream *stream, struct sg_clients *clients);

/* Return the time up to which all that was recorded has been sent; 0 = nothing yet. */
int64_t sg_memory_stream_sent_ns(struct sg_memory_stream *stream);
/* Return whether all that was recorded has been sent. */
bool sg_memory_stream_is_over(const struct sg_memory_stream *stream);
/* Return how long the writer may sleep, at most `most_ms`. */
int sg_memory_stream_pause_ms(const struct sg_memory_stream *stream, int most_ms);

/* The fields of a MemoryInfo besides the trace's own status. */
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
