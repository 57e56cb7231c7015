/* Clients, and the program's own profile: see reception.h. */
#include "reception.h"

#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "contention_reception.h"
#include "cpu.h"
#include "heap.h"
#include "import_tables.h"
#include "session.h"
#include "socket.h"
#include "symboliser.h"
#include "wakeup.h"

void sg_reception_tell(struct sg_writer *writer, const struct sg_buffer *bytes) {
    sg_clients_tell(&writer->clients, bytes, false);
}

void sg_reception_close(struct sg_writer *writer) {
    if (writer->listener >= 0)
        sg_socket_unlisten(writer->listener, writer->arguments.socket);
    writer->listener = -1;
}

void sg_put_welcome(const struct sg_writer *writer, struct sg_buffer *out) {
    struct sg_cpu_status status;
    sg_cpu_status(&status);
    sg_put_ready(out, &sg_symboliser.job.interpreter, writer->start_unix_ns, writer->start_mono_ns,
                 status.clock);
    sg_put_rates(out, status.hz, writer->heap_rate, &writer->arguments.contention);
}

static struct sg_client *greet(struct sg_writer *writer, int descriptor) {
    struct sg_client *client = sg_clients_add(&writer->clients, descriptor);
    if (!client)
        return NULL;
    sg_put_hello(&client->out);
    if (writer->phase == PROFILING)
        sg_put_welcome(writer, &client->out);
    /* Whoever comes before anything was told misses nothing. */
    client->is_up_to_date = sg_cursor_equals(&client->cursor, &writer->feed.sent);
    bool is_early = descriptor >= 0 && client->is_up_to_date;
    client->told[SG_TOLD_HEAP].is_up_to_date = is_early && writer->feed.heap.rows.turn <= 1;
    client->told[SG_TOLD_CONTENTION].is_up_to_date =
        is_early && writer->feed.contention.rows.turn <= 1;
    return client;
}

void sg_reception_accept(struct sg_writer *writer) {
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

static void tell_rates(struct sg_writer *writer) {
    struct sg_buffer rates = {0};
    sg_put_rates(&rates, writer->arguments.hz, writer->heap_rate, &writer->arguments.contention);
    sg_reception_tell(writer, &rates);
    sg_buffer_free(&rates);
}

static void set_rate(struct sg_writer *writer, long hz) {
    writer->arguments.hz = sg_clamp_hz(hz);
    if (writer->phase == PROFILING)
        sg_cpu_set_rate(writer->arguments.hz);
    tell_rates(writer);
}

void sg_reception_want_heap(struct sg_writer *writer) {
    if (writer->heap.state != SG_HOOK_ON)
        writer->heap.state = SG_HOOK_WANTED;
    if (writer->native.state != SG_HOOK_ON && !writer->arguments.is_without_native)
        writer->native.state = SG_HOOK_WANTED;
}

/* The hooks come with the first rate that wants them, and then stay. */
static void set_heap_rate(struct sg_writer *writer, const struct sg_request *request) {
    writer->heap_rate = request->heap_rate;
    writer->arguments.is_without_native = request->is_without_native;
    if (writer->heap.state == SG_HOOK_ON)
        sg_heap_set_rate(request->heap_rate);
    if (request->heap_rate && writer->phase == PROFILING)
        sg_reception_want_heap(writer);
    tell_rates(writer);
}

/* False = the client has no business here. */
static bool obey(struct sg_writer *writer, struct sg_client *client,
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
    case SG_REQUEST_SET_HEAP_RATE:
        set_heap_rate(writer, request);
        break;
    case SG_REQUEST_COLLECT:
        writer->is_collect_asked = true;
        break;
    case SG_REQUEST_TAKE_CENSUS:
        client->wants_census = true;
        break;
    case SG_REQUEST_DETACH:
        writer->is_detach_asked = true;
        break;
    case SG_REQUEST_SET_CONTENTION_RATES:
        sg_contention_reception_ask(writer, &request->contention);
        tell_rates(writer);
        break;
    case SG_REQUEST_TAKE_LOCK_WAITS:
        client->wants_lock_waits = true;
        break;
    case SG_REQUEST_UNKNOWN:
        break;
    }
    return true;
}

