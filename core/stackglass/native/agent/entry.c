/* Entry point of an attach. An injector calls it on a stopped thread of a process that was not
 * prepared for it. */
#include "agent/agent.h"
#include "cpu/cpu.h"

int stackglass_enter(const char *arguments, unsigned long size) {
    struct sg_arguments read;
    int failed = sg_arguments_read(arguments, size, &read);
    sg_cpu_note_visited();
    return failed ? failed : sg_agent_begin(&read);
}
