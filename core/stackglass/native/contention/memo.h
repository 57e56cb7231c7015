/* Which bucket a record went to the last time it looked like this: a loop that waits or releases
 * makes the same record again and again, and then neither its frames nor its key are looked up.
 *
 *     record ─▶ place, by a few of its words ─▶ the same in every word? ─▶ its bucket
 *
 * With the ledger's claim. */
#ifndef STACKGLASS_CONTENTION_MEMO_H
#define STACKGLASS_CONTENTION_MEMO_H

#include <stdint.h>

#include "contention/ledger.h"

enum { SG_CONTENTION_MEMO_DEPTH = 16 }; /* frames of each side; deeper records are looked up */

/* Where this record would be remembered; NULL = nowhere. */
struct sg_contention_memo *sg_contention_memo_of(const struct sg_contention_record *record);
/* The bucket that is remembered there, if it is this record's; or SG_NO_CONTENTION_BUCKET. */
uint32_t sg_contention_memo_get(const struct sg_contention_memo *memo,
                                const struct sg_contention_record *record);
void sg_contention_memo_put(struct sg_contention_memo *memo,
                            const struct sg_contention_record *record, uint32_t bucket);
/* A lock has died, or all is forgotten: what was remembered holds no more. */
void sg_contention_memo_forget(void);

#endif
