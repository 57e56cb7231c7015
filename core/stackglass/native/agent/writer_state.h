/* What the writer has, shared by the parts of it. All of it is that thread's. */
#ifndef STACKGLASS_AGENT_WRITER_STATE_H
#define STACKGLASS_AGENT_WRITER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/arguments.h"
#include "wire/clients.h"
#include "wire/stream.h"

/* How long names of the last samples are waited for; unknown ones become "<unknown>" then. */
#define NAMING_NS (INT64_C(5) * 1000 * 1000 * 1000)

enum sg_phase { PREPARING, PROFILING, NAMING, WITHDRAWING, PARTING, DONE };

/* Wanted: somebody has asked for it, and the job that puts the hooks on is to be posted. */
enum sg_hook_state { SG_HOOK_OFF, SG_HOOK_WANTED, SG_HOOK_ON, SG_HOOK_REFUSED };

/* Hooks, and the reason if they are refused. */
struct sg_hook {
    enum sg_hook_state state;
    int64_t start_ns; /* when they came on, CLOCK_MONOTONIC; 0 = they have not */
    char problem[240];
};

struct sg_writer {
    enum sg_phase phase;
    struct sg_arguments arguments;
    int listener; /* -1 = nobody can connect */
    struct sg_clients clients;
    struct sg_stream feed;
    bool has_feed;
    bool is_unreachable; /* the system has nothing left that a first connection needs */
    bool is_job_posted;
    struct sg_client_rates started; /* what the engine was started with; the first client's */
    uint64_t n_asked;               /* requests for rates so far, and 1 */
    uint32_t asked;                 /* bits of sg_rate: asked for in this turn */
    bool has_started;               /* the sampler */
    bool is_withdrawn;
    struct sg_hook heap;           /* of Python's allocators */
    struct sg_hook native;         /* of libraries' imports; not before the other */
    struct sg_hook locks;          /* and the rest of contention */
    char locks_problem[240];       /* why no lock is seen where the rest is; "" = they are */
    uint64_t heap_rate;            /* asked for, bytes; 0 = off */
    uint64_t before_attach_bytes;  /* resident before the heap profiler came; 0 = it has not yet */
    int64_t heap_drained_ns;       /* CLOCK_MONOTONIC */
    int64_t heap_due_ns;           /* when it is to be drained again */
    int64_t contention_drained_ns; /* likewise */
    int64_t contention_due_ns;
    int64_t names_begun_ns; /* the present search for locks' names; 0 = none */
    int64_t names_held_ns;  /* how long it has kept the GIL */
    int64_t names_cpu_ns;   /* and worked meanwhile */
    int64_t names_due_ns;   /* when locks' names are to be looked for again */
    uint64_t n_collects;    /* done for clients */
    bool is_collect_asked;
    char reason[256]; /* of the Bye; "" = we were asked to go */
    int64_t start_mono_ns, start_unix_ns;
    int64_t stopped_ns; /* when sampling ended; 0 = it goes on */
    int64_t begun_ns, job_ns, drained_ns, sent_ns, threads_ns, deadline_ns;
};

#endif
