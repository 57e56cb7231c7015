/* Blocks that do not come from Python's allocators: sg_heap_note_… of heap.h. */
#ifndef STACKGLASS_HEAP_NATIVE_H
#define STACKGLASS_HEAP_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

/* Notes are taken from here on. */
void sg_heap_native_open(void);
/* Notes are dropped from here on. Waits for those at work, up to 100 ms; false if one of them has
 * not finished yet. */
bool sg_heap_native_close(void);
void sg_heap_native_discard(void); /* in a forked child */

void sg_heap_native_set_rate(uint64_t rate); /* any thread */

/* Between the two, the heap's tables stay. Any thread; false: there are none. */
bool sg_heap_native_enter(void);
void sg_heap_native_leave(void);

#endif
