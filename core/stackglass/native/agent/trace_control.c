/* The states of the memory trace.
 *
 *     OFF ──request──▶ WANTED ──job──▶ ON ──its client asks, or leaves──▶ ending
 *      ▲                  └─▶ REFUSED                                        │ last objects' types,
 *      │                                                                     ▼ job that unhooks
 *      └───── everything sent, last MemoryInfo, lanes freed ◀───────────── ended
 *
 * While ON, the flags is_trace_ending, _ended, _unhooked and _reported say how far the end is. If
 * the engine leaves, the trace is ended at once (stop), and unhooked by the job that withdraws.
 *
 * One client owns the trace. While the owner is connected, another client's request is refused;
 * once the owner has left, the other client waits until the old trace has ended
 * (awaits_memory_trace). */
#include "agent/trace_control.h"

#include <stdio.h>

#include "native_memory/native_alloc.h"
#include "platform/time.h"
#include "worker/gil_worker.h"
#include "worker/interpreter_end.h"

enum {
    INFO_NS = 1000 * 1000 * 1000,
    TYPES_NS = 50 * 1000 * 1000,
    LAST_TYPES_NS = 50 * 1000 * 1000, /* meanwhile the program allocates more */
    LAST_TYPES_AT_EXIT_NS = 250 * 1000 * 1000,
};

static const char IN_USE[] = "another client is tracing the memory of this process";

static struct sg_client *find_client(const struct sg_writer *writer) {
    for (size_t i = 0; i < writer->clients.n; i++)
        if (writer->clients.at[i]->has_memory_trace)
            return writer->clients.at[i];
    return NULL;
}

static void put_info(struct sg_writer *writer, struct sg_client *client, const char *problem) {
    const struct sg_memory_standing standing = {
        .problem = problem,
        .is_ended = writer->is_trace_ended && sg_memory_stream_is_over(&writer->stream.memory),
        .session_start_ns = writer->start_mono_ns,
        .sent_ns = sg_memory_stream_sent_ns(&writer->stream.memory),
        .is_native_seen = writer->is_trace_native && writer->native.state == SG_HOOK_ON,
        .native_problem = writer->native.problem,
        .minor = sg_gil_worker.job.interpreter.minor,
    };
    sg_memory_stream_put_info(&standing, &client->out);
}

static void want(struct sg_writer *writer, bool has_native) {
    writer->trace.state = SG_HOOK_WANTED;
    writer->is_trace_native = has_native;
    if (has_native && writer->native.state != SG_HOOK_ON)
        writer->native.state = SG_HOOK_WANTED;
}

void sg_trace_control_want(struct sg_writer *writer) {
    if (writer->arguments.is_traced && writer->trace.state != SG_HOOK_ON)
        want(writer, !writer->arguments.is_without_native);
}

void sg_trace_control_record_native(const struct sg_writer *writer) {
    if (writer->trace.state == SG_HOOK_ON && writer->is_trace_native && !writer->is_trace_ending &&
        !writer->is_trace_ended && writer->native.state == SG_HOOK_ON)
        sg_native_alloc_record_trace(true);
}

void sg_trace_control_adopt(struct sg_writer *writer, struct sg_client *client) {
    client->has_memory_trace = writer->arguments.is_traced;
    writer->arguments.is_traced = false;
    if (client->has_memory_trace && writer->trace.state == SG_HOOK_ON)
        put_info(writer, client, "");
}

static bool is_in_use(const struct sg_writer *writer) {
    return writer->trace.state == SG_HOOK_ON || writer->trace.state == SG_HOOK_WANTED;
}

/* Begin a trace for a client that awaits one. A trace whose client has left has to end before; a
 * trace that has not begun needs no end. */
static void begin_awaited(struct sg_writer *writer) {
    if (writer->trace.state == SG_HOOK_ON || find_client(writer))
        return;
    for (size_t i = 0; i < writer->clients.n; i++) {
        struct sg_client *client = writer->clients.at[i];
        if (!client->awaits_memory_trace)
            continue;
        client->awaits_memory_trace = false;
        client->has_memory_trace = true;
        want(writer, client->awaits_native_trace);
        return;
    }
}

void sg_trace_control_request(struct sg_writer *writer, struct sg_client *client,
                              const struct sg_request *request) {
    const struct sg_client *owner = find_client(writer);
    client->awaits_memory_trace = false;
    if (!request->is_on) {
        writer->is_trace_ending |= client->has_memory_trace;
    } else if (owner && is_in_use(writer)) {
        if (owner != client)
            put_info(writer, client, IN_USE);
        else /* it owns the trace: send it all events up to now, and a MemoryInfo */
            writer->stream.memory.read_ns = writer->stream.memory.info_sent_ns = 0;
    } else {
        client->awaits_memory_trace = true;
        client->awaits_native_trace = !request->is_without_native;
        begin_awaited(writer);
    }
}

/* ---- Jobs ---- */

