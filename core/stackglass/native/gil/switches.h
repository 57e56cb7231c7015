/* Switch latency: what a thread loses between a forced release of the GIL and its wait for it.
 *
 * The thread that is woken to take the GIL may get the processor of the one that releases it, which
 * then has neither:
 *
 *     A ═══ releases, wakes B ┈┈┈┈┈┈ no processor ┈┈┈┈┈┈ waits for the GIL ────
 *     B                       ═══════════ has the GIL ═════════════════════════
 *
 * That gap counts as waiting if A did nothing else in it: did not go to sleep, and used less than
 * MOST_WORK_NS of CPU time. On a machine with few free processors such gaps are half
 * of all waiting. */
#ifndef STACKGLASS_GIL_SWITCHES_H
#define STACKGLASS_GIL_SWITCHES_H

#include <stdint.h>

/* The calling thread releases a GIL that was requested, or goes on after waiting for the switch. */
void sg_gil_switches_open_gap(void);
/* The calling thread begins to wait for the GIL. Returns the ns that it has lost; 0 if it was busy.
 */
uint64_t sg_gil_switches_close_gap(void);

#endif
