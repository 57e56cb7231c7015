/* Writer: a loop of turns. A turn does everything once, and does not block; only the wait before a
 * turn blocks:
 *
 *     wait ─▶ accept, read requests ─▶ result of a job ─▶ phase, rates ─▶ drain ─▶ next job ─▶ send
 *      ▲                                                                                       │
 *      └───────────────────────────── settle: flush, free clients ◀───────────────────────────┘
 */
#include "agent/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "agent/contention_control.h"
#include "agent/control.h"
#include "agent/job_schedule.h"
#include "agent/lifecycle.h"
#include "agent/listener.h"
#include "agent/phases.h"
#include "agent/program_control.h"
#include "agent/rate_control.h"
#include "agent/self_profile.h"
#include "agent/trace_control.h"
#include "cpu/cpu.h"
#include "cpu/sample_handler.h"
#include "heap/heap.h"
#include "native_memory/native_alloc.h"
#include "platform/failure.h"
#include "platform/fd_table.h"
#include "platform/time.h"
#include "tasks/names.h"
#include "unwind/unwind.h"
#include "worker/gil_worker.h"
#include "worker/interpreter_end.h"

enum {
    /* Longest wait between two turns; a client's request ends it sooner. */
    PAUSE_MS = 50,
    CALM_PAUSE_MS = 100, /* the same if nothing has to be drained more often */
    /* While the worker has a job, the wait is 1/16 of the time that the job has taken so far: so
     * its end is noticed at most 1/16 too late. */
    EAGER_PART = 16,
    SHORT_NS = 200 * 1000, /* the shortest such wait */
    NS_A_MS = 1000 * 1000,
    /* Times between two drains and between two messages: see choose_drain_ns. */
    DRAIN_NS = 50 * 1000 * 1000,
    SEND_NS = 100 * 1000 * 1000,
    YOUNG_NS = 1000 * 1000 * 1000,
    LOW_HZ = 1000, /* up to this rate the sample log has room for SEND_NS on every processor */
};

/* A drain costs some 100 us of CPU, so at low rates it is done no more often than messages are
 * sent; except in the first second, when most names are unknown and each drain requests some. */
static int64_t choose_drain_ns(const struct sg_writer *writer, int64_t now_ns) {
    bool is_young = now_ns - writer->start_mono_ns < YOUNG_NS;
    return is_young || writer->arguments.hz > LOW_HZ ? DRAIN_NS : SEND_NS;
}

static void take_samples(struct sg_writer *writer, int64_t now_ns) {
    writer->has_work = sg_unwind_maintain();
    sg_cpu_maintain();
    if (writer->heap.state == SG_HOOK_ON)
        sg_heap_maintain();
    if (writer->native.state == SG_HOOK_ON)
        sg_native_alloc_maintain();
    if (now_ns - writer->drained_ns >= choose_drain_ns(writer, now_ns)) {
        writer->drained_ns = now_ns;
        sg_stream_drain(&writer->stream);
        sg_thread_names_ask_system(&writer->stream.threads, now_ns - THREADS_AGAIN_NS);
    }
    /* Until the path of the main script is known, tombstones are left for the next job that names
     * code: in a program that is watched from its start, the script's own code may be freed before
     * the first such job. */
    if (writer->stream.paths.main_file && !sg_interpreter_end_has_begun())
        sg_stream_take_tombstones(&writer->stream);
    sg_metrics_stream_look(&writer->stream.metrics, &writer->clients, now_ns);
    sg_stream_send_answers(&writer->stream, &writer->clients);
}

/* Returns whether there may be new connections. The worker cannot end a wait for clients, because
 * it has none of the writer's descriptors. So while a job is young, the writer waits for the job's
 * end and looks at the clients in between. A turn costs some 70 us of CPU even if there is nothing
 * to do, because little of it is still in the caches. */
