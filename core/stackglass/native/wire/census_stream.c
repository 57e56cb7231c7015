/* From a census to a message: see census_stream.h. */
#include "wire/census_stream.h"

#include <stdlib.h>
#include <string.h>

#include "census/census.h"
#include "heap/reader.h"
#include "platform/time.h"
#include "wire/messages.h"

/* How long buckets without names are waited for. */
#define NAMING_NS (INT64_C(5) * 1000 * 1000 * 1000)

enum { FIRST_SITES = 256 };

/* Sums by bucket and type, while the blocks are read. */
struct sites {
    struct site {
        uint32_t bucket, type; /* bucket NO_BUCKET = an empty place; type: string */
        uint64_t count, bytes;
    } * at;
    size_t n, capacity;
    const uint32_t *strings; /* by row of the census's types */
    bool is_short;           /* of memory */
};
static const uint32_t NO_BUCKET = UINT32_MAX;

static struct site *place_of(const struct sites *sites, uint32_t bucket, uint32_t type) {
    uint64_t hash = ((uint64_t)bucket << 32 | type) * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(hash >> 32) & (sites->capacity - 1);
    while (sites->at[at].bucket != NO_BUCKET &&
           (sites->at[at].bucket != bucket || sites->at[at].type != type))
        at = (at + 1) & (sites->capacity - 1);
    return &sites->at[at];
}

static void grow(struct sites *sites) {
    struct sites grown = *sites;
    grown.capacity = sites->capacity ? 2 * sites->capacity : FIRST_SITES;
    grown.at = malloc(grown.capacity * sizeof *grown.at);
    if (!grown.at)
        return;
    for (size_t i = 0; i < grown.capacity; i++)
        grown.at[i] = (struct site){.bucket = NO_BUCKET};
    for (size_t i = 0; i < sites->capacity; i++)
        if (sites->at[i].bucket != NO_BUCKET)
            *place_of(&grown, sites->at[i].bucket, sites->at[i].type) = sites->at[i];
    free(sites->at);
    *sites = grown;
}

static void add_block(void *context, const struct sg_heap_block *block) {
    struct sites *sites = context;
    uint32_t row = sg_census_blocks_type(&sg_census.blocks, block->address);
    uint32_t type = row == SG_NO_TYPE ? SG_STRING_EMPTY : sites->strings[row];
    if (2 * sites->n >= sites->capacity)
        grow(sites);
    if (2 * sites->n >= sites->capacity) {
        sites->is_short = true;
        return;
    }
    struct site *site = place_of(sites, block->bucket, type);
    if (site->bucket == NO_BUCKET) {
        *site = (struct site){.bucket = block->bucket, .type = type};
        sites->n++;
    }
    site->count++;
    site->bytes += block->size;
}

static void free_told(struct sg_published_census *told) {
    sg_vector_free(&told->type_name);
    sg_vector_free_wide(&told->type_count);
    sg_vector_free_wide(&told->type_bytes);
    sg_vector_free(&told->site_bucket);
    sg_vector_free(&told->site_type);
    sg_vector_free_wide(&told->site_count);
    sg_vector_free_wide(&told->site_bytes);
    memset(told, 0, sizeof *told);
}

static bool take_types(struct sg_published_census *told, struct sg_intern *intern,
                       uint32_t *strings) {
    bool is_whole = true;
    for (size_t i = 0; i < sg_census.types.n; i++) {
        const struct sg_census_row *row = &sg_census.types.rows[i];
        strings[i] = sg_intern_string(intern, row->name);
        if (row->count)
            is_whole &= sg_vector_add(&told->type_name, strings[i]) &&
                        sg_vector_add_wide(&told->type_count, row->count) &&
                        sg_vector_add_wide(&told->type_bytes, row->bytes);
    }
    return is_whole;
}

static bool take_sites(struct sg_published_census *told, const uint32_t *strings) {
    struct sites sites = {.strings = strings};
    if (sg_census.has_blocks)
        sg_heap_reader_read_blocks(add_block, &sites);
    bool is_whole = !sites.is_short;
    for (size_t i = 0; i < sites.capacity; i++) {
        const struct site *site = &sites.at[i];
        if (site->bucket != NO_BUCKET)
            is_whole &= sg_vector_add(&told->site_bucket, site->bucket) &&
                        sg_vector_add(&told->site_type, site->type) &&
                        sg_vector_add_wide(&told->site_count, site->count) &&
                        sg_vector_add_wide(&told->site_bytes, site->bytes);
    }
    free(sites.at);
    return is_whole;
}

static void take_result(struct sg_census_stream *feed, struct sg_intern *intern) {
    struct sg_published_census *told = &feed->told;
    uint32_t *strings = calloc(sg_census.types.n + 1, sizeof *strings);
    free_told(told);
    told->time_mono_ns = sg_census.start_mono_ns;
    told->duration_ns = (uint64_t)(sg_census.end_mono_ns - sg_census.start_mono_ns);
    told->longest_hold_ns = feed->longest_hold_ns;
    told->longest_cpu_ns = feed->longest_cpu_ns;
    told->n_slices = sg_census.n_slices;
    told->n_restarts = sg_census.n_restarts;
    told->n_objects = sg_census.n_objects;
    told->is_whole = sg_census.is_whole && !sg_census.problem;
    told->problem = sg_census.problem ? sg_census.problem : "";
    if (!strings || !take_types(told, intern, strings) || !take_sites(told, strings)) {
        free_told(told);
        told->problem = "there is no memory for a census";
    }
    free(strings);
}

