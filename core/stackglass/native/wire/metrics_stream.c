/* A message has all sums since the first client wanted metrics, so a client that joins later needs
 * no earlier message. */
#include "wire/metrics_stream.h"

#include <string.h>

#include "wire/messages.h"

static const int64_t SEND_NS = 1000 * 1000 * 1000;

void sg_metrics_stream_close(struct sg_metrics_stream *stream) {
    sg_metrics_free(&stream->metrics);
    memset(stream, 0, sizeof *stream);
}

static bool is_wanted(const struct sg_clients *clients) {
    for (size_t i = 0; i < clients->n; i++)
        if (clients->at[i]->wants_metrics)
            return true;
    return false;
}

void sg_metrics_stream_look(struct sg_metrics_stream *stream, const struct sg_clients *clients,
                            int64_t now_ns) {
    if (is_wanted(clients))
        sg_metrics_look(&stream->metrics, now_ns);
    else if (stream->metrics.n_looks || stream->metrics.task_time_mono_ns)
        sg_metrics_stream_close(stream);
}

bool sg_metrics_stream_wants_job(struct sg_metrics_stream *stream, const struct sg_clients *clients,
                                 int64_t now_ns) {
    bool is_last = !is_wanted(clients); /* of the clients that wanted metrics, all have left */
    bool is_due =
        is_last ? sg_collector_pauses_are_open() : sg_metrics_wants_job(&stream->metrics, now_ns);
    if (is_due)
        sg_metrics_prepare_job(is_last);
    return is_due;
}

static void put(struct sg_buffer *out, const struct sg_metrics *metrics) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_METRICS);
    sg_encoder_put_int(out, SG_TAG_METRICS_TIME_MONO_NS, metrics->time_mono_ns);
    sg_encoder_put_uint(out, SG_TAG_METRICS_N_LOOKS, metrics->n_looks);
    SG_PUT_COLUMN(out, SG_TAG_METRICS_THREAD_NS, SG_N_METRIC_STATES, metrics->thread_ns[i]);
    sg_encoder_put_int(out, SG_TAG_METRICS_TASK_TIME_MONO_NS, metrics->task_time_mono_ns);
    SG_PUT_COLUMN(out, SG_TAG_METRICS_TASK_NS, SG_N_TASK_STATES, metrics->task_ns[i]);
    sg_encoder_put_uint(out, SG_TAG_METRICS_ARE_TASKS_WHOLE, metrics->are_tasks_whole);
    sg_encoder_put_uint(out, SG_TAG_METRICS_RUN_QUEUE_NS, metrics->waited_ns);
    sg_encoder_put_uint(out, SG_TAG_METRICS_N_TURNS, metrics->n_turns);
    sg_encoder_put_uint(out, SG_TAG_METRICS_N_ARENAS,
                        metrics->task_time_mono_ns ? (uint64_t)(metrics->n_arenas + 1) : 0);
    if (metrics->pauses.are_seen) {
        SG_PUT_COLUMN(out, SG_TAG_METRICS_N_COLLECTIONS, SG_N_GENERATIONS, metrics->pauses.n[i]);
        SG_PUT_COLUMN(out, SG_TAG_METRICS_PAUSED_NS, SG_N_GENERATIONS,
                      metrics->pauses.paused_ns[i]);
    }
    sg_messages_end_from_engine(out, message);
}

void sg_metrics_stream_send(struct sg_metrics_stream *stream, struct sg_clients *clients,
                            int64_t now_ns) {
    struct sg_buffer message = {0};
    if (!stream->metrics.time_mono_ns || now_ns - stream->sent_mono_ns < SEND_NS)
        return;
    stream->sent_mono_ns = now_ns;
    put(&message, &stream->metrics);
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        if (!client->wants_metrics)
            continue;
        sg_client_put(client, &message);
    }
    sg_encoder_buffer_free(&message);
}
