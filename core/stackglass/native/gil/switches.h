/* What a thread loses between letting go of the GIL and waiting for it.
 *
 * Whoever is woken to have the GIL may get the processor of the one that lets go, which then has
 * neither:
 *
 *     A ═══ lets go, wakes B ┈┈┈┈┈┈ no processor ┈┈┈┈┈┈ waits for the GIL ────
 *     B                      ═══════════ has the GIL ═════════════════════════
 *
 * That is waiting for the GIL, too, if A had nothing else to do: if it went to sleep for nothing,
 * and hardly worked. On a machine with few free processors it is half of all. */
#ifndef STACKGLASS_GIL_SWITCHES_H
#define STACKGLASS_GIL_SWITCHES_H

#include <stdint.h>

/* The calling thread lets go of a GIL that others have asked for, or goes on having waited. */
void sg_gil_switches_open_gap(void);
/* The calling thread begins to wait for it: how long it has lost; 0 if it was busy otherwise. */
uint64_t sg_gil_switches_close_gap(void);

#endif
