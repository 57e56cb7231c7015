/* Agent: the engine inside a process, from its entry to its end. Two threads:
 *
 *   writer  owns the socket and all profiling state; never takes the GIL, so it answers while C
 *           code holds it. Drains, interns, encodes, sends.
 *   worker  runs the writer's jobs that need the GIL: prepare, name code objects, snapshot threads,
 *           withdraw.
 */
#ifndef STACKGLASS_AGENT_AGENT_H
#define STACKGLASS_AGENT_AGENT_H

#include "agent/arguments.h"
#include "platform/export.h"

/* Start the agent, unless it runs already. Called on a thread that an injector has stopped
 * anywhere, or by Python code: it takes no GIL, copies `arguments` and starts a thread, no more.
 * The same address serves every later attach.
 *
 * `arguments` is NUL-separated "key=value" fields, ended by an empty one:
 *     socket=PATH   where to listen; required
 *     wanted=PATH   a file that the caller removes when it connects or gives up: an engine without
 *                   a client leaves once it is gone
 *     uid=N         a user that may connect besides root and the process's own
 *     clock=NAME    a name of sg_clock_name; default auto
 *     depth=N       frames kept of a stack of the heap and of contention
 *     unwind=1      stacks have C frames
 *     native=0      without memory that libraries allocate past Python's allocators
 *     calls=N       permitted system calls, bits of enum sg_call (platform/permitted_calls.h);
 *                   without it the engine tries them
 *     wait=1        keep every sample until a client has connected (record's own child)
 *
 * and rates to start with, 0 = off: hz (default 100), wall, heap (bytes), block (ns), mutex
 * (fraction), gil (Hz), stall (ns), other=1 (with blocking calls other than locks), trace=1 (a
 * memory trace).
 *
 * 0 = started; 1 = it runs already (it listens at PATH if it had no socket, because the program
 * itself had started it); negative = -errno. */
SG_EXPORT int stackglass_enter(const char *arguments, unsigned long size);

/* As stackglass_enter; the socket may be "". */
int sg_agent_begin(const struct sg_arguments *arguments);

#endif
