/* Decoder of pprof's Profile message: its tables and samples become columns.
 *
 *   pass 1  decode everything but samples, whose locations and labels are only counted
 *           map ids ──▶ positions in the tables of locations, functions and mappings
 *   pass 2  decode samples, in several threads, with positions in place of ids
 *
 * So the longest column, the stacks, is written only once, as 32-bit positions. */
#ifndef SG_PPROF_DECODER_H
#define SG_PPROF_DECODER_H

#include "pprof_profile.h"
#include "progress.h"

/* Decode a whole message. Returns 0, -1 with `profile->error` set, -2 if memory is short, or -3 if
 * `progress` stopped it. Release the columns in every case. */
int sg_pprof_decoder_decode(const uint8_t *message, size_t size, struct sg_profile *profile,
                            struct sg_progress *progress);

#endif
