/* The processor is chosen at compile time. */
#include "inject/machines.h"

#include <string.h>

#include "inject/aarch64.h"
#include "inject/x86_64.h"

#if defined(__x86_64__) && defined(__LP64__)
const struct sg_machine *const sg_machines_here = &sg_x86_64_machine;
#elif defined(__aarch64__)
const struct sg_machine *const sg_machines_here = &sg_aarch64_machine;
#else
const struct sg_machine *const sg_machines_here = NULL;
#endif

const struct sg_machine *sg_machines_find(const char *name) {
    const struct sg_machine *const all[] = {&sg_x86_64_machine, &sg_aarch64_machine};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(name, all[i]->name) == 0) {
            return all[i];
        }
    }
    return NULL;
}
