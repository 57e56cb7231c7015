/* Library watch: how soon to look for libraries that the program has loaded meanwhile.
 *
 * What a library allocates before its imports are redirected is not seen, and programs load
 * libraries in bursts, above all as they start. So for a second after each load the pause is
 * short, and it is the usual one where nothing was loaded for long.
 *
 *     load          load
 *      │ 2 ms … 2 ms │ 2 ms …                2 ms │ usual pauses …
 *      ├─────────────┼────────── 1 s ─────────────┤
 *
 * For one thread, that of sg_native_alloc_maintain. */
#ifndef STACKGLASS_NATIVE_MEMORY_LIBRARY_WATCH_H
#define STACKGLASS_NATIVE_MEMORY_LIBRARY_WATCH_H

#include <stdint.h>

/* Notice loads and unloads since the last call; the first call notices one. */
void sg_library_watch_begin_look(void);
/* The work of the look is done. */
void sg_library_watch_end_look(void);

/* Return the milliseconds to wait until the next look: `most_ms`, or less. If looks take long, the
 * pause grows with them up to `most_ms`, so that until then they take a ninth of the time. */
int sg_library_watch_pause_ms(int most_ms);

/* Begin anew: the next look is the first. Also for a forked child. */
void sg_library_watch_reset(void);

#endif
