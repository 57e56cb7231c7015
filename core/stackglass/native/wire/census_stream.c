/* A census becomes two lists of sums: objects by type, and sampled blocks by bucket and type.
 *
 *     rows of the census ─▶ types        sampled blocks ─▶ hash table by (bucket, type) ─▶ sites
 *
 * The message refers to buckets of the heap, so it waits until all of them were sent; after five
 * seconds sites of other buckets are dropped and counted. */
#include "wire/census_stream.h"

#include <stdlib.h>
#include <string.h>

#include "census/census.h"
#include "heap/reader.h"
#include "platform/hash_table.h"
#include "platform/time.h"
#include "wire/messages.h"

/* Longest wait for buckets without names. */
#define NAMING_NS (INT64_C(5) * 1000 * 1000 * 1000)

/* A sum by bucket and type, while the blocks are read. */
struct site {
    uint64_t key; /* see key_of */
    struct sg_census_sum sum;
};

struct sites {
    struct sg_hash_table table;
    const uint32_t *strings; /* by row of the census's types */
    bool is_short;           /* memory was short */
};
static const uint32_t NO_BUCKET = UINT32_MAX;

static uint64_t key_of(uint32_t bucket, uint32_t type) {
    return ((uint64_t)bucket << 32 | type) + 1;
}

static void add_block(void *context, const struct sg_heap_block *block) {
    struct sites *sites = context;
    uint32_t row = sg_census_blocks_type(&sg_census.blocks, block->address);
    uint32_t type = row == SG_NO_TYPE ? SG_STRING_EMPTY : sites->strings[row];
    struct site *site = sg_hash_table_add(&sites->table, key_of(block->bucket, type));
    if (!site) {
        sites->is_short = true;
        return;
    }
    site->sum.bucket = block->bucket;
    site->sum.type = type;
    site->sum.count++;
    site->sum.bytes += block->size;
}

static void free_result(struct sg_published_census *result) {
    SG_ROWS_FREE(&result->types);
    SG_ROWS_FREE(&result->sites);
    memset(result, 0, sizeof *result);
}

static bool take_types(struct sg_published_census *result, struct sg_intern *intern,
                       uint32_t *strings) {
    bool is_whole = true;
    for (size_t i = 0; i < sg_census.types.rows.n; i++) {
        const struct sg_census_row *row = &sg_census.types.rows.at[i];
        strings[i] = sg_intern_string(intern, row->name);
        if (row->count)
            is_whole &= SG_ROWS_ADD(&result->types, (struct sg_census_sum){strings[i], NO_BUCKET,
                                                                           row->count, row->bytes});
    }
    return is_whole;
}

static bool take_sites(struct sg_published_census *result, const uint32_t *strings) {
    struct sites sites = {.table.entry_bytes = sizeof(struct site), .strings = strings};
    if (sg_census.has_blocks)
        sg_heap_reader_read_blocks(add_block, &sites);
    bool is_whole = !sites.is_short;
    const struct site *site;
    for (size_t place = 0; (site = sg_hash_table_next(&sites.table, &place));)
        is_whole &= SG_ROWS_ADD(&result->sites, site->sum);
    sg_hash_table_free(&sites.table);
    return is_whole;
}

static void take_result(struct sg_census_stream *stream, struct sg_intern *intern) {
    struct sg_published_census *result = &stream->result;
    uint32_t *strings = calloc(sg_census.types.rows.n + 1, sizeof *strings);
    free_result(result);
    result->time_mono_ns = sg_census.start_mono_ns;
    result->duration_ns = (uint64_t)(sg_census.end_mono_ns - sg_census.start_mono_ns);
    result->longest_hold_ns = stream->longest_hold_ns;
    result->longest_cpu_ns = stream->longest_cpu_ns;
    result->n_slices = sg_census.n_slices;
    result->n_restarts = sg_census.n_restarts;
    result->n_objects = sg_census.n_objects;
    result->is_whole = sg_census.is_whole && !sg_census.problem;
    result->problem = sg_census.problem ? sg_census.problem : "";
    if (!strings || !take_types(result, intern, strings) || !take_sites(result, strings)) {
        free_result(result);
        result->problem = "there is no memory for a census";
    }
    free(strings);
}

void sg_census_stream_take(struct sg_census_stream *stream, struct sg_intern *intern,
                           uint64_t held_ns, uint64_t cpu_ns) {
    stream->begun_ns = sg_census.start_mono_ns;
    if (held_ns > stream->longest_hold_ns)
        stream->longest_hold_ns = held_ns;
    if (cpu_ns > stream->longest_cpu_ns)
        stream->longest_cpu_ns = cpu_ns;
    if (!sg_census.is_done)
        return;
    take_result(stream, intern);
    sg_census_clear();
    stream->is_ready = true;
    stream->due_ns = sg_time_mono_ns() + NAMING_NS;
    stream->begun_ns = 0;
    stream->longest_hold_ns = stream->longest_cpu_ns = 0;
}

