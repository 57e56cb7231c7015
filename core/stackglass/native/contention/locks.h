/* Numbers of locks, by which buckets refer to locks. The ledger's claim (ledger.h) guards them,
 * except for reading.
 *
 * An entry is never removed: a lock that has died is struck out, and the next object at its address
 * gets a number of its own. */
#ifndef STACKGLASS_CONTENTION_LOCKS_H
#define STACKGLASS_CONTENTION_LOCKS_H

#include "contention/samples.h"

uint32_t sg_contention_locks_find(const void *address); /* 0 = the lock has none */
/* Give the lock a number, and return it, or 0 if there are too many. */
uint32_t sg_contention_locks_add(const void *address, enum sg_primitive primitive);
/* Return one number, with address 0, for all locks of that type that were created at this lock's
 * creation site. Returns 0 if the site is not known, or if there are too many sites. */
uint32_t sg_contention_locks_of_place(const void *address, enum sg_primitive primitive);
/* Strike out a lock that has died. Returns false if it had no number. */
bool sg_contention_locks_strike(const void *address);
/* Strike out every lock that has an address: the death of one was lost. */
void sg_contention_locks_strike_all(void);
/* Whether the line that first waited for the lock has been recorded; record that line. */
bool sg_contention_locks_has_wait(uint32_t number);
void sg_contention_locks_wait(uint32_t number, struct sg_frame at);

uint32_t sg_contention_locks_count(void); /* numbers given; any thread, no claim */
uint64_t sg_contention_locks_bytes(void);
/* Return what is known of lock `number`, which has been given. Any thread may call this without the
 * claim. */
struct sg_contention_lock sg_contention_locks_get(uint32_t number);

int sg_contention_locks_prepare(void); /* 0 or -1 */
void sg_contention_locks_discard(void);

#endif
