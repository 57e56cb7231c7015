/* The program's requests, as the writer executes them.
 *
 *     CONNECT     connect to the program's socket ─▶ done
 *     SET_RATE    a request of the keeper ─▶ done once the hooks are on or refused
 *     WITHDRAW    the keeper leaves ─▶ done, in the same turn
 *
 * The keeper is a client without a socket that keeps the program's rates in force, so that the
 * program's rates follow the same rule as the rates of all other clients. */
#include "agent/program_control.h"

#include <stdio.h>
#include <string.h>

#include "agent/control.h"
#include "agent/program_requests.h"
#include "agent/rate_control.h"
#include "cpu/cpu.h"
#include "gil/sampling.h"
#include "platform/fd_table.h"
#include "wire/socket.h"

static const char TOO_MANY[] = "too many clients are attached";

/* The client that keeps the program's rates in force: it gets no messages. */
static struct sg_client *find_keeper(const struct sg_writer *writer) {
    for (size_t i = 0; i < writer->clients.n; i++)
        if (writer->clients.at[i]->is_quiet && writer->clients.at[i]->stage == SG_CLIENT_WATCHING)
            return writer->clients.at[i];
    return NULL;
}

static void connect_to(struct sg_writer *writer, const struct sg_program_request *request) {
    char problem[SG_PROGRAM_PROBLEM_BYTES];
    int descriptor = sg_socket_connect(&request->address, request->address_size);
    if (descriptor < 0) {
        snprintf(problem, sizeof problem, "no socket can be made: %s", strerror(-descriptor));
        sg_program_request_finish(problem);
    } else if (!sg_control_greet(writer, descriptor, false)) {
        sg_fd_table_close(descriptor);
        sg_program_request_finish(TOO_MANY);
    } else {
        sg_program_request_finish("");
    }
}

static void set_rate(struct sg_writer *writer, const struct sg_program_request *request) {
    struct sg_client *keeper = find_keeper(writer);
    bool had_any = writer->clients.had_any;
    writer->is_keeper_new = !keeper;
    if (!keeper) {
        keeper = sg_clients_add(&writer->clients, -1);
        if (!keeper) {
            sg_program_request_finish(TOO_MANY);
            return;
        }
        keeper->is_quiet = keeper->is_up_to_date = true;
        sg_control_keep_waiting(writer, had_any);
    }
    sg_rate_control_request_own(writer, keeper, request->rate, request->value);
}

void sg_program_control_take(struct sg_writer *writer) {
    const struct sg_program_request *request;
    struct sg_client *keeper;
    if (writer->phase != PROFILING || sg_program_request_current() ||
        !(request = sg_program_request_take()))
        return;
    switch (request->kind) {
    case SG_PROGRAM_CONNECT:
        connect_to(writer, request);
        break;
    case SG_PROGRAM_SET_RATE:
        set_rate(writer, request);
        break;
    case SG_PROGRAM_WITHDRAW:
        keeper = find_keeper(writer);
        if (keeper)
            sg_client_give_up(keeper);
        break; /* finished once it is known whether the engine leaves */
    }
}

/* Return why nothing can be recorded at the rate, or "" if it can. */
static const char *find_problem(const struct sg_writer *writer, enum sg_rate rate) {
    struct sg_gil_status gil;
    if (rate == SG_RATE_CREATIONS)
        return "";
    if (rate == SG_RATE_HEAP)
        return writer->heap.state == SG_HOOK_REFUSED ? writer->heap.problem : "";
    if (writer->locks.state == SG_HOOK_REFUSED)
        return writer->locks.problem;
    if (rate != SG_RATE_GIL)
        return writer->locks_problem;
    sg_gil_sampling_status(&gil);
    return *gil.problem ? gil.problem : sg_cpu_watch_problem();
}

static bool is_decided(const struct sg_writer *writer, enum sg_rate rate) {
    if (rate == SG_RATE_CREATIONS)
        return true;
    if (rate == SG_RATE_HEAP)
        return writer->heap.state != SG_HOOK_WANTED && writer->native.state != SG_HOOK_WANTED;
    return writer->locks.state != SG_HOOK_WANTED;
}

/* The engine leaves: finish the request that was taken, which cannot be fulfilled any more. */
static void end(struct sg_writer *writer, const char *reason) {
    const struct sg_program_request *request = sg_program_request_current();
    struct sg_client *keeper = find_keeper(writer);
    if (keeper)
        sg_client_give_up(keeper);
    if (request && request->kind == SG_PROGRAM_WITHDRAW)
        sg_program_request_finish("");
    else if (request)
        sg_program_request_finish(*reason ? reason : "the program ends");
}

void sg_program_control_settle(struct sg_writer *writer) {
    const struct sg_program_request *request = sg_program_request_current();
    struct sg_client *keeper;
    if (writer->phase > PROFILING)
        end(writer, writer->reason);
    if (!request || writer->phase != PROFILING)
        return;
    if (request->kind == SG_PROGRAM_WITHDRAW) {
        sg_program_request_finish(""); /* from here on the slot may be another request's */
        return;
    }
    if (request->kind != SG_PROGRAM_SET_RATE || !is_decided(writer, request->rate))
        return;
    const enum sg_rate rate = request->rate; /* once it is finished, the slot may be another's */
    const char *problem = request->value ? find_problem(writer, rate) : "";
    bool is_given_up = !sg_program_request_finish(problem);
    keeper = find_keeper(writer);
    if (keeper && (*problem || is_given_up))
        sg_rate_control_request_own(writer, keeper, rate, 0);
    if (keeper && is_given_up && writer->is_keeper_new)
        sg_client_give_up(keeper); /* so that it does not keep the engine */
}
