/* Mappings of this process: which memory around an address is executable, as /proc has it. */
#ifndef STACKGLASS_PLATFORM_MAPPINGS_H
#define STACKGLASS_PLATFORM_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Find the mapping that holds `address`. Returns false if there is none that can be read and
 * executed. Opens a descriptor for a moment, and reads a line for each mapping at a lower address,
 * some 0.5 µs each. Called by threads with the engine's descriptor table. */
bool sg_mappings_find_executable(uintptr_t address, uintptr_t *start, uintptr_t *end);

#endif
