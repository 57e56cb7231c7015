/* Hash-consing: equal rows are stored once, and a row is identified by its position.
 *
 *     strings   texts one behind the other, NUL-terminated ─ starts[row]
 *     tables    columns[c][row]      key: all columns of the row
 *     index     open addressing, hash ──▶ row
 *
 * Rows are never changed or removed, so the first n rows of a table can be sent at any time. If a
 * table is full, callers get the row that stands for "<unknown>" or "<truncated>"; rows of labels,
 * starts and known names are left out.
 *
 * In two tables, `starts` and `known`, the last row of a key counts. There a row is added whenever
 * it differs from the key's last row, even if an equal row exists already. */
#include "wire/intern.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_STRING_BYTES = 64 << 20,
    MAX_FUNCTIONS = 1 << 20,
    MAX_LOCATIONS = 1 << 21,
    MAX_NODES = 1 << 22,
    MAX_LABELS = 1 << 20,
    MAX_KNOWN = 1 << 17,
    MAX_STARTS = 1 << 20,
    NO_ROW = UINT32_MAX,
};

static uint32_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return (uint32_t)sg_hash_index_mix(hash, 0);
}

static uint32_t hash_row(const uint32_t *values, int n) {
    uint64_t hash = 0;
    for (int i = 0; i < n; i++)
        hash = sg_hash_index_mix(hash, values[i]);
    return (uint32_t)hash;
}

const char *sg_intern_text(const struct sg_intern *intern, uint32_t row) {
    return intern->strings.bytes + intern->strings.starts.values[row];
}

struct wanted_text {
    const struct sg_strings *strings;
    const char *text;
};

static bool is_text(uint32_t row, const void *key) {
    const struct wanted_text *wanted = key;
    return !strcmp(wanted->strings->bytes + wanted->strings->starts.values[row], wanted->text);
}

uint32_t sg_intern_string(struct sg_intern *intern, const char *text) {
    struct sg_strings *strings = &intern->strings;
    if (!text)
        text = "";
    const struct wanted_text wanted = {strings, text};
    uint32_t hash = hash_text(text);
    uint32_t row = sg_hash_index_find(&strings->index, hash, is_text, &wanted);
    size_t size = strlen(text) + 1;
    if (row != NO_ROW)
        return row;
    if (strings->size + size > strings->max_size ||
        !sg_vector_make_room((void **)&strings->bytes, strings->size, &strings->capacity, size,
                             1) ||
        !sg_hash_index_reserve(&strings->index) ||
        !sg_vector_add(&strings->starts, (uint32_t)strings->size))
        return SG_STRING_UNKNOWN;
    memcpy(strings->bytes + strings->size, text, size);
    strings->size += size;
    row = (uint32_t)strings->starts.n - 1;
    sg_hash_index_put(&strings->index, hash, row);
    return row;
}

struct wanted_row {
    const struct sg_table *table;
    const uint32_t *values; /* (n_columns,) */
};

static bool is_row(uint32_t row, const void *key) {
    const struct wanted_row *wanted = key;
    for (int i = 0; i < wanted->table->n_columns; i++)
        if (wanted->table->columns[i][row] != wanted->values[i])
            return false;
    return true;
}

static bool grow_columns(struct sg_table *table) {
    size_t capacity = table->capacity;
    for (int i = 0; i < table->n_columns; i++) {
        capacity = table->capacity;
        if (!sg_vector_make_room((void **)&table->columns[i], table->n_rows, &capacity, 1,
                                 sizeof(uint32_t)))
            return false; /* columns that have grown keep their room */
    }
    table->capacity = capacity;
    return true;
}

static uint32_t intern_row(struct sg_table *table, const uint32_t *values, uint32_t fallback) {
    const struct wanted_row wanted = {table, values};
    uint32_t hash = hash_row(values, table->n_columns);
    uint32_t row = sg_hash_index_find(&table->index, hash, is_row, &wanted);
    if (row != NO_ROW)
        return row;
    if (table->n_rows >= table->max_rows || !grow_columns(table) ||
        !sg_hash_index_reserve(&table->index))
        return fallback;
    for (int i = 0; i < table->n_columns; i++)
        table->columns[i][table->n_rows] = values[i];
    sg_hash_index_put(&table->index, hash, table->n_rows);
    return table->n_rows++;
}

/* The place of a key's last row. */
struct last_row {
    uint64_t key; /* the key + 1 */
    uint32_t row; /* the row + 1; 0 = there is none */
};

static void put_last_row(struct sg_table *table, struct sg_hash_table *last_rows,
                         const uint32_t *values) {
    const struct wanted_row wanted = {table, values};
    struct last_row *last = sg_hash_table_add(last_rows, (uint64_t)values[0] + 1);
    if (!last || (last->row && is_row(last->row - 1, &wanted)) ||
        table->n_rows >= table->max_rows || !grow_columns(table))
        return;
    for (int i = 0; i < table->n_columns; i++)
        table->columns[i][table->n_rows] = values[i];
    last->row = ++table->n_rows;
}

