/* Agent: the engine inside a process, from its entry to its end. Two threads:
 *
 *   writer  owns the socket and all profiling state. It never takes the GIL, so it answers while
 *           C code holds it. It drains and interns samples, and encodes and sends messages.
 *   worker  runs the writer's jobs that need the GIL: prepares the engine, names code objects,
 *           takes snapshots of threads, withdraws the hooks.
 */
#ifndef STACKGLASS_AGENT_AGENT_H
#define STACKGLASS_AGENT_AGENT_H

#include "agent/arguments.h"
#include "platform/export.h"

/* Start the agent, unless it runs already. Called on a thread that an injector has stopped
 * anywhere, or by Python code: so it does not take the GIL, and only copies `arguments`, registers
 * the fork handlers, looks at the C library's malloc arena and starts a thread. Every later attach
 * calls the same address.
 *
 * `arguments` is NUL-separated "key=value" fields, ended by an empty one:
 *     socket=PATH   where to listen; required
 *     wanted=PATH   a file that the caller removes when it connects or gives up: an engine without
 *                   a client leaves once it is gone
 *     uid=N         a user that may connect besides root and the process's own
 *     clock=NAME    a name of sg_clock_name; default auto
 *     depth=N       frames kept of a stack in the heap and contention profiles and the memory trace
 *     unwind=1      stacks have C frames
 *     native=0      do not record memory that libraries allocate without Python's allocators
 *     calls=N       permitted system calls, bits of enum sg_call (platform/permitted_calls.h);
 *                   without this field all if no filter is installed, else none
 *     wait=1        when Python code enters: wait until samples are taken, 2 s at most (record's
 *                   own child)
 *
 * and rates to start with, 0 = off: hz (default 100), wall, heap (bytes), block (ns), mutex
 * (fraction), gil (Hz), stall (ns), other=1 (blocking calls other than locks, too), trace=1 (a
 * memory trace).
 *
 * Returns 0 if the agent was started; 1 if it runs already (if it has no socket, because the
 * program itself started it, it now listens at PATH) or is leaving; or -errno: -EEXIST if the
 * engine of another installation is here. */
SG_EXPORT int stackglass_enter(const char *arguments, unsigned long size);

/* Like stackglass_enter, with parsed arguments; `arguments->socket` may be "". */
int sg_agent_begin(const struct sg_arguments *arguments);

#endif
