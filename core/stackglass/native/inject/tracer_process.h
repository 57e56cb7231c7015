/* Tracer process: a separate process that traces the target. It survives a Ctrl-C, an exit or a
 * crash of the attacher, so the target is always restored. Where only ancestors may trace (Yama),
 * it is a thread of the attacher instead: an exit then waits for a call that has not returned. */
#ifndef STACKGLASS_INJECT_TRACER_PROCESS_H
#define STACKGLASS_INJECT_TRACER_PROCESS_H

#include "inject/filters.h"
#include "inject/injection.h"

struct sg_tracing;

/* Begin an injection. Returns 0, or an errno; then `*tracing` is not set. The caller owns
 * `*tracing` and passes it to one of the next two functions. Any thread. */
int sg_tracer_process_begin(const struct sg_injection *injection, struct sg_tracing **tracing);

/* Wait for the result, and give up `tracing`. If the result does not come in time, the status is
 * SG_INJECT_RUNNING, and the tracer process continues. The wait lasts at least 8/5 of the
 * injection's time-out, longer while the thread makes progress, and at most about 12 times the
 * time-out. Any thread, without the GIL. */
void sg_tracer_process_finish(struct sg_tracing *tracing, struct sg_injection_result *result);

/* Give up `tracing` without waiting for the result. The tracer process continues. Any thread. */
void sg_tracer_process_abandon(struct sg_tracing *tracing);

/* Read the filters of `thread` in a separate process, which this process does not see as a child.
 * Returns 0, an errno as sg_filters_read, EIO if that process failed, or ETIMEDOUT after 20
 * seconds. Any thread, without the GIL. */
int sg_tracer_process_read_filters(pid_t thread, struct sg_filters *filters);

#endif
