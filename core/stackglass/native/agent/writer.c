/* The writer's loop: see writer.h.
 *
 *     PREPARING ──▶ PROFILING ──▶ NAMING ──▶ WITHDRAWING ──▶ PARTING ──▶ DONE
 *      GIL needed                 the last     GIL needed     Bye
 *                                 samples
 *
 * One turn looks after everything once and never blocks, but for the pause in front of it. */
#include "agent/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/agent.h"
#include "agent/contention_control.h"
#include "agent/control.h"
#include "agent/program_control.h"
#include "agent/program_requests.h"
#include "agent/rate_control.h"
#include "agent/self_profile.h"
#include "asyncio/hooks.h"
#include "contention/contention.h"
#include "cpu/cpu.h"
#include "heap/heap.h"
#include "native_memory/native_alloc.h"
#include "platform/failure.h"
#include "platform/fd_table.h"
#include "platform/permitted_calls.h"
#include "platform/process_memory.h"
#include "platform/time.h"
#include "waits/snapshot.h"
#include "wire/socket.h"
#include "worker/gil_worker.h"

enum {
    PAUSE_MS = 25,
    EAGER_PAUSE_MS = 1, /* while the symboliser is about to answer */
    EAGER_NS = 50 * 1000 * 1000,
    DRAIN_NS = 50 * 1000 * 1000,
    SEND_NS = 100 * 1000 * 1000,
    THREADS_SOON_NS = 200 * 1000 * 1000,   /* a thread without a name was seen */
    NAMING_AT_EXIT_NS = 250 * 1000 * 1000, /* of the half second that an exit waits for us */
    WITHDRAW_AT_EXIT_NS = 100 * 1000 * 1000,
    PARTING_NS = 500 * 1000 * 1000,
};
static const int64_t S = 1000 * 1000 * 1000;
#define THREADS_AGAIN_NS (2 * S) /* a thread may have been given another name */
#define NOBODY_CAME_NS (30 * S)

static void post(struct sg_writer *writer, enum sg_job_kind kind) {
    writer->is_job_posted = true;
    writer->job_ns = sg_time_mono_ns();
    sg_permitted_calls_check_at(writer->job_ns);
    sg_gil_worker_post(kind);
}

/* The interpreter ends: it told us by atexit, or has forgotten to (see worker/exit_hook.c). */
static bool is_ending(void) { return sg_agent_is_exiting() || sg_gil_worker_is_ending(); }

/* Phases. */

static bool is_leaving(const struct sg_writer *writer, int64_t now_ns) {
    if (is_ending())
        return true;
    if (sg_clients_n_watching(&writer->clients) || sg_self_profile_request() == SG_SESSION_BEGIN ||
        sg_program_request_is_posted())
        return false;
    return writer->is_unreachable || writer->clients.had_any ||
           now_ns - writer->begun_ns > NOBODY_CAME_NS;
}

static void end_for(struct sg_writer *writer, enum sg_phase next, const char *reason) {
    snprintf(writer->reason, sizeof writer->reason, "%s", reason);
    if (sg_self_profile_request() == SG_SESSION_BEGIN && *reason)
        sg_self_profile_set_failed(reason);
    sg_program_request_refuse(reason);
    sg_agent_set_leaving();
    writer->phase = next;
}

/* A program that waits for us waits for all that it is to be profiled with. */
static void check_profiling(const struct sg_writer *writer) {
    if (writer->phase == PROFILING && writer->heap.state != SG_HOOK_WANTED &&
        writer->native.state != SG_HOOK_WANTED && writer->locks.state != SG_HOOK_WANTED)
        sg_agent_set_profiling();
}

static void start_profiling(struct sg_writer *writer) {
    struct sg_buffer ready = {0};
    writer->start_mono_ns = sg_time_mono_ns();
    writer->start_unix_ns = (int64_t)sg_time_clock_ns(CLOCK_REALTIME);
    if (!sg_stream_open(&writer->feed, sg_gil_worker.job.interpreter.minor)) {
        end_for(writer, WITHDRAWING, "there is no memory for the engine's tables");
        return;
    }
    writer->has_feed = true;
    /* If it is refused, its status says so, and the other profiles go on. */
    sg_cpu_start(writer->arguments.hz, writer->arguments.clock, writer->start_mono_ns);
    writer->has_started = true;
    writer->phase = PROFILING;
    sg_control_put_welcome(writer, &ready);
    sg_control_report(writer, &ready);
    sg_encoder_buffer_free(&ready);
    if (writer->heap_rate)
        sg_control_want_heap(writer);
    sg_contention_control_want(writer);
    check_profiling(writer);
}

