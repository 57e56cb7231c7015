/* Metrics stream: sends the sums of threads/metrics.h once a second to the clients that want them.
 * The writer owns it. */
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

/* Free the metrics. */
void sg_metrics_stream_close(struct sg_metrics_stream *stream);
/* Sample the threads while a client wants metrics; free the sums when the last one has left. */
void sg_metrics_stream_look(struct sg_metrics_stream *stream, const struct sg_clients *clients,
                            int64_t now_ns);
/* Return whether the job that counts tasks is due (threads/metrics.h). If so, set its arguments. */
bool sg_metrics_stream_wants_job(struct sg_metrics_stream *stream, const struct sg_clients *clients,
                                 int64_t now_ns);
/* Send a message if the last one was a second ago. */
void sg_metrics_stream_send(struct sg_metrics_stream *stream, struct sg_clients *clients,
                            int64_t now_ns);

#endif
