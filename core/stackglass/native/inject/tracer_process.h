/* Tracer process: a process apart that enters the target, so that the target is always restored. */
#ifndef STACKGLASS_INJECT_TRACER_PROCESS_H
#define STACKGLASS_INJECT_TRACER_PROCESS_H

#include "inject/filters.h"
#include "inject/injection.h"

/* Inject by a process apart, which survives a Ctrl-C, an exit or a crash of the attacher, so that
 * the target is always restored. Where a call in the target has not returned some seconds after the
 * time-out, it returns with SG_INJECT_RUNNING while the process continues: at once if the thread
 * sleeps there, after a minute if it runs or wants to. Any thread, without the GIL. */
void sg_tracer_process_inject(const struct sg_injection *injection,
                              struct sg_injection_result *result);

/* Read the filters of a thread by a process apart, so that no child of this process appears to it.
 * Any thread, without the GIL. 0, or errno as sg_filters_read, or ETIMEDOUT after a second. */
int sg_tracer_process_read_filters(pid_t thread, struct sg_filters *filters);

#endif
