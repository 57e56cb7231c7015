/* Tables in JSON: a list of objects whose members are whole numbers, or lists of these. */
#ifndef SG_JSON_TABLE_H
#define SG_JSON_TABLE_H

#include "json_numbers.h"

enum { SG_JSON_MOST_FIELDS = 16 };

struct sg_json_field {
    const char *name; /* of a member, as it is between its quotes */
    size_t name_bytes;
    int is_list;
    struct sg_vector count;  /* int32: how many numbers each row has */
    struct sg_vector number; /* int64: of all rows */
};

/* Read objects between commas into columns; numbers may be in quotes, as protobuf writes those of
 * 64 bits. Returns SG_JSON_OTHER for a member that is no field or comes twice, and for any other
 * form. */
enum sg_json_numbers sg_json_read_table(const unsigned char *content, size_t size,
                                        struct sg_json_field *fields, size_t n_fields);

#endif
