/* What each change of phase does, and how long a phase may last:
 *
 *     PREPARING      until its job is done
 *     PROFILING      while there is a client; without one for 30 s after the start
 *     NAMING         until all samples have names; 5 s, or 0.25 s while the program exits, or 0 if
 *                    no client gets messages
 *     WITHDRAWING    until its job is done; 0.1 s while the program exits
 *     PARTING        until all is sent; 0.5 s, or 3 s for the first client of a refused engine
 *
 * A memory trace that is still to be sent at the program's exit extends NAMING to 1.5 s; PARTING
 * lasts up to 1.5 s if a trace has been sent. An engine that is refused goes from PREPARING to
 * PARTING, and one that is no longer wanted to WITHDRAWING. */
#include "agent/phases.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/contention_control.h"
#include "agent/control.h"
#include "agent/heap_control.h"
#include "agent/lifecycle.h"
#include "agent/program_requests.h"
#include "agent/self_profile.h"
#include "agent/trace_control.h"
#include "contention/contention.h"
#include "cpu/cpu.h"
#include "cpu/wall_sampler.h"
#include "heap/heap.h"
#include "platform/time.h"
#include "unwind/unwind.h"
#include "worker/gil_worker.h"
#include "worker/interpreter_end.h"

enum {
    NAMING_AT_EXIT_NS = 250 * 1000 * 1000, /* of the half second that an exit waits */
    WITHDRAW_AT_EXIT_NS = 100 * 1000 * 1000,
    PARTING_NS = 500 * 1000 * 1000,
};
static const int64_t S = 1000 * 1000 * 1000;
#define NO_CLIENT_NS (30 * S)   /* how long an engine waits for its first client */
#define FIRST_CLIENT_NS (3 * S) /* how long a refused engine waits, to report the reason */

/* Whether the entry's caller has given up: it has removed the file `wanted`. */
static bool is_wanted_no_more(const struct sg_writer *writer) {
    struct stat file;
    /* Uses the system call, because libraries before glibc 2.33 have no symbol `stat`. */
    return *writer->arguments.wanted &&
           syscall(SYS_newfstatat, AT_FDCWD, writer->arguments.wanted, &file, 0) != 0 &&
           errno == ENOENT;
}

bool sg_phases_is_leaving(const struct sg_writer *writer, int64_t now_ns) {
    if (sg_interpreter_end_has_begun())
        return true;
    if (sg_clients_n_watching(&writer->clients) ||
        sg_self_profile_request() == SG_SELF_PROFILE_BEGIN || sg_program_request_is_posted())
        return false;
    return writer->is_unreachable || writer->clients.had_any ||
           now_ns - writer->begun_ns > NO_CLIENT_NS || is_wanted_no_more(writer);
}

static void end_for(struct sg_writer *writer, enum sg_phase next, const char *reason) {
    snprintf(writer->reason, sizeof writer->reason, "%s", reason);
    if (*reason && sg_self_profile_begin())
        sg_self_profile_set_failed(reason);
    sg_program_request_refuse(reason);
    sg_lifecycle_set_leaving();
    writer->phase = next;
}

/* A program that waits for the engine waits until all of its profiles have begun. */
void sg_phases_check_profiling(const struct sg_writer *writer) {
    if (writer->phase == PROFILING && writer->heap.state != SG_HOOK_WANTED &&
        writer->native.state != SG_HOOK_WANTED && writer->locks.state != SG_HOOK_WANTED &&
        writer->trace.state != SG_HOOK_WANTED)
        sg_lifecycle_set_profiling();
}

