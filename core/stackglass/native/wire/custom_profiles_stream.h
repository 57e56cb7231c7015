/* Custom profiles stream: sends custom profiles to clients, one row per stack, changed rows only.
 *
 *     custom/counted_stacks ─▶ rows by slot: node known? ─▶ changed since the client's last message
 *
 * A row is not sent before its code has names. The writer owns the stream. */
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
    uint64_t serial;         /* serial of the counted stack; 0 = none yet */
    uint64_t count, n_taken; /* current count; the stream's n_taken at the row's last change */
    uint32_t profile, node;  /* node SG_NO_NODE = its code has no names yet */
    struct sg_frame *frames; /* (depth,), until there is a node; owned */
    uint32_t depth;
};
struct sg_custom_rows SG_ROWS_OF(struct sg_custom_row);

struct sg_custom_profiles_stream {
    struct sg_custom_rows rows; /* by slot */
    bool is_watching;           /* a client wants custom profiles */
    size_t n_waiting;           /* rows without names */
    bool has_more;              /* there are changes that were not taken yet */
    uint64_t n_taken;           /* changes so far */
    uint64_t n_refused;         /* changes lost because memory was short */
    bool is_ending;             /* profiling has ended, and nothing more is taken */
};

/* `stream` is zeroed before use. The program counts stacks whether there is a stream or not. */
void sg_custom_profiles_stream_close(struct sg_custom_profiles_stream *stream);

/* Take the program's changes. Without a client that requested custom profiles, drop all rows and
 * stop watching for changes.
 * `is_last`: code without a name becomes "<unknown>". */
void sg_custom_profiles_stream_take(struct sg_custom_profiles_stream *stream,
                                    struct sg_stacks *stacks, const struct sg_clients *clients,
                                    bool is_last);
/* Return whether a client waits for changes, or for stacks with code that has no names yet. */
bool sg_custom_profiles_stream_is_waiting(const struct sg_custom_profiles_stream *stream,
                                          const struct sg_clients *clients);
/* Send the changes to the clients that requested custom profiles. The definitions that they refer
 * to must have been sent. */
void sg_custom_profiles_stream_send(const struct sg_custom_profiles_stream *stream,
                                    struct sg_clients *clients, int64_t now_ns);

#endif
