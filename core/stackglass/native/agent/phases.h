/* Phases of the writer, and the changes from one to the next.
 *
 *     PREPARING ──▶ PROFILING ──▶ NAMING ──▶ WITHDRAWING ──▶ PARTING ──▶ DONE
 *      GIL needed                 the last     GIL needed     Bye
 *                                 samples
 *
 * Only the writer calls these functions. */
#ifndef STACKGLASS_AGENT_PHASES_H
#define STACKGLASS_AGENT_PHASES_H

#include <stdbool.h>

#include "agent/writer_state.h"

/* Whether the engine is to leave, because the interpreter ends, or no client is left or
 * expected. */
bool sg_phases_is_leaving(const struct sg_writer *writer, int64_t now_ns);

/* PREPARING → PROFILING, or towards the end: the job PREPARE is done. */
void sg_phases_finish_preparing(struct sg_writer *writer, int64_t now_ns);
/* Report that all requested hooks are installed, if they are. */
void sg_phases_check_profiling(const struct sg_writer *writer);
/* PROFILING → NAMING: stop the sampler. */
void sg_phases_stop_profiling(struct sg_writer *writer, int64_t now_ns);
/* NAMING → WITHDRAWING, once the last samples have names, or at the deadline. */
void sg_phases_finish_naming(struct sg_writer *writer, int64_t now_ns);
/* Enter PARTING: all clients get a Bye. */
void sg_phases_part(struct sg_writer *writer, int64_t now_ns);

#endif
