/* Requests in, messages out: what a turn of the writer does for its clients.
 *
 *     accept     connection ─▶ Hello, Ready, Rates
 *     read       each request sets a flag of its client, or a rate; streams answer later
 *     send       drain heap and contention ─▶ Batch ─▶ what refers to it ─▶ Status
 *     release    Detach ─▶ drain ─▶ everything named and sent, or 5 s ─▶ Bye
 *
 * The self profile is a client without a socket: it gets the same definitions and samples, and a
 * Status at its begin and its end, and its bytes are handed to the program. The program's own rates
 * are kept by a quiet client, which gets no messages. */
#include "agent/control.h"

#include <errno.h>
#include <string.h>

#include "agent/contention_control.h"
#include "agent/heap_control.h"
#include "agent/lifecycle.h"
#include "agent/listener.h"
#include "agent/rate_control.h"
#include "agent/self_profile.h"
#include "agent/trace_control.h"
#include "cpu/cpu.h"
#include "cpu/wall_sampler.h"
#include "labels/variables.h"
#include "platform/failure.h"
#include "platform/fd_table.h"
#include "platform/time.h"
#include "wire/socket.h"
#include "worker/gil_worker.h"

void sg_control_close(struct sg_writer *writer) {
    if (writer->listener >= 0)
        sg_socket_unlisten(writer->listener, writer->arguments.socket);
    writer->listener = -1;
}

void sg_control_put_greeting(const struct sg_writer *writer, struct sg_buffer *out) {
    struct sg_cpu_status status;
    sg_cpu_status(&status);
    sg_messages_put_ready(out, &sg_gil_worker.job.interpreter, writer->start_unix_ns,
                          writer->start_mono_ns, status.clock);
    sg_messages_put_rates(out, status.hz, writer->heap_rate, &writer->arguments.contention,
                          writer->arguments.wall_hz, writer->arguments.has_native_stacks);
}

void sg_control_keep_waiting(struct sg_writer *writer, bool had_any) {
    if (writer->listener >= 0)
        writer->clients.had_any = had_any;
}

struct sg_client *sg_control_greet(struct sg_writer *writer, int descriptor, bool is_first) {
    bool had_any = writer->clients.had_any;
    struct sg_client *client = sg_clients_add(&writer->clients, descriptor);
    if (!client)
        return NULL;
    if (is_first) { /* the first client's arguments started the engine */
        client->rates = writer->started;
        memset(&writer->started, 0, sizeof writer->started);
    } else {
        sg_control_keep_waiting(writer, had_any);
    }
    sg_messages_put_hello(&client->out);
    if (writer->phase == PROFILING)
        sg_control_put_greeting(writer, &client->out);
    if (is_first)
        sg_trace_control_adopt(writer, client);
    /* A client that connects before anything was sent misses nothing. */
    client->is_up_to_date = sg_messages_cursor_equals(&client->cursor, &writer->stream.sent);
    bool is_early = descriptor >= 0 && client->is_up_to_date;
    client->tables[SG_TABLE_HEAP].is_up_to_date = is_early && writer->stream.heap.rows.turn <= 1;
    client->tables[SG_TABLE_CONTENTION].is_up_to_date =
        is_early && writer->stream.contention.rows.turn <= 1;
    return client;
}

enum { LISTEN_AGAIN_NS = 1000 * 1000 * 1000 };