void sg_reception_hear(struct sg_writer *writer) {
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
void sg_reception_part(struct sg_writer *writer) {
    sg_reception_close(writer);
    for (size_t i = 0; i < writer->clients.n; i++)
        if (writer->clients.at[i]->descriptor >= 0)
            sg_put_bye(&writer->clients.at[i]->out, "");
    sg_clients_flush(&writer->clients);
    for (size_t i = writer->clients.n; i-- > 0;)
        if (writer->clients.at[i]->descriptor >= 0)
            sg_clients_drop(&writer->clients, i);
    writer->is_detach_asked = false;
}

static void put_status(const struct sg_writer *writer, struct sg_buffer *out) {
    struct sg_cpu_status status = {0};
    if (writer->has_started)
        sg_cpu_status(&status);
    status.n_lost += writer->feed.n_refused;
    status.n_samples -= writer->feed.n_refused;
    sg_put_status(out, &status, sg_mono_ns(), sg_symboliser_gil_wait_ns());
}

static const char *explain_native(const struct sg_writer *writer) {
    if (writer->heap.state == SG_HOOK_ON && writer->native.state == SG_HOOK_OFF)
        return "nobody has asked for memory that bypasses Python's allocators";
    return writer->native.problem;
}

static void put_heap_status(const struct sg_writer *writer, struct sg_buffer *out) {
    struct sg_heap_status status;
    struct sg_imports_status imports;
    uint64_t accounted_bytes = writer->feed.heap.accounted_bytes;
    sg_heap_status(&status);
    sg_imports_status(&imports);
    const struct sg_heap_standing standing = {
        .time_mono_ns = writer->heap_drained_ns,
        .accounted_bytes = accounted_bytes,
        .before_attach_bytes = writer->before_attach_bytes,
        .resident = sg_resident_account(writer->before_attach_bytes, accounted_bytes),
        .n_collects = writer->n_collects,
        .n_unnamed = writer->feed.heap.rows.waiting.n,
        .n_refused = writer->feed.heap.n_refused,
        .problem = writer->heap.problem,
        .is_native_seen = writer->native.state == SG_HOOK_ON,
        .native_problem = explain_native(writer),
        .n_native_libraries = imports.n_libraries,
    };
    sg_put_heap_status(out, &status, &standing);
}

/* Several times a second; less often the more there is to say. */
static void send_heap(struct sg_writer *writer, int64_t now_ns) {
    struct sg_buffer status = {0};
    size_t size = sg_heap_feed_send(&writer->feed.heap, &writer->clients);
    put_heap_status(writer, &status);
    sg_told_rows_pass_on(SG_TOLD_HEAP, &writer->clients, &status);
    sg_buffer_free(&status);
    writer->heap_due_ns = now_ns + sg_told_rows_pause_ns(size);
}

void sg_reception_send(struct sg_writer *writer) {
    int64_t now_ns = sg_mono_ns();
    struct sg_buffer status = {0};
    bool is_held = !writer->clients.n; /* until the first client has come */
    bool has_heap = writer->has_feed && !is_held && now_ns >= writer->heap_due_ns &&
                    (writer->heap.state != SG_HOOK_OFF || writer->n_collects);
    if (has_heap && writer->heap.state == SG_HOOK_ON) {
        writer->heap_drained_ns = now_ns;
        sg_feed_drain_heap(&writer->feed, false);
    }
    bool has_contention = sg_contention_reception_drain(writer, now_ns);
    if (writer->has_feed && !is_held)
        sg_feed_send(&writer->feed, &writer->clients); /* what these refer to goes first */
    if (has_heap)
        send_heap(writer, now_ns);
    if (has_contention)
        sg_contention_reception_send(writer, now_ns);
    put_status(writer, &status);
    for (size_t i = 0; i < writer->clients.n; i++) /* the program's own gets one, at its end */
        if (writer->clients.at[i]->descriptor >= 0)
            sg_put_raw(&writer->clients.at[i]->out, status.bytes, status.size);
    sg_buffer_free(&status);
}

void sg_reception_hand_over(struct sg_writer *writer) {
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

static void begin_session(struct sg_writer *writer) {
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

void sg_reception_attend_session(struct sg_writer *writer, int64_t now_ns) {
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
    sg_reception_send(writer);
    sg_reception_hand_over(writer);
    writer->deadline_ns = 0;
}
