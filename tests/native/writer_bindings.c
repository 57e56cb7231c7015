/* Bindings of the writer's turns: what the program requests in the middle of one. */
#include "tables.h"

#include <pthread.h>
#include <stdlib.h>

#include "agent/control.h"
#include "agent/job_schedule.h"
#include "agent/lifecycle.h"
#include "agent/program_requests.h"
#include "agent/self_profile.h"
#include "platform/futex.h"
#include "platform/time.h"

enum { MS_NS = 1000 * 1000, MINOR = 9, HANG_MS = 5000 };

static struct sg_writer writer; /* guarded by the GIL */
static bool may_post;           /* guarded by the GIL */
static _Atomic bool has_stopped;
static pthread_t requester;

static int is_there_already(const struct sg_arguments *arguments) {
    (void)arguments;
    return 1;
}

static void *request_rate(void *unused) {
    const struct sg_program_request request = {
        .kind = SG_PROGRAM_SET_RATE, .rate = SG_RATE_CREATIONS, .value = 1};
    char problem[SG_PROGRAM_PROBLEM_BYTES];
    sg_program_request_do(is_there_already, &request, problem);
    return unused;
}

static void *stop_self_profile(void *unused) {
    struct sg_buffer bytes;
    sg_self_profile_stop(&bytes);
    sg_encoder_buffer_free(&bytes);
    atomic_store(&has_stopped, true);
    return unused;
}

/* A thread of the program posts a request after the turn has looked for one. */
static void post_and_serve(struct sg_writer *served, int64_t now_ns) {
    if (may_post && pthread_create(&requester, NULL, request_rate, NULL))
        abort();
    while (may_post && !sg_program_request_is_posted())
        sg_futex_sleep_ns(MS_NS);
    may_post = false;
    sg_control_serve_self_profile(served, now_ns);
}

/* The writer's own turn, without jobs, which need the worker's thread. */
#define sg_control_serve_self_profile post_and_serve
#define sg_job_schedule_post_next(served, now_ns) ((void)0)
#define sg_writer_run run_unused_writer
#include "agent/writer.c"

static int begin_profile(const struct sg_arguments *arguments) {
    if (!sg_self_profile_begin())
        abort();
    sg_self_profile_set_running();
    return is_there_already(arguments);
}

static void run_self_profile(void) {
    const struct sg_self_profile_rates rates = {100, 0};
    struct sg_self_profile_problem problem;
    memset(&writer, 0, sizeof writer);
    writer.phase = PROFILING;
    writer.listener = -1;
    writer.has_stream = sg_stream_open(&writer.stream, MINOR);
    if (!writer.has_stream || !sg_clients_add(&writer.clients, -1) ||
        sg_lifecycle_begin() != SG_AGENT_ABSENT ||
        !sg_self_profile_start(begin_profile, &rates, SG_CLOCK_AUTO, &problem))
        abort();
}

/* Whether the stop of a self profile returns while the engine stays for a request that came in the
 * turn in which the profile ended. */
static PyObject *self_profile_stops_beside_request(PyObject *self, PyObject *args) {
    pthread_t stopper;
    run_self_profile();
    if (pthread_create(&stopper, NULL, stop_self_profile, NULL))
        abort();
    while (sg_self_profile_request() != SG_SELF_PROFILE_END)
        sg_futex_sleep_ns(MS_NS);
    may_post = true;
    turn(&writer, false);
    turn(&writer, false); /* takes the request */
    pthread_join(requester, NULL);
    for (int i = 0; i < HANG_MS && !atomic_load(&has_stopped); i++)
        sg_futex_sleep_ns(MS_NS);
    bool is_in_time = atomic_load(&has_stopped);
    enum sg_lifecycle state = sg_lifecycle_state();
    sg_lifecycle_end(); /* a stop that hangs returns, too */
    pthread_join(stopper, NULL);
    sg_clients_close(&writer.clients);
    sg_stream_close(&writer.stream);
    return Py_BuildValue("(NN)", PyBool_FromLong(is_in_time),
                         PyBool_FromLong(state == SG_AGENT_PRESENT));
}

PyMethodDef sg_writer_bindings[] = {
    {"self_profile_stops_beside_request", self_profile_stops_beside_request, METH_NOARGS,
     "(does the stop return?, is the engine still there?)"},
    {NULL, NULL, 0, NULL},
};
