/* Writer state: shared by the files of this folder. Only the writer's thread uses it. */
#ifndef STACKGLASS_AGENT_WRITER_STATE_H
#define STACKGLASS_AGENT_WRITER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/arguments.h"
#include "wire/clients.h"
#include "wire/socket.h"
#include "wire/stream.h"

/* Limit for the names of the last samples; after it they are "<unknown>". */
#define NAMING_NS (INT64_C(5) * 1000 * 1000 * 1000)

/* How often the names of threads are read: a program may rename them. */
#define THREADS_AGAIN_NS (INT64_C(2) * 1000 * 1000 * 1000)

enum sg_phase { PREPARING, PROFILING, NAMING, WITHDRAWING, PARTING, DONE };

/* WANTED: a rate needs the hooks, and the job that installs them is to be posted. */
enum sg_hook_state { SG_HOOK_OFF, SG_HOOK_WANTED, SG_HOOK_ON, SG_HOOK_REFUSED };

/* State of one group of hooks, and the reason if they are refused. */
struct sg_hook {
    enum sg_hook_state state;
    int64_t start_ns; /* when they were installed, CLOCK_MONOTONIC; 0 = they are not */
    char problem[240];
};

struct sg_writer {
    enum sg_phase phase;
    struct sg_arguments arguments;
    int listener;                        /* -1 = none */
    struct sg_socket_file listener_file; /* the file that the listener made; 0, 0 = none */
    /* when the listener is polled again, after a connection could not be accepted: until then it
     * would end each wait at once */
    int64_t listen_again_ns;
    struct sg_clients clients;
    struct sg_stream stream;
    struct sg_client *ended_profile; /* ended in this turn, to be handed over; NULL = none */
    bool has_stream;
    bool is_keeper_new;  /* the program's client came with its present request for a rate */
    bool is_unreachable; /* a limit of the process prevents the first connection */
    bool is_job_posted;
    bool has_work;                  /* the next turn is to come at once */
    struct sg_client_rates started; /* rates at the start; the first client takes them over */
    uint64_t n_requests;            /* requests for rates so far, plus 1 */
    uint32_t requested;             /* bits of sg_rate: requested in this turn */
    bool has_started;               /* sg_cpu_start has been called */
    bool is_withdrawn;              /* WITHDRAW has succeeded, or nothing was hooked */
    struct sg_hook heap;            /* of Python's allocators */
    struct sg_hook native;   /* of libraries' imports, for the heap profile and the memory trace */
    bool is_heap_native;     /* native blocks are recorded in the heap profile */
    struct sg_hook locks;    /* of locks and of the rest of contention */
    struct sg_hook trace;    /* of the memory trace; SG_HOOK_ON until all of it has been sent */
    bool is_trace_ending;    /* the job that ends the trace is to be posted */
    bool is_trace_ended;     /* nothing more is recorded */
    bool is_trace_unhooked;  /* by a job, with the GIL: no hook is under way */
    bool is_trace_reported;  /* the last MemoryInfo was sent */
    bool is_trace_native;    /* with memory that bypasses Python's allocators */
    int64_t trace_types_ns;  /* when types were read last */
    int64_t trace_last_ns;   /* when the trace ends, types are read until then; 0 = it goes on */
    char locks_problem[240]; /* why locks are not observed, though the rest is; "" = they are */
    uint64_t heap_rate;      /* in force, bytes; 0 = off */
    uint64_t before_attach_bytes;  /* resident set before the heap was hooked; 0 = it is not yet */
    int64_t heap_drained_ns;       /* CLOCK_MONOTONIC */
    int64_t heap_due_ns;           /* time of the next drain */
    int64_t contention_drained_ns; /* CLOCK_MONOTONIC */
    int64_t contention_due_ns;
    int64_t names_begun_ns; /* start of the present search for locks' names; 0 = none */
    int64_t names_held_ns;  /* for how long this search has held the GIL */
    int64_t names_due_ns;   /* time of the next search */
    uint64_t n_collects;    /* collections run for clients */
    bool is_collect_requested;
    char reason[256]; /* of the Bye; "" = a requested detach */
    int64_t start_mono_ns, start_unix_ns;
    int64_t stopped_ns; /* when sampling ended; 0 = it has not */
    /* CLOCK_MONOTONIC: since when the first client is awaited; the last job, drain, message and
     * THREADS job; the end of the phase or, while PROFILING, of the self profile's naming. */
    int64_t begun_ns, job_ns, drained_ns, sent_ns, threads_ns, deadline_ns;
};

#endif
