/* Names: a table of the texts of types and regions, each with a number that is valid until
 * the trace is discarded. */
#ifndef STACKGLASS_TRACE_NAMES_H
#define STACKGLASS_TRACE_NAMES_H

#include <stdint.h>

enum { SG_NO_NAME = 0, SG_MOST_NAMES = (1 << 16) - 1 };

/* Add a copy of `text`, of at most 1000 bytes, and return its number, or SG_NO_NAME if there is no
 * room. May wait some microseconds for another thread that adds a name, so hooks must not call it.
 * Any thread. */
uint32_t sg_trace_names_add(const char *text);
/* Return the text of a number that sg_trace_names_add returned. Any thread; never waits. */
const char *sg_trace_names_text(uint32_t number);

/* Map the table. Returns 0, or -1 if memory is short. */
int sg_trace_names_prepare(void);
void sg_trace_names_discard(void);
/* Reset the table in a forked child, without freeing memory. */
void sg_trace_names_after_fork_in_child(void);

#endif
