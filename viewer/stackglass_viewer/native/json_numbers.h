/* Parsers of JSON lists of numbers, for lists that are too long for Python's parser. */
#ifndef SG_JSON_NUMBERS_H
#define SG_JSON_NUMBERS_H

#include "column.h"

enum sg_json_numbers {
    SG_JSON_READ = 0,
    SG_JSON_OTHER = -1, /* an item is not a number or is written in another form */
    SG_JSON_NO_MEMORY = -2,
};

/* Append items between commas to `rows` (int64): integers that are not negative; null becomes -1.
 */
enum sg_json_numbers sg_json_read_rows(const unsigned char *content, size_t size,
                                       struct sg_vector *rows);

/* Append items between commas to `floats` (double): decimals without exponent, rounded as Python
 * rounds them; null becomes 0. */
enum sg_json_numbers sg_json_read_floats(const unsigned char *content, size_t size,
                                         struct sg_vector *floats);

#endif
