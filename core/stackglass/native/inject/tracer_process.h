/* Tracer process: a process apart that enters the target, so that the target is always restored. */
#ifndef STACKGLASS_INJECT_TRACER_PROCESS_H
#define STACKGLASS_INJECT_TRACER_PROCESS_H

#include "inject/filters.h"
#include "inject/injection.h"

struct sg_tracing;

/* Begin to inject by a process apart, which survives a Ctrl-C, an exit or a crash of the attacher,
 * so that the target is always restored. 0, or errno: then `*tracing` is not set. Any thread. The
 * caller owns `*tracing`, which ends with one of the two calls below. */
int sg_tracer_process_begin(const struct sg_injection *injection, struct sg_tracing **tracing);

/* Wait for the result. Where a call in the target has not returned some seconds after the time-out,
 * it returns with SG_INJECT_RUNNING while the process continues: at once if the thread sleeps
 * there, after a minute if it runs or wants to. Any thread, without the GIL. */
void sg_tracer_process_finish(struct sg_tracing *tracing, struct sg_injection_result *result);

/* The result is not needed. The process continues. Any thread. */
void sg_tracer_process_abandon(struct sg_tracing *tracing);

/* Read the filters of a thread by a process apart, so that no child of this process appears to it.
 * Any thread, without the GIL. 0, or errno as sg_filters_read, or ETIMEDOUT after 20 seconds. */
int sg_tracer_process_read_filters(pid_t thread, struct sg_filters *filters);

#endif
