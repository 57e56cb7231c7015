/* pprof's Profile message to columns.
 *
 *   pass 1  everything but samples, of which only the references are counted
 *           ids ──▶ positions: locations, functions, mappings
 *   pass 2  samples, by several threads, their references already as positions
 *
 * so that the longest column, the stacks, is written once, as 32-bit positions. */
#ifndef SG_PPROF_DECODER_H
#define SG_PPROF_DECODER_H

#include "pprof_profile.h"
#include "progress.h"

/* Decode a whole message. 0; -1 with `error` set; -2 out of memory; -3 stopped by `progress`.
 * Columns are to be released in every case. */
int sg_pprof_decoder_decode(const uint8_t *message, size_t size, struct sg_profile *profile,
                            struct sg_progress *progress);

#endif
