/* Parser of JSON tables: a list of objects whose members are integers or lists of integers. */
#ifndef SG_JSON_TABLE_H
#define SG_JSON_TABLE_H

#include "json_numbers.h"

enum { SG_JSON_MOST_FIELDS = 16 };

struct sg_json_field {
    const char *name; /* name of the member, as written between its quotes */
    size_t name_bytes;
    int is_list;
    struct sg_vector count;  /* int32: how many numbers each row has */
    struct sg_vector number; /* int64: the numbers of all rows */
};

/* Read objects between commas into columns. Numbers may be in quotes, as protobuf's JSON writes
 * 64-bit integers. Returns SG_JSON_OTHER if a member is not in `fields` or comes twice, and for any
 * other form. */
enum sg_json_numbers sg_json_read_table(const unsigned char *content, size_t size,
                                        struct sg_json_field *fields, size_t n_fields);

#endif
