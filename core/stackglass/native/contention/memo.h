/* Bucket cache: the bucket of a recent record. A loop that waits or releases makes equal records,
 * and for those neither frames nor key are looked up again.
 *
 *     record ─▶ place, by a hash of some words ─▶ equal in every word? ─▶ its bucket
 *
 * All functions need the ledger's claim (ledger.h). */
#ifndef STACKGLASS_CONTENTION_MEMO_H
#define STACKGLASS_CONTENTION_MEMO_H

#include <stdint.h>

#include "contention/samples.h"

enum { SG_CONTENTION_MEMO_DEPTH = 16 }; /* frames of each side; deeper records are looked up */

/* Return the place for this record, or NULL if the record is too deep for the cache. */
struct sg_contention_memo *sg_contention_memo_of(const struct sg_contention_record *record);
/* Return the bucket in that place if it is this record's, else SG_NO_CONTENTION_BUCKET. */
uint32_t sg_contention_memo_get(const struct sg_contention_memo *memo,
                                const struct sg_contention_record *record);
void sg_contention_memo_put(struct sg_contention_memo *memo,
                            const struct sg_contention_record *record, uint32_t bucket);
/* Empty the cache: a lock has died, or the tables go. */
void sg_contention_memo_forget(void);

#endif