static void start_profiling(struct sg_writer *writer) {
    struct sg_buffer greeting = {0};
    writer->start_mono_ns = sg_time_mono_ns();
    writer->start_unix_ns = (int64_t)sg_time_clock_ns(CLOCK_REALTIME);
    if (!sg_stream_open(&writer->stream, sg_gil_worker.job.interpreter.minor)) {
        end_for(writer, WITHDRAWING, "there is no memory for the engine's tables");
        return;
    }
    writer->has_stream = true;
    /* If CPU sampling is refused, its status says so, and the other profiles go on. */
    sg_cpu_start(writer->arguments.hz, writer->arguments.clock, writer->start_mono_ns);
    writer->has_started = true;
    sg_unwind_set_wanted(writer->arguments.has_native_stacks);
    if (writer->arguments.wall_hz && !*sg_cpu_watch_problem())
        sg_wall_sampler_set_rate(writer->arguments.wall_hz);
    writer->phase = PROFILING;
    sg_control_put_greeting(writer, &greeting);
    sg_clients_publish(&writer->clients, &greeting, false);
    sg_encoder_buffer_free(&greeting);
    sg_heap_control_want(writer);
    sg_contention_control_want(writer);
    sg_trace_control_want(writer);
    sg_phases_check_profiling(writer);
}

void sg_phases_finish_preparing(struct sg_writer *writer, int64_t now_ns) {
    const char *problem = sg_gil_worker.job.problem;
    if (*problem)
        end_for(writer, PARTING, problem);
    else if (sg_phases_is_leaving(writer, now_ns))
        end_for(writer, WITHDRAWING, "");
    else
        start_profiling(writer);
    /* A refused engine waits a moment for its first client, to report the reason. */
    bool is_awaited = *writer->reason && !writer->clients.had_any;
    if (writer->phase != PROFILING && !is_awaited)
        sg_control_close(writer);
}

void sg_phases_stop_profiling(struct sg_writer *writer, int64_t now_ns) {
    bool is_at_exit = sg_interpreter_end_has_begun();
    sg_control_close(writer);
    sg_cpu_stop();
    sg_stream_drain(&writer->stream);
    sg_stream_take_counts(&writer->stream, &writer->clients, now_ns, false);
    sg_stream_end_counts(&writer->stream);
    /* Record no more, because new samples would want names, too, for as long as the program runs;
     * and at its end, later frees are those of the interpreter's own shutdown. */
    sg_heap_pass_through();
    sg_trace_control_stop(writer);
    sg_contention_set_rates(0, 0, 0, 0);
    writer->stopped_ns = sg_time_mono_ns();
    writer->heap_due_ns = writer->contention_due_ns = 0;
    if (writer->heap.state == SG_HOOK_ON)
        sg_stream_drain_heap(&writer->stream, false);
    if (writer->locks.state == SG_HOOK_ON)
        sg_stream_drain_contention(&writer->stream, false);
    end_for(writer, NAMING, is_at_exit ? "the program has ended" : "");
    writer->deadline_ns = now_ns + (!sg_clients_any_listens(&writer->clients) ? 0
                                    : !is_at_exit                             ? NAMING_NS
                                    : sg_trace_control_is_waiting(writer)     ? SG_TRACE_EXIT_NS / 2
                                                                              : NAMING_AT_EXIT_NS);
}

void sg_phases_finish_naming(struct sg_writer *writer, int64_t now_ns) {
    bool is_waiting = sg_stream_is_waiting(&writer->stream, &writer->clients) ||
                      sg_trace_control_is_waiting(writer);
    if (is_waiting && now_ns < writer->deadline_ns)
        return;
    sg_stacks_retry(&writer->stream.stacks, true);
    sg_stream_take_counts(&writer->stream, &writer->clients, now_ns, true);
    if (writer->heap.state == SG_HOOK_ON)
        sg_stream_drain_heap(&writer->stream, true);
    if (writer->locks.state == SG_HOOK_ON)
        sg_stream_drain_contention(&writer->stream, true);
    writer->heap_due_ns = writer->contention_due_ns = 0;
    sg_control_send(writer);
    writer->deadline_ns = now_ns + WITHDRAW_AT_EXIT_NS;
    writer->phase = WITHDRAWING;
}

void sg_phases_part(struct sg_writer *writer, int64_t now_ns) {
    sg_control_end_self_profile(writer);
    sg_control_hand_over(writer);
    sg_control_part(writer, writer->reason);
    bool is_awaited = writer->listener >= 0 && !writer->clients.had_any;
    int64_t parting_ns = writer->is_trace_reported ? SG_TRACE_EXIT_NS / 2 : PARTING_NS;
    writer->deadline_ns = now_ns + (is_awaited ? FIRST_CLIENT_NS : parting_ns);
    writer->phase = PARTING;
}
