/* Lists of numbers in JSON. */
#ifndef SG_JSON_NUMBERS_H
#define SG_JSON_NUMBERS_H

#include "column.h"

enum sg_json_numbers {
    SG_JSON_READ = 0,
    SG_JSON_OTHER = -1, /* an item that is written in another form, or is no number */
    SG_JSON_NO_MEMORY = -2,
};

/* Items between commas to int64: digits as they are, null as -1. */
enum sg_json_numbers sg_json_read_rows(const unsigned char *content, size_t size,
                                       struct sg_vector *rows);

/* Items between commas to double: decimals without exponent as Python reads them, null as 0. */
enum sg_json_numbers sg_json_read_floats(const unsigned char *content, size_t size,
                                         struct sg_vector *floats);

#endif
