/* LZ4 block encoder, without a frame around the block. The format is LZ4's own:
 *
 *     sequence = token │ literals' length … │ literals │ offset (2 bytes) │ match's length …
 *
 * The search is greedy, with one hash table of the last place of each four bytes. Any LZ4 block
 * decoder can read the output: lz4_unpack.h, and the viewer's own. No locks: a table belongs to one
 * thread. */
#ifndef STACKGLASS_PLATFORM_LZ4_H
#define STACKGLASS_PLATFORM_LZ4_H

#include <stddef.h>
#include <stdint.h>

enum { SG_LZ4_HASH_BITS = 13, SG_LZ4_MOST_BYTES = 1 << 24 };

/* Memory of an encoder; its content does not matter. */
struct sg_lz4_table {
    uint32_t places[1 << SG_LZ4_HASH_BITS];
};

/* Pack `n` bytes, at most SG_LZ4_MOST_BYTES, into `packed`. Returns the packed size, or 0 if it
 * would be more than `capacity`: then the bytes are better kept as they are. */
size_t sg_lz4_pack(struct sg_lz4_table *table, const uint8_t *bytes, size_t n, uint8_t *packed,
                   size_t capacity);

#endif
