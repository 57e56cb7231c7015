/* Search for the end of items in a JSON list or object, without parsing them. */
#ifndef SG_JSON_ITEMS_H
#define SG_JSON_ITEMS_H

#include <stddef.h>
#include <stdint.h>

/* Return where the items end that begin at `at`, inside a list or object, and take at least
 * `n_bytes`: the offset of the first comma between items at or after `at + n_bytes`, or of the
 * bracket that closes the list or object if the bracket comes first; `size` if the content ends
 * before. The scan only counts brackets; the parser that reads the items checks that brackets match
 * and that the items are JSON. */
size_t sg_json_items_end(const unsigned char *content, size_t size, size_t at, size_t n_bytes);

#endif
