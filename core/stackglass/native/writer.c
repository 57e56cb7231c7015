/* The writer's loop: see writer.h.
 *
 *     PREPARING ──▶ PROFILING ──▶ NAMING ──▶ WITHDRAWING ──▶ PARTING ──▶ DONE
 *      GIL needed                 the last     GIL needed     Bye
 *                                 samples
 *
 * One turn looks after everything once and never blocks, but for the pause in front of it. */
#include "writer.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "cpu.h"
#include "feed.h"
#include "own_descriptors.h"
#include "session.h"
#include "socket.h"
#include "symboliser.h"
#include "wakeup.h"

enum {
    PAUSE_MS = 10,
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
#define NAMING_NS (5 * S)

enum phase { PREPARING, PROFILING, NAMING, WITHDRAWING, PARTING, DONE };

struct writer {
    enum phase phase;
    struct sg_arguments arguments;
    int listener; /* -1 = nobody can connect */
    struct sg_clients clients;
    struct sg_feed feed;
    bool has_feed;
    bool is_job_posted;
    bool is_detach_asked;
    bool has_started; /* the sampler */
    bool is_withdrawn;
    char reason[256]; /* of the Bye; "" = we were asked to go */
    int64_t start_mono_ns, start_unix_ns;
    int64_t begun_ns, job_ns, drained_ns, sent_ns, threads_ns, deadline_ns;
};

static void tell(struct writer *writer, const struct sg_buffer *bytes) {
    sg_clients_tell(&writer->clients, bytes, false);
}

static void post(struct writer *writer, enum sg_job_kind kind) {
    writer->is_job_posted = true;
    writer->job_ns = sg_mono_ns();
    sg_symboliser_post(kind);
}

/* Clients. */

static void unlisten(struct writer *writer) {
    if (writer->listener >= 0)
        sg_socket_unlisten(writer->listener, writer->arguments.socket);
    writer->listener = -1;
}

static void put_ready(const struct writer *writer, struct sg_buffer *out) {
    struct sg_cpu_status status;
    sg_cpu_status(&status);
    sg_put_ready(out, &sg_symboliser.job.interpreter, writer->start_unix_ns, writer->start_mono_ns,
                 status.clock);
    sg_put_rates(out, status.hz);
}

static struct sg_client *greet(struct writer *writer, int descriptor) {
    struct sg_client *client = sg_clients_add(&writer->clients, descriptor);
    if (!client)
        return NULL;
    sg_put_hello(&client->out);
    if (writer->phase == PROFILING)
        put_ready(writer, &client->out);
    /* Whoever comes before anything was told misses nothing. */
    client->is_up_to_date = sg_cursor_equals(&client->cursor, &writer->feed.sent);
    return client;
}

static void accept_clients(struct writer *writer) {
    struct sg_arguments late;
    if (sg_agent_take_socket(&late) && writer->listener < 0 && writer->phase <= PROFILING) {
        memcpy(writer->arguments.socket, late.socket, sizeof late.socket);
        writer->arguments.uid = late.uid;
        writer->listener = sg_socket_listen(late.socket);
        writer->begun_ns = sg_mono_ns();
    }
    while (writer->listener >= 0) {
        int descriptor = sg_socket_accept(writer->listener, writer->arguments.uid);
        if (descriptor < 0)
            return;
        if (!greet(writer, descriptor))
            close(descriptor);
    }
}

static void set_rate(struct writer *writer, long hz) {
    struct sg_buffer rates = {0};
    writer->arguments.hz = sg_clamp_hz(hz);
    if (writer->phase == PROFILING)
        sg_cpu_set_rate(writer->arguments.hz);
    sg_put_rates(&rates, writer->arguments.hz);
    tell(writer, &rates);
    sg_buffer_free(&rates);
}

/* False = the client has no business here. */
static bool obey(struct writer *writer, struct sg_client *client,
                 const struct sg_request *request) {
    switch (request->kind) {
    case SG_REQUEST_GREETING:
        if (request->protocol == SG_PROTOCOL_VERSION)
            break;
        sg_put_bye(&client->out, "the engine speaks another version of the protocol");
        sg_clients_flush(&writer->clients);
        return false;
    case SG_REQUEST_SET_RATES:
        set_rate(writer, request->cpu_hz > SG_MAX_HZ ? SG_MAX_HZ : (long)request->cpu_hz);
        break;
    case SG_REQUEST_SNAPSHOT_THREADS:
        client->wants_snapshot = true;
        break;
    case SG_REQUEST_DETACH:
        writer->is_detach_asked = true;
        break;
    case SG_REQUEST_UNKNOWN:
        break;
    }
    return true;
}

static void hear_clients(struct writer *writer) {
    for (size_t i = writer->clients.n; i-- > 0;) {
        struct sg_client *client = writer->clients.at[i];
        struct sg_request request;
        if (client->descriptor < 0)
            continue;
        bool is_there = sg_client_receive(client);
        int outcome = sg_client_next_request(client, &request);
        while (outcome > 0 && obey(writer, client, &request))
            outcome = sg_client_next_request(client, &request);
        if (!is_there || outcome != 0)
            sg_clients_drop(&writer->clients, i);
    }
}

/* The program's own profile goes on; everybody else is told goodbye. */
static void part_from_remotes(struct writer *writer) {
    unlisten(writer);
    for (size_t i = 0; i < writer->clients.n; i++)
        if (writer->clients.at[i]->descriptor >= 0)
            sg_put_bye(&writer->clients.at[i]->out, "");
    sg_clients_flush(&writer->clients);
    for (size_t i = writer->clients.n; i-- > 0;)
        if (writer->clients.at[i]->descriptor >= 0)
            sg_clients_drop(&writer->clients, i);
    writer->is_detach_asked = false;
}

/* The program's own profile. */

static void put_status(const struct writer *writer, struct sg_buffer *out) {
    struct sg_cpu_status status = {0};
    if (writer->has_started)
        sg_cpu_status(&status);
    status.n_lost += writer->feed.n_refused;
    status.n_samples -= writer->feed.n_refused;
    sg_put_status(out, &status, sg_mono_ns(), sg_symboliser_gil_wait_ns());
}

static void hand_over(struct writer *writer) {
    for (size_t i = 0; i < writer->clients.n; i++)
        if (writer->clients.at[i]->descriptor < 0) {
            put_status(writer, &writer->clients.at[i]->out);
            if (writer->clients.n == 1)
                sg_agent_set_leaving(); /* before the program is told: it waits for that too */
            sg_session_set_ended(&writer->clients.at[i]->out);
            sg_clients_drop(&writer->clients, i);
            return;
        }
}

static void begin_session(struct writer *writer) {
    struct sg_client *client = greet(writer, -1);
    if (!client) {
        sg_session_set_failed("too many clients are attached");
        return;
    }
    put_status(writer, &client->out); /* what was before is not this profile's */
    if (writer->arguments.hz != sg_session_hz())
        set_rate(writer, sg_session_hz());
    sg_session_set_running();
}

static void send_news(struct writer *writer);

static void attend_session(struct writer *writer, int64_t now_ns) {
    if (writer->phase != PROFILING)
        return;
    if (sg_session_wish() == SG_SESSION_BEGIN)
        begin_session(writer);
    if (sg_session_wish() != SG_SESSION_END)
        return;
    if (!writer->deadline_ns) {
        sg_feed_drain(&writer->feed);
        writer->deadline_ns = now_ns + NAMING_NS;
    }
    bool is_late = now_ns >= writer->deadline_ns;
    if (sg_feed_is_waiting(&writer->feed) && !is_late)
        return;
    sg_stacks_retry(&writer->feed.stacks, true);
    send_news(writer);
    hand_over(writer);
    writer->deadline_ns = 0;
}

/* Phases. */

static bool is_leaving(const struct writer *writer, int64_t now_ns) {
    if (writer->is_detach_asked || sg_agent_is_exiting())
        return true;
    if (writer->clients.n || sg_session_wish() == SG_SESSION_BEGIN)
        return false;
    return writer->clients.had_any || now_ns - writer->begun_ns > NOBODY_CAME_NS;
}

static void end_for(struct writer *writer, enum phase next, const char *reason) {
    snprintf(writer->reason, sizeof writer->reason, "%s", reason);
    if (sg_session_wish() == SG_SESSION_BEGIN && *reason)
        sg_session_set_failed(reason);
    sg_agent_set_leaving();
    writer->phase = next;
}

static void start_profiling(struct writer *writer) {
    struct sg_buffer ready = {0};
    struct timespec unix_time;
    writer->start_mono_ns = sg_mono_ns();
    clock_gettime(CLOCK_REALTIME, &unix_time);
    writer->start_unix_ns = (int64_t)unix_time.tv_sec * S + unix_time.tv_nsec;
    if (!sg_feed_open(&writer->feed, sg_symboliser.job.interpreter.minor)) {
        end_for(writer, WITHDRAWING, "there is no memory for the engine's tables");
        return;
    }
    writer->has_feed = true;
    const char *problem =
        sg_cpu_start(writer->arguments.hz, writer->arguments.clock, writer->start_mono_ns);
    if (problem) {
        end_for(writer, WITHDRAWING, problem);
        return;
    }
    writer->has_started = true;
    writer->phase = PROFILING;
    put_ready(writer, &ready);
    tell(writer, &ready);
    sg_buffer_free(&ready);
    sg_agent_set_profiling();
}

static void finish_preparing(struct writer *writer, int64_t now_ns) {
    const char *problem = sg_symboliser.job.problem;
    if (*problem)
        end_for(writer, PARTING, problem);
    else if (is_leaving(writer, now_ns))
        end_for(writer, WITHDRAWING, "");
    else
        start_profiling(writer);
    if (writer->phase != PROFILING)
        unlisten(writer);
}

static void stop_profiling(struct writer *writer, int64_t now_ns) {
    bool is_exit = sg_agent_is_exiting();
    unlisten(writer);
    sg_cpu_stop();
    sg_feed_drain(&writer->feed);
    end_for(writer, NAMING, is_exit ? "the program has ended" : "");
    writer->deadline_ns = now_ns + (!writer->clients.n ? 0
                                    : is_exit          ? NAMING_AT_EXIT_NS
                                                       : NAMING_NS);
}

static void finish_naming(struct writer *writer, int64_t now_ns) {
    if (sg_feed_is_waiting(&writer->feed) && now_ns < writer->deadline_ns)
        return;
    sg_stacks_retry(&writer->feed.stacks, true);
    send_news(writer);
    writer->deadline_ns = now_ns + WITHDRAW_AT_EXIT_NS;
    writer->phase = WITHDRAWING;
}

static void part(struct writer *writer, int64_t now_ns) {
    struct sg_buffer bye = {0};
    hand_over(writer);
    sg_put_bye(&bye, writer->reason);
    tell(writer, &bye);
    sg_buffer_free(&bye);
    writer->deadline_ns = now_ns + PARTING_NS;
    writer->phase = PARTING;
}

/* A job has come back. */
static void finish_job(struct writer *writer, int64_t now_ns) {
    struct sg_job *job = &sg_symboliser.job;
    writer->is_job_posted = false;
    if (job->kind == SG_JOB_PREPARE)
        finish_preparing(writer, now_ns);
    if (writer->has_feed)
        sg_feed_take_results(&writer->feed, job);
    if (job->kind == SG_JOB_THREADS)
        sg_thread_names_ask_system(&writer->feed.threads, writer->job_ns);
    if (job->kind == SG_JOB_WITHDRAW || (job->kind == SG_JOB_PREPARE && writer->phase == PARTING)) {
        writer->is_withdrawn = true; /* after a PREPARE that failed there is nothing to undo */
        part(writer, now_ns);
    }
}

static bool is_snapshot_wanted(const struct writer *writer) {
    for (size_t i = 0; i < writer->clients.n; i++)
        if (writer->clients.at[i]->wants_snapshot && writer->clients.at[i]->is_up_to_date)
            return true;
    return false;
}

static bool are_threads_due(const struct writer *writer, int64_t now_ns) {
    int64_t since_ns = now_ns - writer->threads_ns;
    return writer->clients.n && (since_ns >= THREADS_AGAIN_NS ||
                                 (writer->feed.threads.n_nameless && since_ns >= THREADS_SOON_NS));
}

static void post_next_job(struct writer *writer, int64_t now_ns) {
    struct sg_job *job = &sg_symboliser.job;
    if (writer->is_job_posted || writer->phase >= PARTING)
        return;
    if (writer->phase == WITHDRAWING) {
        job->is_exiting = sg_agent_is_exiting();
        post(writer, SG_JOB_WITHDRAW);
        return;
    }
    for (size_t n = job->n_codes = 0; n < SG_MAX_NAMES; n++) {
        if (!sg_stacks_take_wanted(&writer->feed.stacks, &job->codes[n].id, 1))
            break;
        job->n_codes++;
    }
    if (job->n_codes) {
        post(writer, SG_JOB_NAME);
    } else if (writer->phase == PROFILING && is_snapshot_wanted(writer) && !writer->feed.snapshot) {
        post(writer, SG_JOB_SNAPSHOT);
    } else if (writer->phase == PROFILING && are_threads_due(writer, now_ns)) {
        writer->threads_ns = now_ns;
        post(writer, SG_JOB_THREADS);
    }
}

/* Samples. */

static void send_news(struct writer *writer) {
    struct sg_buffer status = {0};
    bool is_held = !writer->clients.n; /* until the first client has come */
    if (writer->has_feed && !is_held)
        sg_feed_send(&writer->feed, &writer->clients);
    put_status(writer, &status);
    for (size_t i = 0; i < writer->clients.n; i++) /* the program's own gets one, at its end */
        if (writer->clients.at[i]->descriptor >= 0)
            sg_put_raw(&writer->clients.at[i]->out, status.bytes, status.size);
    sg_buffer_free(&status);
}

static void take_samples(struct writer *writer, int64_t now_ns) {
    sg_cpu_tend();
    if (now_ns - writer->drained_ns >= DRAIN_NS) {
        writer->drained_ns = now_ns;
        sg_feed_drain(&writer->feed);
        sg_thread_names_ask_system(&writer->feed.threads, now_ns - THREADS_AGAIN_NS);
    }
    if (!writer->is_job_posted)
        sg_feed_bury(&writer->feed);
    sg_feed_send_snapshot(&writer->feed, &writer->clients);
}

static void pause_writer(struct writer *writer) {
    struct pollfd polled[SG_MAX_CLIENTS + 1];
    nfds_t n = 0;
    bool is_eager = writer->is_job_posted && sg_mono_ns() - writer->job_ns < EAGER_NS;
    if (writer->listener >= 0)
        polled[n++] = (struct pollfd){.fd = writer->listener, .events = POLLIN};
    for (size_t i = 0; i < writer->clients.n; i++) {
        const struct sg_client *client = writer->clients.at[i];
        short events = client->n_sent < client->out.size ? POLLIN | POLLOUT : POLLIN;
        if (client->descriptor >= 0)
            polled[n++] = (struct pollfd){.fd = client->descriptor, .events = events};
    }
    poll(polled, n, is_eager ? EAGER_PAUSE_MS : PAUSE_MS);
}

static void turn(struct writer *writer) {
    int64_t now_ns = sg_mono_ns();
    accept_clients(writer);
    hear_clients(writer);
    if (writer->is_job_posted && !sg_symboliser_is_busy())
        finish_job(writer, now_ns);
    attend_session(writer, now_ns);
    if (writer->is_detach_asked && sg_clients_own(&writer->clients))
        part_from_remotes(writer);
    if (writer->phase == PROFILING && is_leaving(writer, now_ns))
        stop_profiling(writer, now_ns);
    if (writer->phase == PROFILING)
        take_samples(writer, now_ns);
    if (writer->phase == NAMING)
        finish_naming(writer, now_ns);
    /* At the program's exit nothing may wait for a GIL that somebody keeps. */
    if (sg_agent_is_exiting() && writer->phase == WITHDRAWING && writer->is_job_posted &&
        now_ns >= writer->deadline_ns)
        part(writer, now_ns);
    post_next_job(writer, now_ns);
    if (writer->phase < PARTING && now_ns - writer->sent_ns >= SEND_NS) {
        writer->sent_ns = now_ns;
        send_news(writer);
    }
    sg_clients_flush(&writer->clients);
    if (writer->phase == PARTING &&
        (!sg_clients_has_unsent(&writer->clients) || now_ns >= writer->deadline_ns))
        writer->phase = DONE;
}

void sg_writer_run(const struct sg_arguments *arguments) {
    struct writer *writer = calloc(1, sizeof *writer);
    if (!writer || sg_own_descriptors()) {
        free(writer);
        if (sg_session_wish() == SG_SESSION_BEGIN)
            sg_session_set_failed("the engine cannot have a descriptor table of its own");
        sg_agent_set_left();
        return;
    }
    writer->arguments = *arguments;
    writer->begun_ns = sg_mono_ns();
    writer->listener = *arguments->socket ? sg_socket_listen(arguments->socket) : -1;
    post(writer, SG_JOB_PREPARE);
    while (writer->phase != DONE) {
        pause_writer(writer);
        turn(writer);
    }
    sg_clients_close(&writer->clients);
    if (writer->has_feed)
        sg_feed_close(&writer->feed);
    if (writer->is_withdrawn)
        sg_code_ids_clear();
    free(writer);
    sg_agent_set_left();
}