uint32_t sg_intern_function(struct sg_intern *intern, const char *name, const char *system_name,
                            const char *filename, uint32_t start_line) {
    const uint32_t key[] = {
        sg_intern_string(intern, name),
        sg_intern_string(intern, system_name),
        sg_intern_string(intern, filename),
        start_line,
        0,
    };
    return intern_row(&intern->functions, key, SG_FUNCTION_UNKNOWN);
}

uint32_t sg_intern_native(struct sg_intern *intern, const char *name, const char *identity,
                          const char *path, uint32_t start) {
    const uint32_t key[] = {
        sg_intern_string(intern, name),
        sg_intern_string(intern, identity),
        sg_intern_string(intern, path),
        0,
        start,
    };
    return intern_row(&intern->functions, key, SG_FUNCTION_UNKNOWN);
}

uint32_t sg_intern_location(struct sg_intern *intern, uint32_t function, uint32_t line) {
    return intern_row(&intern->locations, (const uint32_t[]){function, line, 0},
                      SG_LOCATION_UNKNOWN);
}

uint32_t sg_intern_native_location(struct sg_intern *intern, uint32_t function, uint32_t address) {
    return intern_row(&intern->locations, (const uint32_t[]){function, 0, address},
                      SG_LOCATION_UNKNOWN);
}

uint32_t sg_intern_node(struct sg_intern *intern, uint32_t parent, uint32_t location) {
    return intern_row(&intern->nodes, (const uint32_t[]){parent, location}, SG_NODE_TRUNCATED);
}

void sg_intern_label(struct sg_intern *intern, uint32_t set, const char *key, const char *value) {
    const uint32_t row[] = {set, sg_intern_string(intern, key), sg_intern_string(intern, value)};
    intern_row(&intern->labels, row, NO_ROW);
}

void sg_intern_start(struct sg_intern *intern, uint32_t tid, uint32_t starter, bool is_python) {
    put_last_row(&intern->starts, &intern->last_starts,
                 (const uint32_t[]){tid, starter, is_python});
}

void sg_intern_known(struct sg_intern *intern, uint32_t function, const char *name,
                     const char *file, uint32_t line) {
    const uint32_t row[] = {function, sg_intern_string(intern, name),
                            sg_intern_string(intern, file), line};
    put_last_row(&intern->known, &intern->last_known, row);
}

void sg_intern_limit(struct sg_intern *intern, size_t string_bytes, uint32_t n_rows) {
    intern->strings.max_size = string_bytes;
    intern->functions.max_rows = intern->locations.max_rows = intern->nodes.max_rows = n_rows;
}

bool sg_intern_open(struct sg_intern *intern) {
    memset(intern, 0, sizeof *intern);
    intern->strings.max_size = MAX_STRING_BYTES;
    intern->functions = (struct sg_table){.n_columns = 5, .max_rows = MAX_FUNCTIONS};
    intern->locations = (struct sg_table){.n_columns = 3, .max_rows = MAX_LOCATIONS};
    intern->nodes = (struct sg_table){.n_columns = 2, .max_rows = MAX_NODES};
    intern->labels = (struct sg_table){.n_columns = 3, .max_rows = MAX_LABELS};
    intern->starts = (struct sg_table){.n_columns = 3, .max_rows = MAX_STARTS};
    intern->known = (struct sg_table){.n_columns = 4, .max_rows = MAX_KNOWN};
    intern->last_starts.entry_bytes = intern->last_known.entry_bytes = sizeof(struct last_row);
    sg_intern_string(intern, "");
    sg_intern_string(intern, "<unknown>");
    uint32_t unknown = sg_intern_function(intern, "<unknown>", "<unknown>", "", 0);
    uint32_t truncated = sg_intern_function(intern, "<truncated>", "<truncated>", "", 0);
    sg_intern_location(intern, unknown, 0);
    if (grow_columns(&intern->nodes)) {
        /* The empty stack is not in the index, because a stack of location 0 alone is another
         * stack. */
        intern->nodes.columns[0][0] = intern->nodes.columns[1][0] = 0;
        intern->nodes.n_rows = 1;
        sg_intern_node(intern, SG_NODE_EMPTY, sg_intern_location(intern, truncated, 0));
    }
    if (intern->nodes.n_rows == 2)
        return true;
    sg_intern_close(intern);
    return false;
}

static void free_table(struct sg_table *table) {
    for (int i = 0; i < table->n_columns; i++)
        free(table->columns[i]);
    sg_hash_index_discard(&table->index);
}

void sg_intern_close(struct sg_intern *intern) {
    free(intern->strings.bytes);
    sg_vector_free(&intern->strings.starts);
    sg_hash_index_discard(&intern->strings.index);
    free_table(&intern->functions);
    free_table(&intern->locations);
    free_table(&intern->nodes);
    free_table(&intern->labels);
    free_table(&intern->known);
    free_table(&intern->starts);
    sg_hash_table_free(&intern->last_starts);
    sg_hash_table_free(&intern->last_known);
    memset(intern, 0, sizeof *intern);
}