static void finish_preparing(struct sg_writer *writer, int64_t now_ns) {
    const char *problem = sg_gil_worker.job.problem;
    if (*problem)
        end_for(writer, PARTING, problem);
    else if (is_leaving(writer, now_ns))
        end_for(writer, WITHDRAWING, "");
    else
        start_profiling(writer);
    if (writer->phase != PROFILING)
        sg_control_close(writer);
}

static void finish_hook(struct sg_hook *hook) {
    const char *problem = sg_gil_worker.job.problem;
    hook->state = *problem ? SG_HOOK_REFUSED : SG_HOOK_ON;
    hook->start_ns = *problem ? 0 : sg_time_mono_ns();
    snprintf(hook->problem, sizeof hook->problem, "%s", problem);
}

static void finish_heap(struct sg_writer *writer) {
    finish_hook(&writer->heap);
    writer->heap_due_ns = 0;
    if (writer->heap.state == SG_HOOK_REFUSED)
        writer->native.state = SG_HOOK_OFF;
    if (writer->phase != PROFILING)
        return;
    sg_heap_set_rate(writer->heap_rate);
    check_profiling(writer);
}

static void finish_locks(struct sg_writer *writer) {
    finish_hook(&writer->locks);
    memcpy(writer->locks_problem, sg_gil_worker.job.locks_problem, sizeof writer->locks_problem);
    writer->contention_due_ns = 0;
    if (writer->phase != PROFILING)
        return;
    sg_contention_control_start(writer);
    check_profiling(writer);
}

static void finish_native(struct sg_writer *writer) {
    finish_hook(&writer->native);
    writer->heap_due_ns = 0;
    check_profiling(writer);
}

static void stop_profiling(struct sg_writer *writer, int64_t now_ns) {
    bool is_at_exit = is_ending();
    sg_control_close(writer);
    sg_cpu_stop();
    sg_stream_drain(&writer->feed);
    if (is_at_exit)
        sg_heap_pass_through(); /* what is freed from here on is the interpreter's end */
    sg_contention_set_rates(0, 0, 0, 0);
    writer->stopped_ns = sg_time_mono_ns();
    writer->heap_due_ns = writer->contention_due_ns = 0;
    if (writer->heap.state == SG_HOOK_ON)
        sg_stream_drain_heap(&writer->feed, false);
    if (writer->locks.state == SG_HOOK_ON)
        sg_stream_drain_contention(&writer->feed, false);
    end_for(writer, NAMING, is_at_exit ? "the program has ended" : "");
    writer->deadline_ns = now_ns + (!writer->clients.n ? 0
                                    : is_at_exit       ? NAMING_AT_EXIT_NS
                                                       : NAMING_NS);
}

static void finish_naming(struct sg_writer *writer, int64_t now_ns) {
    if (sg_stream_is_waiting(&writer->feed) && now_ns < writer->deadline_ns)
        return;
    sg_stacks_retry(&writer->feed.stacks, true);
    if (writer->heap.state == SG_HOOK_ON)
        sg_stream_drain_heap(&writer->feed, true);
    if (writer->locks.state == SG_HOOK_ON)
        sg_stream_drain_contention(&writer->feed, true);
    writer->heap_due_ns = writer->contention_due_ns = 0;
    sg_control_send(writer);
    writer->deadline_ns = now_ns + WITHDRAW_AT_EXIT_NS;
    writer->phase = WITHDRAWING;
}

static void part(struct sg_writer *writer, int64_t now_ns) {
    sg_control_hand_over(writer);
    sg_control_part(writer, writer->reason);
    writer->deadline_ns = now_ns + PARTING_NS;
    writer->phase = PARTING;
}

