/* The engine inside a process: one socket, two threads, and the way in.
 *
 *   writer      owns the socket and all profiling state; never takes the GIL, so it answers
 *               while C code keeps it. Drains, interns, encodes, sends.
 *   symboliser  does what needs the GIL when the writer asks: prepare, name unseen code
 *               objects, snapshot threads, withdraw.
 */
#ifndef STACKGLASS_AGENT_H
#define STACKGLASS_AGENT_H

#include "export.h"

/* Start the agent, or do nothing if it runs already. Called on a thread that an injector has
 * stopped anywhere, or by Python code: it takes no GIL and does no more than copy `arguments` and
 * start a thread. The same address serves every later attach.
 *
 * `arguments` is NUL-separated "key=value" fields, ended by an empty one:
 *   socket=PATH   where to listen (the injector's choice of directory); required
 *   uid=N         who may connect besides root and the process's own user: nobody else ever may
 *   hz=N          CPU rate to start with; default 100
 *   clock=NAME    auto, perf, perf+timer, ticker, timer; default auto
 *   wait=1        hold every sample until a client has connected (record's own child)
 *
 * 0 = started; 1 = was running already; negative = -errno. */
SG_EXPORT int stackglass_enter(const char *arguments, unsigned long size);

#endif
