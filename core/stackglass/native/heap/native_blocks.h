/* Blocks that do not come from Python's allocators: sg_heap_note_… of heap.h. */
#ifndef STACKGLASS_HEAP_NATIVE_BLOCKS_H
#define STACKGLASS_HEAP_NATIVE_BLOCKS_H

#include <stdint.h>

void sg_native_blocks_set_rate(uint64_t rate); /* any thread */

#endif
