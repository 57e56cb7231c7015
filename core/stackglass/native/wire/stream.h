/* Stream: collects everything that a session records, sends it, and tracks how much of it the
 * clients have received.
 *
 *     drain ─▶ stacks ─▶ rows ┐
 *     job results ─▶ tables   ├─▶ one Batch for all ─▶ clients
 *
 * The writer owns it. */
#ifndef STACKGLASS_WIRE_STREAM_H
#define STACKGLASS_WIRE_STREAM_H

#include "wire/census_stream.h"
#include "wire/clients.h"
#include "wire/contention_stream.h"
#include "wire/custom_profiles_stream.h"
#include "wire/heap_stream.h"
#include "wire/intern.h"
#include "wire/known_functions.h"
#include "wire/label_sets.h"
#include "wire/lock_waits_stream.h"
#include "wire/memory_stream.h"
#include "wire/messages.h"
#include "wire/metrics_stream.h"
#include "wire/stacks.h"
#include "wire/thread_creations_stream.h"
#include "wire/thread_dump_stream.h"
#include "wire/thread_names.h"
#include "worker/gil_worker.h"

struct sg_stream {
    struct sg_intern intern;
    struct sg_thread_names threads;
    struct sg_stacks stacks;
    struct sg_rows rows;      /* not sent yet */
    struct sg_rows wall_rows; /* not sent yet */
    uint64_t n_refused;       /* samples that found no room in rows */
    struct sg_cursor sent;
    struct sg_label_sets label_sets;
    struct sg_known_functions known;
    struct sg_heap_stream heap;
    struct sg_contention_stream contention;
    struct sg_census_stream census;
    struct sg_lock_waits_stream lock_waits;
    struct sg_thread_dump_stream thread_dump;
    struct sg_thread_creations_stream creations;
    struct sg_custom_profiles_stream custom_profiles;
    struct sg_metrics_stream metrics;
    struct sg_memory_stream memory;
    struct sg_paths paths; /* what the worker had learned after its last job */

    struct sg_stack *snapshot; /* (n_snapshot,): waiting for names; owned */
    size_t n_snapshot;
    int64_t snapshot_mono_ns;
};

/* Open the stream. Returns false if memory is short. */
bool sg_stream_open(struct sg_stream *stream, int minor);
void sg_stream_close(struct sg_stream *stream);

/* Drain the sampler. sg_stream_take_tombstones drains the tombstones of freed code objects. */
void sg_stream_drain(struct sg_stream *stream);
void sg_stream_take_tombstones(struct sg_stream *stream);
/* If the present job has waited long for the GIL, `gil_wait_ns`, name the code that samples wait
 * for without the GIL. Called while the worker is busy and code objects are numbered. */
void sg_stream_name_without_gil(struct sg_stream *stream, int64_t gil_wait_ns);
/* Take the results of a job. */
void sg_stream_take_results(struct sg_stream *stream, struct sg_job *job);
/* Drain the heap profiler, and the contention profiler. `is_last`: code without a name becomes
 * "<unknown>". */
void sg_stream_drain_heap(struct sg_stream *stream, bool is_last);
void sg_stream_drain_contention(struct sg_stream *stream, bool is_last);
/* Take the starts of threads, and the profiles that the program fills. `is_last`: code without a
 * name becomes "<unknown>". */
void sg_stream_take_counts(struct sg_stream *stream, const struct sg_clients *clients,
                           int64_t now_ns, bool is_last);
/* End profiling: no more starts of threads or custom profiles are taken. */
void sg_stream_end_counts(struct sg_stream *stream);
/* Send thread creations, custom profiles and metrics to the clients that requested them, after the
 * Batch that they refer to. */
void sg_stream_send_counts(struct sg_stream *stream, struct sg_clients *clients, int64_t now_ns);
/* Return whether samples or buckets have label sets that are not defined yet. */
bool sg_stream_wants_labels(const struct sg_stream *stream);
/* Return whether anything waits for names: samples, buckets, label sets, counts that a client
 * wants, functions of machine code, or the memory trace. */
bool sg_stream_is_waiting(const struct sg_stream *stream, const struct sg_clients *clients);

/* Send a Batch of all that is new to clients that are up to date, and a step of the definitions to
 * the other clients. */
void sg_stream_send(struct sg_stream *stream, struct sg_clients *clients);
/* Read, name and send the recorded events of the memory trace. `is_ended`: no more will be
 * recorded. `is_last`: code without a name becomes "<unknown>". */
void sg_stream_send_memory(struct sg_stream *stream, struct sg_clients *clients, bool is_ended,
                           bool is_last);
/* Return whether a client has requested a snapshot of threads and none is waiting to be sent. */
bool sg_stream_wants_snapshot(const struct sg_stream *stream, const struct sg_clients *clients);
/* Send the answers to requests, each once all names in it are known: thread snapshot, census, lock
 * waits, dump of threads and tasks. */
void sg_stream_send_answers(struct sg_stream *stream, struct sg_clients *clients);

#endif