void sg_census_stream_take(struct sg_census_stream *feed, struct sg_intern *intern,
                           uint64_t held_ns, uint64_t cpu_ns) {
    feed->begun_ns = sg_census.start_mono_ns;
    if (held_ns > feed->longest_hold_ns)
        feed->longest_hold_ns = held_ns;
    if (cpu_ns > feed->longest_cpu_ns)
        feed->longest_cpu_ns = cpu_ns;
    if (!sg_census.is_done)
        return;
    take_result(feed, intern);
    sg_census_clear();
    feed->is_ready = true;
    feed->due_ns = sg_time_mono_ns() + NAMING_NS;
    feed->begun_ns = 0;
    feed->longest_hold_ns = feed->longest_cpu_ns = 0;
}

static bool is_told(const struct sg_heap_stream *heap, uint32_t bucket) {
    return bucket < heap->rows.n && sg_row_of(&heap->rows, bucket) < heap->rows.n_sent;
}

static bool are_all_told(const struct sg_census_stream *feed, const struct sg_heap_stream *heap) {
    for (size_t i = 0; i < feed->told.site_bucket.n; i++)
        if (!is_told(heap, feed->told.site_bucket.values[i]))
            return false;
    return true;
}

/* From ids to rows of the wire; what has none is left out, and counted. */
static void number_sites(struct sg_published_census *told, const struct sg_heap_stream *heap) {
    size_t n_kept = 0;
    for (size_t i = 0; i < told->site_bucket.n; i++) {
        uint32_t bucket = told->site_bucket.values[i];
        if (!is_told(heap, bucket)) {
            told->n_untold += told->site_count.values[i];
            continue;
        }
        told->site_bucket.values[n_kept] = sg_row_of(&heap->rows, bucket);
        told->site_type.values[n_kept] = told->site_type.values[i];
        told->site_count.values[n_kept] = told->site_count.values[i];
        told->site_bytes.values[n_kept++] = told->site_bytes.values[i];
    }
    told->site_bucket.n = told->site_type.n = told->site_count.n = told->site_bytes.n = n_kept;
}

static void put_census(struct sg_buffer *out, const struct sg_published_census *told) {
    struct sg_message message = sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_CENSUS);
    sg_encoder_put_int(out, SG_TAG_TYPE_CENSUS_TIME_MONO_NS, told->time_mono_ns);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_DURATION_NS, told->duration_ns);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_N_SLICES, told->n_slices);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_LONGEST_HOLD_NS, told->longest_hold_ns);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_N_RESTARTS, told->n_restarts);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_IS_WHOLE, told->is_whole);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_N_OBJECTS, told->n_objects);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_N_UNTOLD, told->n_untold);
    sg_encoder_put_string(out, SG_TAG_TYPE_CENSUS_PROBLEM, told->problem);
    sg_encoder_put_packed_u32(out, SG_TAG_TYPE_CENSUS_TYPE_NAME, told->type_name.values,
                              told->type_name.n);
    sg_encoder_put_packed_u64(out, SG_TAG_TYPE_CENSUS_TYPE_COUNT, told->type_count.values,
                              told->type_count.n);
    sg_encoder_put_packed_u64(out, SG_TAG_TYPE_CENSUS_TYPE_BYTES, told->type_bytes.values,
                              told->type_bytes.n);
    sg_encoder_put_uint(out, SG_TAG_TYPE_CENSUS_LONGEST_CPU_NS, told->longest_cpu_ns);
    sg_encoder_put_packed_u32(out, SG_TAG_TYPE_CENSUS_SITE_BUCKET, told->site_bucket.values,
                              told->site_bucket.n);
    sg_encoder_put_packed_u32(out, SG_TAG_TYPE_CENSUS_SITE_TYPE, told->site_type.values,
                              told->site_type.n);
    sg_encoder_put_packed_u64(out, SG_TAG_TYPE_CENSUS_SITE_COUNT, told->site_count.values,
                              told->site_count.n);
    sg_encoder_put_packed_u64(out, SG_TAG_TYPE_CENSUS_SITE_BYTES, told->site_bytes.values,
                              told->site_bytes.n);
    sg_messages_end_from_engine(out, message);
}

static bool can_take(const struct sg_client *client, bool has_sites) {
    return client->wants_census && client->is_up_to_date &&
           (!has_sites || client->told[SG_TOLD_HEAP].is_up_to_date);
}

void sg_census_stream_send(struct sg_census_stream *feed, const struct sg_heap_stream *heap,
                           struct sg_clients *clients) {
    if (!feed->is_ready || (!are_all_told(feed, heap) && sg_time_mono_ns() < feed->due_ns))
        return;
    bool has_sites = feed->told.site_bucket.n != 0;
    number_sites(&feed->told, heap);
    struct sg_buffer message = {0};
    put_census(&message, &feed->told);
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        if (!can_take(client, has_sites))
            continue; /* it has come since: another census is for it */
        client->wants_census = false;
        if (message.failed)
            client->out.failed = true;
        sg_encoder_put_raw(&client->out, message.bytes, message.size);
    }
    sg_encoder_buffer_free(&message);
    free_told(&feed->told);
    feed->is_ready = false;
}

bool sg_census_stream_wants(const struct sg_census_stream *feed, const struct sg_heap_stream *heap,
                            const struct sg_clients *clients) {
    if (feed->is_ready)
        return false;
    bool is_wanted = feed->begun_ns != 0; /* what has been begun is ended */
    for (size_t i = 0; i < clients->n; i++)
        is_wanted |= can_take(clients->at[i], heap->rows.n != 0);
    return is_wanted;
}

void sg_census_stream_close(struct sg_census_stream *feed) {
    free_told(&feed->told);
    memset(feed, 0, sizeof *feed);
}
