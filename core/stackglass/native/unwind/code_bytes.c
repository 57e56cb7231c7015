/* A direct-mapped cache of pieces. A piece that could not be read is kept as empty. */
#include "unwind/code_bytes.h"

#include <string.h>

void sg_code_bytes_begin(struct sg_code_bytes *code, uintptr_t low, uintptr_t high,
                         sg_code_read_fn *read, void *context) {
    code->low = low;
    code->high = high;
    code->read = read;
    code->context = context;
    for (int i = 0; i < SG_CODE_PIECES; i++)
        code->pieces[i].address = 0;
}

/* Return the piece that holds an address in [low, high). It is empty if it cannot be read. */
static const struct sg_code_piece *find_piece(struct sg_code_bytes *code, uintptr_t address) {
    uintptr_t start = address / SG_CODE_PIECE_BYTES * SG_CODE_PIECE_BYTES;
    struct sg_code_piece *piece = &code->pieces[address / SG_CODE_PIECE_BYTES % SG_CODE_PIECES];
    start = start < code->low ? code->low : start;
    if (piece->address == start)
        return piece;
    uintptr_t end = (address / SG_CODE_PIECE_BYTES + 1) * SG_CODE_PIECE_BYTES;
    end = end > code->high ? code->high : end;
    piece->address = start;
    piece->n = end - start;
    if (!code->read(code->context, start, piece->bytes, piece->n))
        piece->n = 0;
    return piece;
}

size_t sg_code_bytes_copy(struct sg_code_bytes *code, uintptr_t address, uint8_t *copy,
                          size_t most) {
    size_t n = 0;
    while (n < most && address - code->low < code->high - code->low) {
        const struct sg_code_piece *piece = find_piece(code, address);
        size_t at = address - piece->address, n_here = piece->n > at ? piece->n - at : 0;
        n_here = n_here < most - n ? n_here : most - n;
        if (!n_here)
            break;
        memcpy(copy + n, piece->bytes + at, n_here);
        n += n_here;
        address += n_here;
    }
    return n;
}
