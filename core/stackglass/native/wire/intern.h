/* Intern: tables of a session's definitions: strings, functions, locations and the tree of stacks.
 *
 * A row is identified by its position and never changes. wire.proto says which tables refer to
 * which.
 *
 *     string ◀── function ◀── location ◀── node ──▶ parent node
 *
 * All tables are bounded. If there is no room, a string, a function or a location becomes
 * "<unknown>", and a node "<truncated>"; a row of another table is left out. The writer owns the
 * tables. */
#ifndef STACKGLASS_WIRE_INTERN_H
#define STACKGLASS_WIRE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/hash_index.h"
#include "platform/hash_table.h"
#include "platform/vector.h"

enum {
    /* Rows that exist from the start. */
    SG_STRING_EMPTY = 0,
    SG_STRING_UNKNOWN = 1,
    SG_FUNCTION_UNKNOWN = 0,
    SG_LOCATION_UNKNOWN = 0,
    SG_NODE_EMPTY = 0,
    SG_NODE_TRUNCATED = 1,
    SG_TABLE_COLUMNS = 5,
};

struct sg_table {
    uint32_t *columns[SG_TABLE_COLUMNS]; /* (n_rows,) each; owned */
    int n_columns;
    uint32_t n_rows;
    uint32_t max_rows;
    size_t capacity;
    struct sg_hash_index index;
};

struct sg_strings {
    char *bytes; /* NUL-terminated texts, one behind the other; owned */
    size_t size, capacity, max_size;
    struct sg_vector starts;
    struct sg_hash_index index;
};

struct sg_intern {
    struct sg_strings strings;
    struct sg_table functions; /* name, system name, filename (strings), first line, start */
    struct sg_table locations; /* function, line, address of machine code */
    struct sg_table nodes;     /* parent, location */
    struct sg_table labels;    /* label set; key, value (strings) */
    struct sg_table starts;    /* thread, starter, whether the starter is a Python thread */
    struct sg_table known;     /* function; name, file (strings), line: see known_functions.h */
    struct sg_hash_table last_starts, last_known; /* last row by the key in the first column */
};

/* Make empty tables with the rows above. Returns false if memory is short. */
bool sg_intern_open(struct sg_intern *intern);
void sg_intern_close(struct sg_intern *intern);

/* Return the row of a text, which is added if it is new. `text` is UTF-8, NULL = "". */
uint32_t sg_intern_string(struct sg_intern *intern, const char *text);
/* Return the function with these strings; `start_line` 0 = unknown. */
uint32_t sg_intern_function(struct sg_intern *intern, const char *name, const char *system_name,
                            const char *filename, uint32_t start_line);
/* Return the function of machine code that starts at `start` > 0 in a library with this path and,
 * as wire.proto defines it, this identity. */
uint32_t sg_intern_native(struct sg_intern *intern, const char *name, const char *identity,
                          const char *path, uint32_t start);
uint32_t sg_intern_location(struct sg_intern *intern, uint32_t function, uint32_t line);
/* Return the location of machine code at `address`, as wire.proto defines it. */
uint32_t sg_intern_native_location(struct sg_intern *intern, uint32_t function, uint32_t address);
uint32_t sg_intern_node(struct sg_intern *intern, uint32_t parent, uint32_t location);
/* Add one label to a set. If there is no room, the label is missing from the set. */
void sg_intern_label(struct sg_intern *intern, uint32_t set, const char *key, const char *value);

/* Add a thread that C code has started; the last row of a thread counts. */
void sg_intern_start(struct sg_intern *intern, uint32_t tid, uint32_t starter, bool is_python);
/* Set Python's name for a function of machine code; the last one set counts, "" = it has none. */
void sg_intern_known(struct sg_intern *intern, uint32_t function, const char *name,
                     const char *file, uint32_t line);

const char *sg_intern_text(const struct sg_intern *intern, uint32_t row);

/* Limit the tables to fewer rows than usual: for tests. */
void sg_intern_limit(struct sg_intern *intern, size_t string_bytes, uint32_t n_rows);

#endif
