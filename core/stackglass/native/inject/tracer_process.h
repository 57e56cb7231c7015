/* Tracer process: a process apart that enters the target, so that the target is always restored. */
#ifndef STACKGLASS_INJECT_TRACER_PROCESS_H
#define STACKGLASS_INJECT_TRACER_PROCESS_H

#include "inject/filters.h"
#include "inject/injection.h"

/* Do it in a process of its own, which a Ctrl-C, an exit or a crash of ours does not reach, so
 * that the target is always put back. Returns after the time-out and a grace at the latest, then
 * with SG_INJECT_RUNNING while the process goes on. Any thread, without the GIL. */
void sg_tracer_process_inject(const struct sg_injection *injection,
                              struct sg_injection_result *result);

/* In a process of its own, as sg_tracer_process_inject, so that no child of ours is waited for by
 * it. Any thread, without the GIL. Beside the above: ETIMEDOUT after a second. */
int sg_tracer_process_read_filters(pid_t thread, struct sg_filters *filters);

#endif
