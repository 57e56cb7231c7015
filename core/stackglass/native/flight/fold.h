/* Fold: the live set at the beginning of a flight recorder's window. Event blocks older than the
 * window are applied to the live set; a snapshot writes the live set as event blocks again.
 *
 *     older blocks ──add──▶ fold ──take──▶ start snapshot │ blocks of the window, unchanged
 *
 * One thread at a time may use a fold. */
#ifndef STACKGLASS_FLIGHT_FOLD_H
#define STACKGLASS_FLIGHT_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "trace/block.h"
#include "trace/block_decoder.h"

struct sg_fold;

/* Return an empty fold, or NULL if there is no memory. */
struct sg_fold *sg_fold_new(void);
void sg_fold_free(struct sg_fold *fold);

/* Apply all events of an event block, or none if it is damaged. After SG_BLOCK_NO_MEMORY, the live
 * set may lack blocks. */
enum sg_block_decoder_result sg_fold_add(struct sg_fold *fold, const uint8_t *payload, size_t size,
                                         unsigned packing, size_t raw_size);
/* Return the number of live memory blocks. */
uint64_t sg_fold_count(const struct sg_fold *fold);

/* Begin a snapshot. Returns false if there is no memory. Nothing may be added until it is ended. */
bool sg_fold_begin(struct sg_fold *fold);
/* Make the snapshot's next event block; all its events have `time_ns`. Returns the number of
 * events, 0 if the snapshot is complete or none was begun, or -1 if there is no memory. The payload
 * belongs to the fold, and is valid until the next call. */
int sg_fold_take(struct sg_fold *fold, int64_t time_ns, const struct sg_trace_payload **payload);
/* End the snapshot, if one was begun. */
void sg_fold_end(struct sg_fold *fold);

#endif