/* A job has come back. */
static void finish_job(struct sg_writer *writer, int64_t now_ns) {
    struct sg_job *job = &sg_gil_worker.job;
    writer->is_job_posted = false;
    if (job->kind == SG_JOB_PREPARE)
        finish_preparing(writer, now_ns);
    if (writer->has_feed)
        sg_stream_take_results(&writer->feed, job);
    if (job->kind == SG_JOB_HEAP)
        finish_heap(writer);
    if (job->kind == SG_JOB_NATIVE)
        finish_native(writer);
    if (job->kind == SG_JOB_LOCKS)
        finish_locks(writer);
    if (job->kind == SG_JOB_LOCK_NAMES && writer->has_feed)
        sg_contention_control_take_names(writer, now_ns);
    if (job->kind == SG_JOB_LOCK_WAITS)
        writer->contention_due_ns = 0; /* they wait for the locks that they refer to */
    if (job->kind == SG_JOB_CENSUS && writer->feed.census.is_ready)
        writer->heap_due_ns = 0; /* it waits for the buckets that it refers to */
    if (job->kind == SG_JOB_COLLECT) {
        writer->n_collects++;
        writer->heap_due_ns = 0;
    }
    if (job->kind == SG_JOB_THREADS)
        sg_thread_names_ask_system(&writer->feed.threads, writer->job_ns);
    if (job->kind == SG_JOB_WITHDRAW || (job->kind == SG_JOB_PREPARE && writer->phase == PARTING)) {
        /* After a PREPARE that failed there is nothing to undo. */
        writer->is_withdrawn = job->kind == SG_JOB_PREPARE || !*job->problem;
        part(writer, now_ns);
    }
}

static bool are_threads_due(const struct sg_writer *writer, int64_t now_ns) {
    int64_t since_ns = now_ns - writer->threads_ns;
    return writer->clients.n && (since_ns >= THREADS_AGAIN_NS ||
                                 (writer->feed.threads.n_nameless && since_ns >= THREADS_SOON_NS));
}

static void post_next_job(struct sg_writer *writer, int64_t now_ns) {
    struct sg_job *job = &sg_gil_worker.job;
    if (writer->is_job_posted || writer->phase >= PARTING)
        return;
    bool is_look_wanted = writer->phase == PROFILING && writer->locks.state == SG_HOOK_ON &&
                          !*writer->locks_problem &&
                          sg_lock_waits_stream_wants(&writer->feed.lock_waits, &writer->clients);
    if (!is_look_wanted && sg_waits_snapshot_is_begun())
        sg_waits_snapshot_end(); /* who asked for it has gone */
    if (writer->phase == WITHDRAWING) {
        job->is_exiting = is_ending();
        post(writer, SG_JOB_WITHDRAW);
        return;
    }
    if (writer->phase == PROFILING && writer->heap.state == SG_HOOK_WANTED) {
        writer->before_attach_bytes = sg_process_memory_resident_bytes();
        job->start_mono_ns = writer->start_mono_ns;
        post(writer, SG_JOB_HEAP);
        return;
    }
    if (writer->phase == PROFILING && writer->native.state == SG_HOOK_WANTED) {
        post(writer, SG_JOB_NATIVE);
        return;
    }
    if (writer->phase == PROFILING && writer->locks.state == SG_HOOK_WANTED) {
        job->start_mono_ns = writer->start_mono_ns;
        post(writer, SG_JOB_LOCKS);
        return;
    }
    if (writer->phase == PROFILING && sg_asyncio_hooks_are_due(now_ns)) { /* a stall may pass */
        post(writer, SG_JOB_ASYNCIO);
        return;
    }
    if (writer->phase == PROFILING && sg_contention_control_wants_others(writer, now_ns)) {
        post(writer, SG_JOB_OTHER);
        return;
    }
    if (writer->phase == PROFILING && writer->is_collect_asked) {
        writer->is_collect_asked = false;
        post(writer, SG_JOB_COLLECT);
        return;
    }
    for (size_t n = job->n_codes = 0; n < SG_MAX_NAMES; n++) {
        if (!sg_stacks_take_wanted(&writer->feed.stacks, &job->codes[n].id, 1))
            break;
        job->n_codes++;
    }
    if (job->n_codes) {
        post(writer, SG_JOB_NAME);
    } else if (writer->phase == PROFILING &&
               sg_stream_wants_snapshot(&writer->feed, &writer->clients)) {
        post(writer, SG_JOB_SNAPSHOT);
    } else if (writer->phase == PROFILING &&
               sg_thread_dump_stream_continues(&writer->feed.thread_dump, &writer->clients)) {
        post(writer, SG_JOB_DUMP);
    } else if (is_look_wanted) {
        if (!sg_waits_snapshot_is_begun())
            sg_waits_snapshot_begin();
        post(writer, SG_JOB_LOCK_WAITS);
    } else if (writer->phase == PROFILING && are_threads_due(writer, now_ns)) {
        writer->threads_ns = now_ns;
        post(writer, SG_JOB_THREADS);
    } else if (writer->phase == PROFILING &&
               sg_census_stream_wants(&writer->feed.census, &writer->feed.heap, &writer->clients)) {
        post(writer, SG_JOB_CENSUS);
    } else if (writer->phase == PROFILING && sg_contention_control_wants_names(writer, now_ns)) {
        post(writer, SG_JOB_LOCK_NAMES);
    }
}

