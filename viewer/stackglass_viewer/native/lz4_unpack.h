/* LZ4 block decoder, for untrusted input. */
#ifndef SG_LZ4_UNPACK_H
#define SG_LZ4_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/* Unpack a block into `raw`. Returns 0, or -1 if the block is malformed or does not unpack to
 * exactly `raw_size` bytes. */
int sg_lz4_unpack(const uint8_t *packed, size_t size, uint8_t *raw, size_t raw_size);

#endif