static bool is_sent(const struct sg_heap_stream *heap, uint32_t bucket) {
    return bucket < heap->rows.n && sg_row_publisher_row(&heap->rows, bucket) < heap->rows.n_sent;
}

static bool are_all_sent(const struct sg_census_stream *stream, const struct sg_heap_stream *heap) {
    for (size_t i = 0; i < stream->result.sites.n; i++)
        if (!is_sent(heap, stream->result.sites.at[i].bucket))
            return false;
    return true;
}

/* Replace the ids of buckets by their rows on the wire. Sites of a bucket without a row are dropped
 * and counted. */
static void number_sites(struct sg_published_census *result, const struct sg_heap_stream *heap) {
    size_t n_kept = 0;
    for (size_t i = 0; i < result->sites.n; i++) {
        struct sg_census_sum site = result->sites.at[i];
        if (!is_sent(heap, site.bucket)) {
            result->n_unnamed += site.count;
            continue;
        }
        site.bucket = sg_row_publisher_row(&heap->rows, site.bucket);
        result->sites.at[n_kept++] = site;
    }
    result->sites.n = n_kept;
}

static void put_census(struct sg_buffer *out, const struct sg_published_census *result) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_CENSUS);
    sg_encoder_put_int(out, SG_TAG_TYPE_CENSUS_TIME_MONO_NS, result->time_mono_ns);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_DURATION_NS, result->duration_ns);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_N_SLICES, result->n_slices);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_LONGEST_HOLD_NS, result->longest_hold_ns);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_N_RESTARTS, result->n_restarts);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_IS_WHOLE, result->is_whole);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_N_OBJECTS, result->n_objects);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_N_UNNAMED, result->n_unnamed);
    sg_encoder_put_string(out, SG_TAG_TYPE_CENSUS_PROBLEM, result->problem);
    const struct sg_census_sum *types = result->types.at, *sites = result->sites.at;
    size_t n_types = result->types.n, n_sites = result->sites.n;
    SG_PUT_COLUMN(out, SG_TAG_TYPE_CENSUS_TYPE_NAME, n_types, types[i].type);
    SG_PUT_COLUMN(out, SG_TAG_TYPE_CENSUS_TYPE_COUNT, n_types, types[i].count);
    SG_PUT_COLUMN(out, SG_TAG_TYPE_CENSUS_TYPE_BYTES, n_types, types[i].bytes);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_LONGEST_CPU_NS, result->longest_cpu_ns);
    SG_PUT_COLUMN(out, SG_TAG_TYPE_CENSUS_SITE_BUCKET, n_sites, sites[i].bucket);
    SG_PUT_COLUMN(out, SG_TAG_TYPE_CENSUS_SITE_TYPE, n_sites, sites[i].type);
    SG_PUT_COLUMN(out, SG_TAG_TYPE_CENSUS_SITE_COUNT, n_sites, sites[i].count);
    SG_PUT_COLUMN(out, SG_TAG_TYPE_CENSUS_SITE_BYTES, n_sites, sites[i].bytes);
    sg_messages_end_from_engine(out, message);
}

static bool can_take(const struct sg_client *client, bool has_sites) {
    return client->wants_census && client->is_up_to_date &&
           (!has_sites || client->tables[SG_TABLE_HEAP].is_up_to_date);
}

void sg_census_stream_send(struct sg_census_stream *stream, const struct sg_heap_stream *heap,
                           struct sg_clients *clients) {
    if (!stream->is_ready || (!are_all_sent(stream, heap) && sg_time_mono_ns() < stream->due_ns))
        return;
    bool has_sites = stream->result.sites.n != 0;
    number_sites(&stream->result, heap);
    struct sg_buffer message = {0};
    put_census(&message, &stream->result);
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        if (!can_take(client, has_sites))
            continue; /* the client connected later and gets another census */
        client->wants_census = false;
        sg_client_put(client, &message);
    }
    sg_encoder_buffer_free(&message);
    free_result(&stream->result);
    stream->is_ready = false;
}

bool sg_census_stream_wants(const struct sg_census_stream *stream,
                            const struct sg_heap_stream *heap, const struct sg_clients *clients) {
    if (stream->is_ready)
        return false;
    bool is_wanted = stream->begun_ns != 0; /* a census in progress is finished */
    for (size_t i = 0; i < clients->n; i++)
        is_wanted |= can_take(clients->at[i], heap->rows.n != 0);
    return is_wanted;
}

void sg_census_stream_close(struct sg_census_stream *stream) {
    free_result(&stream->result);
    memset(stream, 0, sizeof *stream);
}
