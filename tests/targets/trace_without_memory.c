/* A memory trace that is hooked, and has no memory for its stream.
 *
 * Prints whether its client got the reason, whether the job that unhooks is due, and the state of
 * the trace once that job is done, before and after which another client requests a trace. */
#include <stdio.h>

#include "agent/trace_control.h"
#include "native_memory/native_alloc.h"
#include "worker/gil_worker.h"
#include "worker/interpreter_end.h"

struct sg_gil_worker sg_gil_worker;
static bool has_reason;

bool sg_memory_stream_open(struct sg_memory_stream *stream) { return false; }
void sg_memory_stream_close(struct sg_memory_stream *stream) { stream->is_drained = false; }
bool sg_memory_stream_is_over(const struct sg_memory_stream *stream) { return stream->is_drained; }
void sg_memory_stream_cut(struct sg_memory_stream *stream) {}
int64_t sg_memory_stream_sent_ns(struct sg_memory_stream *stream) { return 0; }
void sg_memory_stream_put_info(const struct sg_memory_standing *standing, struct sg_buffer *out) {
    has_reason |= *standing->problem != 0;
}
void sg_stream_send_memory(struct sg_stream *stream, struct sg_clients *clients, bool is_ended,
                           bool is_last) {}
void sg_native_alloc_record_trace(bool is_on) {}
void sg_trace_pass_through(void) {}
bool sg_trace_discard(void) { return true; }
bool sg_trace_wants_types(void) { return false; }
bool sg_interpreter_end_has_begun(void) { return false; }
bool sg_interpreter_end_is_over(void) { return false; }
uint64_t sg_time_clock_ns(clockid_t clock) { return 1; }

int main(void) {
    static struct sg_client first = {.has_memory_trace = true, .descriptor = 1}, second = {0};
    static struct sg_writer writer = {.phase = PROFILING, .trace = {.state = SG_HOOK_WANTED}};
    const struct sg_request request = {.kind = SG_REQUEST_SET_MEMORY_TRACE, .is_on = true};
    writer.clients.at[0] = &first;
    writer.clients.at[1] = &second;
    writer.clients.n = 2;
    writer.clients.had_any = true;
    sg_trace_control_finish_begin(&writer, "");
    sg_trace_control_request(&writer, &second, &request);
    sg_trace_control_turn(&writer, 1);
    bool is_due = sg_trace_control_ends(&writer, 1);
    bool is_early = second.has_memory_trace;
    if (is_due)
        sg_trace_control_finish_end(&writer);
    sg_trace_control_turn(&writer, 1); /* the trace is over */
    sg_trace_control_turn(&writer, 1); /* the next one begins */
    printf("%d %d %d %d\n", has_reason, is_due, is_early, writer.trace.state == SG_HOOK_WANTED);
    return 0;
}
