/* Metrics on their way to the clients that requested them: once a second. Owned by the writer. */
#ifndef STACKGLASS_WIRE_METRICS_STREAM_H
#define STACKGLASS_WIRE_METRICS_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "threads/metrics.h"
#include "wire/clients.h"

struct sg_metrics_stream {
    struct sg_metrics metrics;
    int64_t sent_mono_ns;
};

void sg_metrics_stream_close(struct sg_metrics_stream *stream);
/* Look at the threads while a client wants metrics; forget all when the last one has left. */
void sg_metrics_stream_look(struct sg_metrics_stream *stream, const struct sg_clients *clients,
                            int64_t now_ns);
/* Whether the job is due (threads/metrics.h); then its arguments are set. */
bool sg_metrics_stream_wants_job(struct sg_metrics_stream *stream, const struct sg_clients *clients,
                                 int64_t now_ns);
void sg_metrics_stream_send(struct sg_metrics_stream *stream, struct sg_clients *clients,
                            int64_t now_ns);

#endif