/* Whether the process has reached a limit, so that no connection is possible. */
static bool is_hopeless(int error) {
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

/* Send the reason to a connection that there is no room for. Its send buffer is empty, so one call
 * takes all of it. Without memory for the message, the connection is closed without a reason. */
static void refuse(const struct sg_clients *clients, int descriptor) {
    bool is_full = clients->n + clients->n_parting >= SG_MAX_CLIENTS;
    struct sg_buffer out = {0};
    sg_messages_put_hello(&out);
    sg_messages_put_bye(&out, is_full
                                  ? "too many clients are attached: another one has to leave first"
                                  : "there is no memory for another client");
    if (!out.failed)
        sg_socket_send(descriptor, out.bytes, out.size);
    sg_encoder_buffer_free(&out);
}

void sg_control_accept(struct sg_writer *writer, bool may_have_any) {
    sg_listener_take_offer(writer);
    while (may_have_any && writer->listener >= 0) {
        int descriptor = sg_socket_accept(writer->listener, writer->arguments.uid);
        if (descriptor < 0) {
            if (is_hopeless(-descriptor))
                writer->listen_again_ns = sg_time_mono_ns() + LISTEN_AGAIN_NS;
            if (is_hopeless(-descriptor) && !writer->clients.had_any) {
                sg_failure_set(SG_FAILURE_ACCEPT, -descriptor);
                writer->is_unreachable = true;
            }
            return;
        }
        if (!sg_control_greet(writer, descriptor, true)) {
            if (!writer->clients.had_any) { /* not the limit of clients: no memory */
                sg_failure_set(SG_FAILURE_ACCEPT, ENOMEM);
                writer->is_unreachable = true;
            } else {
                refuse(&writer->clients, descriptor);
            }
            sg_fd_table_close(descriptor);
        } else {
            sg_failure_set(SG_FAILURE_NONE, 0); /* clears the failure of an earlier client */
            /* The statuses go out with the greeting: a recorded program may end right after it. */
            writer->sent_ns = writer->heap_due_ns = writer->contention_due_ns = 0;
        }
    }
}

/* Execute `request`. Returns false if no further request of the client is to be read. */
static bool execute(struct sg_writer *writer, struct sg_client *client,
                    const struct sg_request *request) {
    switch (request->kind) {
    case SG_REQUEST_GREETING:
        if (request->protocol == SG_PROTOCOL_VERSION)
            break;
        sg_client_part(client, "the engine speaks another version of the protocol");
        return false;
    case SG_REQUEST_SET_RATES:
    case SG_REQUEST_SET_WALL_RATE:
    case SG_REQUEST_SET_HEAP_RATE:
    case SG_REQUEST_SET_NATIVE_STACKS:
    case SG_REQUEST_SET_CONTENTION_RATES:
        sg_rate_control_request(writer, client, request);
        break;
    case SG_REQUEST_SNAPSHOT_THREADS:
        client->wants_snapshot = true;
        break;
    case SG_REQUEST_LABEL_VARIABLES:
        sg_variables_request(request->names, request->n_names_bytes);
        writer->stream.threads.is_urgent = true; /* a THREADS job looks them up */
        break;
    case SG_REQUEST_SET_MEMORY_TRACE:
        sg_trace_control_request(writer, client, request);
        break;
    case SG_REQUEST_COLLECT:
        writer->is_collect_requested = true;
        break;
    case SG_REQUEST_TAKE_CENSUS:
        client->wants_census = true;
        break;
    case SG_REQUEST_TAKE_LOCK_WAITS:
        client->wants_lock_waits = true;
        break;
    case SG_REQUEST_TAKE_THREAD_DUMP:
        client->wants_thread_dump = true;
        client->wants_leaks = request->wants_leaks;
        if (client->wants_leaks)
            sg_contention_control_want_locks(writer);
        break;
    case SG_REQUEST_TAKE_THREAD_CREATIONS:
        client->wants_creations = true;
        break;
    case SG_REQUEST_TAKE_CUSTOM_PROFILES:
        client->wants_custom_profiles = true;
        break;
    case SG_REQUEST_TAKE_METRICS:
        client->wants_metrics = true;
        break;
    case SG_REQUEST_DETACH:
        client->stage = SG_CLIENT_DETACHING;
        return false;
    case SG_REQUEST_UNKNOWN:
        break;
    }
    return true;
}

static void read_requests(struct sg_writer *writer, struct sg_client *client) {
    struct sg_request request;
    bool is_there = sg_client_receive(client);
    int outcome = 0;
    while (client->stage == SG_CLIENT_WATCHING &&
           (outcome = sg_client_next_request(client, &request)) > 0 &&
           execute(writer, client, &request))
        continue;
    if (client->stage != SG_CLIENT_WATCHING)
        client->n_in = 0; /* requests after a Detach are ignored */
    if (!is_there || outcome < 0)
        sg_client_give_up(client);
}

void sg_control_read_requests(struct sg_writer *writer) {
    for (size_t i = 0; i < writer->clients.n; i++)
        if (writer->clients.at[i]->descriptor >= 0 &&
            writer->clients.at[i]->stage <= SG_CLIENT_DETACHING)
            read_requests(writer, writer->clients.at[i]);
}

void sg_control_part(struct sg_writer *writer, const char *reason) {
    for (size_t i = 0; i < writer->clients.n; i++)
        if (writer->clients.at[i]->descriptor >= 0)
            sg_client_part(writer->clients.at[i], reason);
}

/* Whether all definitions and tables were sent to the client. */
static bool has_everything(const struct sg_writer *writer, const struct sg_client *client) {
    bool has_heap = writer->heap.state == SG_HOOK_ON;
    bool has_contention = writer->locks.state == SG_HOOK_ON;
    return client->is_up_to_date && !client->has_memory_trace &&
           (!has_heap || client->tables[SG_TABLE_HEAP].is_up_to_date) &&
           (!has_contention || client->tables[SG_TABLE_CONTENTION].is_up_to_date);
}

static struct sg_client *next_detaching(const struct sg_writer *writer, size_t *i) {
    while (*i < writer->clients.n) {
        struct sg_client *client = writer->clients.at[(*i)++];
        if (client->stage == SG_CLIENT_DETACHING)
            return client;
    }
    return NULL;
}

void sg_control_release(struct sg_writer *writer, int64_t now_ns) {
    struct sg_client *client;
    bool is_any = false, is_any_new = false, is_any_late = false;
    if (writer->phase > PROFILING)
        return; /* all clients get their Bye together */
    for (size_t i = 0; (client = next_detaching(writer, &i));) {
        is_any = true;
        is_any_new |= !client->deadline_ns;
        if (!client->deadline_ns)
            client->deadline_ns = now_ns + NAMING_NS;
        is_any_late |= now_ns >= client->deadline_ns;
    }
    if (!is_any)
        return;
    if (writer->has_stream && is_any_new)
        sg_stream_drain(&writer->stream);
    if (writer->has_stream && is_any_late) {
        sg_stacks_retry(&writer->stream.stacks, true);
        sg_stream_take_counts(&writer->stream, &writer->clients, now_ns, true);
    }
    writer->heap_due_ns = writer->contention_due_ns = 0;
    sg_control_send(writer);
    bool is_waiting = writer->has_stream && sg_stream_is_waiting(&writer->stream, &writer->clients);
    for (size_t i = 0; (client = next_detaching(writer, &i));) {
        if (writer->phase == PREPARING || now_ns >= client->deadline_ns ||
            (!is_waiting && has_everything(writer, client)))
            sg_client_part(client, "");
    }
}

static void put_status(const struct sg_writer *writer, struct sg_buffer *out) {
    struct sg_cpu_status status = {
        .problem = "", .native_problem = "", .wall_problem = "", .share_error = {0, ""}};
    if (writer->has_started)
        sg_cpu_status(&status);
    if (writer->arguments.wall_hz && *sg_cpu_watch_problem())
        status.wall_problem = sg_cpu_watch_problem();
    status.n_lost += writer->stream.n_refused;
    status.n_samples -= writer->stream.n_refused;
    /* The time after the end of sampling is no part of the profile. */
    int64_t now_ns = writer->stopped_ns ? writer->stopped_ns : sg_time_mono_ns();
    const char *name = writer->has_started ? sg_gil_worker.job.interpreter.process_name : NULL;
    sg_messages_put_status(out, &status, now_ns, sg_gil_worker_gil_wait_ns(), name ? name : "");
}

void sg_control_send(struct sg_writer *writer) {
    int64_t now_ns = sg_time_mono_ns();
    struct sg_buffer status = {0};
    bool has_heap = sg_heap_control_drain(writer, now_ns);
    bool has_contention = sg_contention_control_drain(writer, now_ns);
    if (writer->has_stream)
        sg_stream_take_counts(&writer->stream, &writer->clients, now_ns, false);
    if (writer->has_stream && writer->clients.n) /* all is kept until the first client connects */
        sg_stream_send(&writer->stream, &writer->clients); /* the others refer to this Batch */
    if (writer->has_stream)
        sg_stream_send_counts(&writer->stream, &writer->clients, now_ns);
    if (has_heap)
        sg_heap_control_send(writer, now_ns);
    if (has_contention)
        sg_contention_control_send(writer, now_ns);
    put_status(writer, &status);
    for (size_t i = 0; i < writer->clients.n; i++) /* the self profile gets one at its end */
        if (writer->clients.at[i]->descriptor >= 0)
            sg_client_put(writer->clients.at[i], &status);
    sg_encoder_buffer_free(&status);
}

/* Return the client of the self profile; NULL = none runs. */
static struct sg_client *find_self_profile(const struct sg_writer *writer) {
    for (size_t i = 0; i < writer->clients.n; i++)
        if (writer->clients.at[i]->descriptor < 0 && !writer->clients.at[i]->is_quiet &&
            writer->clients.at[i]->stage != SG_CLIENT_GONE)
            return writer->clients.at[i];
    return NULL;
}

void sg_control_end_self_profile(struct sg_writer *writer) {
    struct sg_client *client = find_self_profile(writer);
    if (!client)
        return;
    put_status(writer, &client->out);
    sg_client_give_up(client);
    writer->ended_profile = client;
}

void sg_control_hand_over(struct sg_writer *writer) {
    if (writer->ended_profile)
        sg_self_profile_set_ended(&writer->ended_profile->out);
    writer->ended_profile = NULL;
}

static void hand_over_part(struct sg_writer *writer) {
    struct sg_client *client = find_self_profile(writer);
    put_status(writer, &client->out);
    sg_self_profile_set_taken(&client->out);
}

/* Restore the clients' rates, and report `problem` to the program. */
static void refuse_self_profile(struct sg_writer *writer, const char *problem) {
    sg_cpu_set_rate(writer->arguments.hz);
    if (!*sg_cpu_watch_problem())
        sg_wall_sampler_set_rate(writer->arguments.wall_hz);
    writer->is_unreachable = writer->listener < 0 && !writer->clients.had_any;
    sg_self_profile_set_failed(problem);
}

static void begin_self_profile(struct sg_writer *writer) {
    const struct sg_self_profile_rates *rates = sg_self_profile_begin();
    if (!rates)
        return;
    if (*sg_cpu_problem() || !writer->arguments.hz)
        sg_cpu_set_rate(rates->hz); /* is there a clock? */
    if (*sg_cpu_problem()) {
        refuse_self_profile(writer, sg_cpu_problem());
        return;
    }
    if (rates->wall_hz && !writer->arguments.wall_hz)
        sg_wall_sampler_set_rate(rates->wall_hz); /* is there a thread for it? */
    if (rates->wall_hz && *sg_wall_sampler_problem()) {
        refuse_self_profile(writer, sg_wall_sampler_problem());
        return;
    }
    /* Without a listener no client comes for the rates that the engine was started with: they are
     * this profile's, and end with it. */
    struct sg_client *client = sg_control_greet(writer, -1, writer->listener < 0);
    if (!client) {
        refuse_self_profile(writer, "too many clients are attached");
        return;
    }
    /* Samples from before go to the other clients, those from now on to this one as well. */
    client->is_up_to_date = false;
    sg_stream_drain(&writer->stream);
    sg_control_send(writer);
    put_status(writer, &client->out); /* its counts are differences from this one */
    sg_client_rates_set(&client->rates, SG_RATE_CPU, (uint64_t)rates->hz, ++writer->n_requests);
    if (rates->wall_hz)
        sg_client_rates_set(&client->rates, SG_RATE_WALL, rates->wall_hz, writer->n_requests);
    sg_self_profile_set_running();
}

void sg_control_serve_self_profile(struct sg_writer *writer, int64_t now_ns) {
    if (writer->phase != PROFILING)
        return;
    begin_self_profile(writer);
    enum sg_self_profile_request request = sg_self_profile_request();
    if (request != SG_SELF_PROFILE_TAKE && request != SG_SELF_PROFILE_END)
        return;
    if (!writer->deadline_ns) {
        sg_stream_drain(&writer->stream);
        writer->deadline_ns = now_ns + NAMING_NS;
    }
    bool is_late = now_ns >= writer->deadline_ns;
    if (sg_stream_is_waiting(&writer->stream, &writer->clients) && !is_late)
        return;
    sg_stacks_retry(&writer->stream.stacks, true);
    sg_control_send(writer);
    if (request == SG_SELF_PROFILE_TAKE)
        hand_over_part(writer);
    else
        sg_control_end_self_profile(writer);
    writer->deadline_ns = 0;
}
