/* Code bytes: a cache of this process's machine code, copied in pieces by a function that cannot
 * fault. */
#ifndef STACKGLASS_UNWIND_CODE_BYTES_H
#define STACKGLASS_UNWIND_CODE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copy exactly `size` bytes. Returns false if they cannot be read. */
typedef bool sg_code_read_fn(void *context, uintptr_t address, void *copy, size_t size);

enum { SG_CODE_PIECE_BYTES = 1024, SG_CODE_PIECES = 32 };

struct sg_code_bytes {
    uintptr_t low, high; /* executable memory; nothing outside is read */
    sg_code_read_fn *read;
    void *context;
    struct sg_code_piece {
        uintptr_t address; /* 0 = none */
        size_t n;
        uint8_t bytes[SG_CODE_PIECE_BYTES];
    } pieces[SG_CODE_PIECES]; /* direct-mapped by address */
};

void sg_code_bytes_begin(struct sg_code_bytes *code, uintptr_t low, uintptr_t high,
                         sg_code_read_fn *read, void *context);
/* Copy up to `most` bytes from `address` on. Returns how many could be read. */
size_t sg_code_bytes_copy(struct sg_code_bytes *code, uintptr_t address, uint8_t *copy,
                          size_t most);

#endif
