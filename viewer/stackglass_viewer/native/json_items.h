/* Items of JSON's lists and objects: where they end, without what they mean. */
#ifndef SG_JSON_ITEMS_H
#define SG_JSON_ITEMS_H

#include <stddef.h>
#include <stdint.h>

/* `at` is inside a list or an object, where an item begins. The place of the first comma of that
 * list or object at or after `at + n_bytes`, or of the bracket that ends it if that comes first.
 * `size` if the content ends before. Brackets are counted only: whether they are of one kind, and
 * whether the items are JSON, is left to the parser that reads them. */
size_t sg_json_items_end(const unsigned char *content, size_t size, size_t at, size_t n_bytes);

#endif
