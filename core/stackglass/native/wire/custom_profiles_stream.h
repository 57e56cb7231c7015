/* CustomProfiles: the profiles that the program fills, as rows that change.
 *
 *     custom/counted_stacks ─▶ rows by slot: node known? ─▶ changed since the client's last message
 *
 * A row without names waits, and so does each later change of it. Owned by the writer. */
#ifndef STACKGLASS_WIRE_CUSTOM_PROFILES_STREAM_H
#define STACKGLASS_WIRE_CUSTOM_PROFILES_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/frame.h"
#include "platform/vector.h"
#include "wire/clients.h"
#include "wire/stacks.h"

struct sg_custom_row {
    uint64_t serial;         /* of the counted stack; 0 = none yet */
    uint64_t count, n_taken; /* values now; changes taken when they were taken */
    uint32_t profile, node;  /* node SG_NO_NODE = no names yet */
    struct sg_frame *frames; /* (depth,), until there is a node; owned */
    uint32_t depth;
};
struct sg_custom_rows SG_ROWS_OF(struct sg_custom_row);

struct sg_custom_profiles_stream {
    struct sg_custom_rows rows; /* by slot */
    bool is_watching;           /* a client wants them */
    size_t n_waiting;           /* rows without names */
    bool has_more;              /* there are changes that were not taken yet */
    uint64_t n_taken;           /* changes so far */
    uint64_t n_refused;         /* changes that found no memory */
    bool is_ending;             /* profiling has ended: nothing is taken any more */
};

/* `stream` is zeroed before use. The program counts stacks whether there is a stream or not. */
void sg_custom_profiles_stream_close(struct sg_custom_profiles_stream *stream);

/* Take what has changed, if a client has requested it; changes are kept only while one has.
 * `is_last`: code without a name becomes "<unknown>". */
void sg_custom_profiles_stream_take(struct sg_custom_profiles_stream *stream,
                                    struct sg_stacks *stacks, const struct sg_clients *clients,
                                    bool is_last);
/* Whether a client waits for changes, or for stacks whose code has no names yet. */
bool sg_custom_profiles_stream_is_waiting(const struct sg_custom_profiles_stream *stream,
                                          const struct sg_clients *clients);
/* Send what has changed to the clients that requested it. The definitions that it refers to were
 * sent. */
void sg_custom_profiles_stream_send(const struct sg_custom_profiles_stream *stream,
                                    struct sg_clients *clients, int64_t now_ns);

#endif
