/* Parsers of JSON lists of numbers. Python's parser would be slower, and make an object of each
 * number. */
#ifndef SG_JSON_NUMBERS_H
#define SG_JSON_NUMBERS_H

#include "column.h"

enum sg_json_numbers {
    SG_JSON_READ = 0,
    SG_JSON_OTHER = -1, /* the text has another form; the column is filled up to there */
    SG_JSON_NO_MEMORY = -2,
};

/* Append items between commas to `rows` (int64): integers that are not negative and have at most 18
 * digits; null becomes -1. */
enum sg_json_numbers sg_json_read_rows(const unsigned char *content, size_t size,
                                       struct sg_vector *rows);

/* Append items between commas to `floats` (double): decimals without exponent and with at most 18
 * digits, rounded as Python rounds them; null becomes 0. */
enum sg_json_numbers sg_json_read_floats(const unsigned char *content, size_t size,
                                         struct sg_vector *floats);

#endif