static bool wait_for_work(struct sg_writer *writer) {
    int64_t now_ns = sg_time_mono_ns(), pause_ns = (now_ns - writer->job_ns) / EAGER_PART;
    bool is_calm = choose_drain_ns(writer, now_ns) == SEND_NS && writer->locks.state != SG_HOOK_ON;
    int most_ms =
        sg_memory_stream_pause_ms(&writer->stream.memory, is_calm ? CALM_PAUSE_MS : PAUSE_MS);
    if (writer->native.state == SG_HOOK_ON)
        most_ms = sg_native_alloc_pause_ms(most_ms);
    int part_ms = pause_ns < PAUSE_MS * NS_A_MS ? (int)(pause_ns / NS_A_MS) : PAUSE_MS;
    int pause_ms = part_ms < most_ms ? part_ms : most_ms;
    if (writer->has_work && writer->phase == PROFILING)
        pause_ms = 0;
    else if (!writer->is_job_posted)
        pause_ms = sg_contention_control_pause_ms(writer, now_ns, most_ms);
    else if (part_ms == 0)
        sg_gil_worker_wait(pause_ns > SHORT_NS ? pause_ns : SHORT_NS);
    int listener = now_ns < writer->listen_again_ns ? -1 : writer->listener;
    return sg_clients_wait(&writer->clients, listener, pause_ms);
}

static void turn(struct sg_writer *writer, bool may_have_connections) {
    int64_t now_ns = sg_time_mono_ns();
    sg_control_accept(writer, may_have_connections);
    sg_control_read_requests(writer);
    sg_program_control_take(writer);
    sg_job_schedule_finish(writer, now_ns);
    sg_control_serve_self_profile(writer, now_ns);
    if (writer->phase == PROFILING && sg_phases_is_leaving(writer, now_ns) &&
        !sg_trace_control_reads_last_types(writer, now_ns))
        sg_phases_stop_profiling(writer, now_ns);
    sg_control_hand_over(writer);
    sg_rate_control_settle(writer);
    sg_program_control_settle(writer);
    sg_control_release(writer, now_ns);
    if (writer->phase == PROFILING)
        take_samples(writer, now_ns);
    if (writer->phase == PROFILING || writer->phase == NAMING)
        sg_trace_control_turn(writer, now_ns);
    if (writer->phase == NAMING)
        sg_phases_finish_naming(writer, now_ns);
    /* At the program's exit the engine does not wait for the GIL beyond a deadline. */
    if (sg_interpreter_end_has_begun() && writer->phase == WITHDRAWING && writer->is_job_posted &&
        now_ns >= writer->deadline_ns)
        sg_phases_part(writer, now_ns);
    sg_job_schedule_post_next(writer, now_ns);
    if (writer->phase < PARTING && now_ns - writer->sent_ns >= SEND_NS) {
        writer->sent_ns = now_ns;
        sg_control_send(writer);
        if (writer->phase == PROFILING) /* answers that waited for what was just sent */
            sg_stream_send_answers(&writer->stream, &writer->clients);
    }
    if (writer->phase == PARTING) /* also clients that have just connected */
        sg_control_part(writer, writer->reason);
    sg_clients_settle(&writer->clients, now_ns);
    if (writer->phase == PARTING &&
        (now_ns >= writer->deadline_ns ||
         (sg_clients_are_gone(&writer->clients) &&
          (writer->clients.had_any || writer->listener < 0 || sg_interpreter_end_has_begun())))) {
        sg_control_close(writer);
        writer->phase = DONE;
    }
}

void sg_writer_run(const struct sg_arguments *arguments) {
    struct sg_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        sg_failure_set(SG_FAILURE_THREAD, ENOMEM);
        if (sg_self_profile_begin())
            sg_self_profile_set_failed("there is no memory for the engine");
        sg_lifecycle_set_left();
        return;
    }
    sg_fd_table_leave();
    writer->arguments = *arguments;
    writer->heap_rate = arguments->heap_rate;
    sg_rate_control_start(writer, arguments);
    writer->begun_ns = sg_time_mono_ns();
    writer->listener = -1;
    if (*arguments->socket && !sg_listener_open(writer)) { /* no client could ever connect */
        writer->phase = sg_self_profile_request() == SG_SELF_PROFILE_BEGIN ? PREPARING : DONE;
    }
    if (writer->phase != DONE)
        sg_job_schedule_begin(writer);
    while (writer->phase != DONE)
        turn(writer, wait_for_work(writer));
    sg_clients_close(&writer->clients);
    if (writer->has_stream)
        sg_stream_close(&writer->stream);
    if (writer->is_withdrawn && sg_sample_handler_is_quiet())
        sg_task_names_discard();
    if (writer->is_withdrawn)
        sg_trace_discard(); /* if its client has gone before its end */
    if (writer->is_withdrawn)
        sg_code_ids_clear();
    free(writer);
    sg_lifecycle_set_left();
}
