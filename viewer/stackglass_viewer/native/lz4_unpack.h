/* LZ4 block decoder, for untrusted input. The engine has its own (platform/lz4_unpack.h). */
#ifndef SG_LZ4_UNPACK_H
#define SG_LZ4_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Unpack a block of exactly `raw_size` bytes into `raw`. Returns false if the block is malformed or
 * has another size. */
bool sg_lz4_unpack(const uint8_t *packed, size_t size, uint8_t *raw, size_t raw_size);

#endif
