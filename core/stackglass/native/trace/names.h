/* Names: texts of types and regions, each with a number of the session. */
#ifndef STACKGLASS_TRACE_NAMES_H
#define STACKGLASS_TRACE_NAMES_H

#include <stdint.h>

enum { SG_NO_NAME = 0, SG_MOST_NAMES = (1 << 16) - 1 };

/* The number of a text, which is copied; SG_NO_NAME if there is no room. Waits for other threads
 * that add a name, some microseconds: not for hooks. Any thread. */
uint32_t sg_trace_names_add(const char *text);
/* The text of a number that was given. Any thread, no wait. */
const char *sg_trace_names_text(uint32_t number);

/* 0, or -1 if there is no memory. */
int sg_trace_names_prepare(void);
void sg_trace_names_discard(void);
/* Forget all, without freeing it. */
void sg_trace_names_after_fork_in_child(void);

#endif