/* Close the trace, which is over or could not begin, and report a `problem` to its client. */
static void give_up(struct sg_writer *writer, const char *problem) {
    struct sg_client *client = find_client(writer);
    if (client && *problem)
        put_info(writer, client, problem);
    if (client)
        client->has_memory_trace = false;
    sg_memory_stream_close(&writer->stream.memory);
    writer->trace.state = *problem ? SG_HOOK_REFUSED : SG_HOOK_OFF;
    writer->is_trace_ending = writer->is_trace_ended = false;
}

void sg_trace_control_finish_begin(struct sg_writer *writer, const char *problem) {
    struct sg_client *client = find_client(writer);
    writer->is_trace_ended = writer->is_trace_unhooked = writer->is_trace_reported = false;
    writer->trace_last_ns = 0;
    if (*problem) {
        give_up(writer, problem);
        return;
    }
    if (!sg_memory_stream_open(&writer->stream.memory)) {
        give_up(writer, "there is no memory for the memory trace");
        writer->trace.state = SG_HOOK_ON; /* it records: it ends as if its client had left */
        writer->is_trace_ending = writer->stream.memory.is_drained = true;
        return;
    }
    writer->trace.state = SG_HOOK_ON;
    writer->trace.start_ns = sg_time_mono_ns();
    sg_trace_control_record_native(writer);
    if (client)
        put_info(writer, client, "");
}

bool sg_trace_control_reads_last_types(struct sg_writer *writer, int64_t now_ns) {
    struct sg_memory_stream *stream = &writer->stream.memory;
    if (writer->trace.state != SG_HOOK_ON || writer->is_trace_ended || !find_client(writer) ||
        sg_interpreter_end_is_over())
        return false;
    if (!writer->trace_last_ns) {
        bool is_at_exit = sg_interpreter_end_has_begun();
        writer->trace_last_ns = now_ns + (is_at_exit ? LAST_TYPES_AT_EXIT_NS : LAST_TYPES_NS);
        sg_memory_stream_cut(stream);
    }
    return now_ns < writer->trace_last_ns && (stream->is_cut || sg_trace_wants_types());
}

bool sg_trace_control_reads_types(struct sg_writer *writer, int64_t now_ns) {
    int64_t pause_ns = writer->trace_last_ns ? 0 : TYPES_NS;
    bool is_due = writer->trace.state == SG_HOOK_ON && !writer->is_trace_ended &&
                  now_ns - writer->trace_types_ns >= pause_ns && sg_trace_wants_types();
    if (is_due)
        writer->trace_types_ns = now_ns;
    return is_due;
}

bool sg_trace_control_ends(struct sg_writer *writer, int64_t now_ns) {
    bool is_due = writer->trace.state == SG_HOOK_ON && writer->is_trace_ending &&
                  !writer->is_trace_ended && !sg_trace_control_reads_last_types(writer, now_ns);
    if (is_due)
        sg_native_alloc_record_trace(false);
    return is_due;
}

void sg_trace_control_finish_end(struct sg_writer *writer) {
    writer->is_trace_ended = writer->is_trace_unhooked = true;
}

/* ---- Turns ---- */

void sg_trace_control_stop(struct sg_writer *writer) {
    sg_native_alloc_record_trace(false);
    sg_trace_pass_through();
    if (writer->trace.state == SG_HOOK_ON)
        writer->is_trace_ended = true;
}

bool sg_trace_control_is_waiting(const struct sg_writer *writer) {
    return writer->trace.state == SG_HOOK_ON && find_client(writer) &&
           !sg_memory_stream_is_over(&writer->stream.memory);
}

void sg_trace_control_turn(struct sg_writer *writer, int64_t now_ns) {
    struct sg_memory_stream *stream = &writer->stream.memory;
    struct sg_client *client = find_client(writer);
    if (writer->phase == PROFILING)
        begin_awaited(writer);
    if (writer->trace.state != SG_HOOK_ON)
        return;
    bool is_left = writer->clients.had_any && !client;
    writer->is_trace_ending |= is_left || (client && client->stage != SG_CLIENT_WATCHING);
    bool is_late = writer->phase > PROFILING && now_ns >= writer->deadline_ns;
    sg_stream_send_memory(&writer->stream, &writer->clients, writer->is_trace_ended, is_late);
    if (client && !writer->is_trace_reported && now_ns - stream->info_sent_ns >= INFO_NS) {
        stream->info_sent_ns = now_ns;
        put_info(writer, client, "");
    }
    if (!writer->is_trace_ended || !(is_left || sg_memory_stream_is_over(stream)))
        return;
    if (client && !writer->is_trace_reported)
        put_info(writer, client, "");
    writer->is_trace_reported = true;
    /* Without the job, a thread with the GIL may still be inside a hook: see writer.c's end. */
    if (!writer->is_trace_unhooked || (!writer->is_job_posted && sg_trace_discard()))
        give_up(writer, "");
}
