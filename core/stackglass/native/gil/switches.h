/* Switch latency: the time between a thread's forced release of the GIL and its next wait for the
 * GIL.
 *
 * The thread B that is woken to take the GIL may get the processor of the thread A that releases
 * it. A then has neither the GIL nor a processor, and cannot even begin to wait:
 *
 *     A ═══ releases, wakes B ┈┈┈┈┈┈ no processor ┈┈┈┈┈┈ waits for the GIL ────
 *     B                       ═══════════ has the GIL ═════════════════════════
 *
 * The gap counts as waiting if A did nothing else in it: if A did not go to sleep, and used less
 * than 200 µs of CPU time. On a machine with few free processors such gaps are half of all waiting.
 */
#ifndef STACKGLASS_GIL_SWITCHES_H
#define STACKGLASS_GIL_SWITCHES_H

#include <stdint.h>

/* Open a gap: the calling thread releases a GIL that another thread has requested, or goes on after
 * it has waited until another thread had the GIL. */
void sg_gil_switches_open_gap(void);
/* Close the gap: the calling thread begins to wait for the GIL. Returns the gap in ns; 0 if the
 * thread was busy in it, or if no gap was open. */
uint64_t sg_gil_switches_close_gap(void);

#endif