static void take_samples(struct sg_writer *writer, int64_t now_ns) {
    sg_cpu_tend();
    if (writer->heap.state == SG_HOOK_ON)
        sg_heap_tend();
    if (writer->native.state == SG_HOOK_ON)
        sg_native_alloc_tend();
    if (now_ns - writer->drained_ns >= DRAIN_NS) {
        writer->drained_ns = now_ns;
        sg_stream_drain(&writer->feed);
        sg_thread_names_ask_system(&writer->feed.threads, now_ns - THREADS_AGAIN_NS);
    }
    if (!writer->is_job_posted)
        sg_stream_add_tombstone(&writer->feed);
    sg_stream_send_answers(&writer->feed, &writer->clients);
}

static int choose_pause_ms(const struct sg_writer *writer) {
    int64_t now_ns = sg_time_mono_ns();
    if (!writer->is_job_posted)
        return sg_contention_control_pause_ms(writer, now_ns, PAUSE_MS);
    return now_ns - writer->job_ns < EAGER_NS ? EAGER_PAUSE_MS : PAUSE_MS;
}

static void turn(struct sg_writer *writer) {
    int64_t now_ns = sg_time_mono_ns();
    sg_control_accept(writer);
    sg_control_read_requests(writer);
    if (writer->is_job_posted && !sg_gil_worker_is_busy())
        finish_job(writer, now_ns);
    else if (writer->is_job_posted)
        sg_gil_worker_maintain();
    sg_control_attend_self_profile(writer, now_ns);
    if (writer->phase == PROFILING && is_leaving(writer, now_ns))
        stop_profiling(writer, now_ns);
    sg_rate_control_settle(writer);
    sg_program_control_settle(writer);
    sg_control_release(writer, now_ns);
    if (writer->phase == PROFILING)
        take_samples(writer, now_ns);
    if (writer->phase == NAMING)
        finish_naming(writer, now_ns);
    /* At the program's exit nothing may wait for a GIL that somebody keeps. */
    if (is_ending() && writer->phase == WITHDRAWING && writer->is_job_posted &&
        now_ns >= writer->deadline_ns)
        part(writer, now_ns);
    post_next_job(writer, now_ns);
    if (writer->phase < PARTING && now_ns - writer->sent_ns >= SEND_NS) {
        writer->sent_ns = now_ns;
        sg_control_send(writer);
    }
    sg_clients_settle(&writer->clients, now_ns);
    if (writer->phase == PARTING &&
        (sg_clients_are_gone(&writer->clients) || now_ns >= writer->deadline_ns))
        writer->phase = DONE;
}

void sg_writer_run(const struct sg_arguments *arguments) {
    struct sg_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        sg_failure_set(SG_FAILURE_THREAD, ENOMEM);
        if (sg_self_profile_request() == SG_SESSION_BEGIN)
            sg_self_profile_set_failed("there is no memory for the engine");
        sg_agent_set_left();
        return;
    }
    sg_fd_table();
    writer->arguments = *arguments;
    writer->heap_rate = arguments->heap_rate;
    sg_rate_control_start(writer, arguments);
    writer->begun_ns = sg_time_mono_ns();
    writer->listener = *arguments->socket ? sg_socket_listen(arguments->socket) : -1;
    if (*arguments->socket && writer->listener < 0) {
        sg_failure_set(SG_FAILURE_SOCKET, -writer->listener); /* no client could ever connect */
        writer->phase = sg_self_profile_request() == SG_SESSION_BEGIN ? PREPARING : DONE;
    }
    if (writer->phase != DONE)
        post(writer, SG_JOB_PREPARE);
    while (writer->phase != DONE) {
        sg_clients_wait(&writer->clients, writer->listener, choose_pause_ms(writer));
        turn(writer);
    }
    sg_clients_close(&writer->clients);
    if (writer->has_feed)
        sg_stream_close(&writer->feed);
    if (writer->is_withdrawn)
        sg_code_ids_clear();
    free(writer);
    sg_agent_set_left();
}
