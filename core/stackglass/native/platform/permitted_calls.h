/* Permitted system calls: what the engine may call in this process.
 *
 * A system call filter (seccomp) may kill the process at a call that the program never makes. So
 * the engine checks here before every call that it can do without:
 *
 *     no filter                            all
 *     a filter that the attacher has read  what it permits: argument `calls`
 *     a filter that has not been read      none
 *     a filter installed since the begin   none
 *     a forked child                       none
 *     the filters cannot be read now, for  none until they can
 *     want of a descriptor or of memory
 *
 * sg_permitted_calls_may and sg_permitted_calls_yield take no lock: any thread, also in signal
 * handlers. The others are for engine threads, and sg_permitted_calls_forbid for a forked child. */
#ifndef STACKGLASS_PLATFORM_PERMITTED_CALLS_H
#define STACKGLASS_PLATFORM_PERMITTED_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of the argument `calls`; also in attach/filter_judgement.py. */
enum sg_call {
    SG_CALL_PERF = 1 << 0,         /* perf_event_open */
    SG_CALL_CLOSE_RANGE = 1 << 1,  /* close_range */
    SG_CALL_UNSHARE = 1 << 2,      /* unshare */
    SG_CALL_PROCESS_VM = 1 << 3,   /* process_vm_readv */
    SG_CALL_QUEUE_SIGNAL = 1 << 4, /* rt_tgsigqueueinfo */
    SG_CALL_TIMER = 1 << 5,        /* timer_create, timer_settime, timer_delete */
    SG_CALL_OTHERS = 1 << 6, /* prctl, fchmod, connect, getcwd, getrandom, getrusage, sched_yield,
                              * sched_setaffinity */
    SG_CALL_SCHEDULER = 1 << 7, /* sched_getscheduler, sched_setscheduler */
};
enum { SG_CALLS_NONE = 0, SG_CALLS_ALL = (1 << 8) - 1, SG_CALLS_NOT_GIVEN = -1 };

/* Return whether the engine may make these system calls now. */
bool sg_permitted_calls_may(enum sg_call call);

/* Set what is permitted; called by an engine thread before everything else. `given` is the
 * attacher's mask, or SG_CALLS_NOT_GIVEN. Opens a file for a moment. */
void sg_permitted_calls_begin(int given);
/* Permit none of them: in a forked child, which may be under a filter of the thread that it was
 * forked from. */
void sg_permitted_calls_forbid(void);
/* Check for a filter that the program has installed for all of its threads since the begin. Called
 * by an engine thread before calls that such a filter may forbid. Opens a file for a moment; if all
 * descriptors are used, nothing is permitted until a later check can open it. */
void sg_permitted_calls_check(void);
/* Do this check, but at most every 0.2 ms: before calls that are made again and again. `now_ns` is
 * CLOCK_MONOTONIC. */
void sg_permitted_calls_check_at(int64_t now_ns);
/* Do that, and return whether the engine may make these system calls. */
bool sg_permitted_calls_may_now(enum sg_call call);

/* Give the processor to another thread, if there is one. */
void sg_permitted_calls_yield(void);
/* Give the calling thread the engine's name. */
void sg_permitted_calls_name_thread(void);

#endif
