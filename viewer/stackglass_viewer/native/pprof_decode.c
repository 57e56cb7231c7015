/* Decodes pprof. Every number in the file may be a lie: references are checked before use, and
 * memory grows only with bytes that are there. */
#include "pprof_decode.h"

#include <stdio.h>
#include <string.h>

#include "id_map.h"
#include "wire_reader.h"

enum { TICK_BYTES = 4 << 20, MAX_ROWS = INT32_MAX - 1 };
enum { BROKEN = -1, NO_MEMORY = -2, STOPPED = -3 };
static const double PASS_1_SHARE = 0.1; /* of the time, in a file of mostly samples */

struct decoder {
    struct sg_profile *profile;
    const uint8_t *message;
    size_t size;
    struct sg_ticker *ticker;
    struct sg_column function_id, mapping_id, location_id; /* u64, as the file has them */
    struct sg_column line_function_id, location_mapping_id;
    struct sg_id_map functions, mappings, locations;
    size_t n_samples;
    size_t sample_bytes;
    int has_time;
};

static int fail(struct decoder *decoder, const char *what) {
    if (!decoder->profile->error[0])
        snprintf(decoder->profile->error, sizeof decoder->profile->error, "%s", what);
    return BROKEN;
}

static int fail_field(struct decoder *decoder, const char *message) {
    char text[100];
    snprintf(text, sizeof text, "it is truncated or damaged: a %s cannot be read", message);
    return fail(decoder, text);
}

/* A string's number from the file. What does not fit becomes one that the check will refuse. */
static int32_t to_string(uint64_t value) { return value > INT32_MAX ? INT32_MAX : (int32_t)value; }

static int decode_type(struct decoder *decoder, struct sg_reader reader, uint64_t *type,
                       uint64_t *unit) {
    struct sg_field field;
    int more;
    *type = *unit = 0;
    while ((more = sg_next_field(&reader, &field)) > 0) {
        if (field.number == 1)
            *type = field.value;
        else if (field.number == 2)
            *unit = field.value;
    }
    return more < 0 ? fail_field(decoder, "sample type") : 0;
}

static int decode_mapping(struct decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[11] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return fail_field(decoder, "mapping");
    int flags = (v[7] ? 1 : 0) | (v[8] ? 2 : 0) | (v[9] ? 4 : 0) | (v[10] ? 8 : 0);
    if (sg_push_u64(&decoder->mapping_id, v[1]) < 0 || sg_push_u64(&p->mapping_start, v[2]) < 0 ||
        sg_push_u64(&p->mapping_limit, v[3]) < 0 || sg_push_u64(&p->mapping_offset, v[4]) < 0 ||
        sg_push_i32(&p->mapping_filename, to_string(v[5])) < 0 ||
        sg_push_i32(&p->mapping_build_id, to_string(v[6])) < 0 ||
        sg_push_i32(&p->mapping_flags, flags) < 0)
        return NO_MEMORY;
    return 0;
}

static int decode_line(struct decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[4] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return fail_field(decoder, "line");
    if (sg_push_u64(&decoder->line_function_id, v[1]) < 0 ||
        sg_push_i64(&p->line_number, (int64_t)v[2]) < 0 ||
        sg_push_i64(&p->line_column, (int64_t)v[3]) < 0)
        return NO_MEMORY;
    return 0;
}

static int decode_location(struct decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[6] = {0};
    int more, result;
    if (p->line_number.n >= MAX_ROWS)
        return fail(decoder, "it has too many lines");
    if (sg_push_i32(&p->location_lines, (int32_t)p->line_number.n) < 0)
        return NO_MEMORY;
    while ((more = sg_next_field(&reader, &field)) > 0) {
        if (field.number == 4 && field.type == SG_DELIMITED) {
            if ((result = decode_line(decoder, field.content)) < 0)
                return result;
        } else if (field.number < sizeof v / sizeof *v) {
            v[field.number] = field.value;
        }
    }
    if (more < 0)
        return fail_field(decoder, "location");
    if (sg_push_u64(&decoder->location_id, v[1]) < 0 ||
        sg_push_u64(&decoder->location_mapping_id, v[2]) < 0 ||
        sg_push_u64(&p->location_address, v[3]) < 0 ||
        sg_push_i32(&p->location_is_folded, !!v[5]) < 0)
        return NO_MEMORY;
    return 0;
}

static int decode_function(struct decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[6] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return fail_field(decoder, "function");
    if (sg_push_u64(&decoder->function_id, v[1]) < 0 ||
        sg_push_i32(&p->function_name, to_string(v[2])) < 0 ||
        sg_push_i32(&p->function_system_name, to_string(v[3])) < 0 ||
        sg_push_i32(&p->function_filename, to_string(v[4])) < 0 ||
        sg_push_i64(&p->function_start_line, (int64_t)v[5]) < 0)
        return NO_MEMORY;
    return 0;
}

static int decode_comments(struct decoder *decoder, const struct sg_field *field) {
    struct sg_column *comments = &decoder->profile->comment;
    if (field->type != SG_DELIMITED)
        return sg_push_i32(comments, to_string(field->value)) < 0 ? NO_MEMORY : 0;
    struct sg_reader packed = field->content;
    uint64_t value;
    while (packed.at < packed.end) {
        if (sg_read_varint(&packed, &value) < 0)
            return fail_field(decoder, "comment");
        if (sg_push_i32(comments, to_string(value)) < 0)
            return NO_MEMORY;
    }
    return 0;
}

static int decode_number(struct decoder *decoder, const struct sg_field *field) {
    struct sg_profile *p = decoder->profile;
    int64_t value = (int64_t)field->value;
    switch (field->number) {
    case 7:
        p->drop_frames = value;
        break;
    case 8:
        p->keep_frames = value;
        break;
    case 9:
        if (decoder->has_time)
            return fail(decoder, "it is several profiles, one behind the other");
        decoder->has_time = value != 0;
        p->time_ns = value;
        break;
    case 10:
        p->duration_ns = value;
        break;
    case 12:
        p->period = value;
        break;
    case 14:
        p->default_type = value;
        break;
    case 15:
        p->doc_url = value;
        break;
    }
    return 0;
}

static int decode_message(struct decoder *decoder, const struct sg_field *field) {
    struct sg_profile *p = decoder->profile;
    uint64_t type, unit;
    int result;
    switch (field->number) {
    case 1:
        if ((result = decode_type(decoder, field->content, &type, &unit)) < 0)
            return result;
        return sg_push_i32(&p->type_name, to_string(type)) < 0 ||
                       sg_push_i32(&p->type_unit, to_string(unit)) < 0
                   ? NO_MEMORY
                   : 0;
    case 2:
        decoder->n_samples++;
        decoder->sample_bytes += (size_t)(field->content.end - field->content.at);
        return 0;
    case 3:
        return decode_mapping(decoder, field->content);
    case 4:
        return decode_location(decoder, field->content);
    case 5:
        return decode_function(decoder, field->content);
    case 6:
        return sg_push_i64(&p->string_at, field->content.at - decoder->message) < 0 ||
                       sg_push_i64(&p->string_size, field->content.end - field->content.at) < 0
                   ? NO_MEMORY
                   : 0;
    case 11:
        if ((result = decode_type(decoder, field->content, &type, &unit)) < 0)
            return result;
        p->period_name = to_string(type);
        p->period_unit = to_string(unit);
        return 0;
    case 13:
        return decode_comments(decoder, field);
    }
    return 0;
}

/* Pass 1: all but the samples. */
static int decode_tables(struct decoder *decoder) {
    struct sg_reader reader = {decoder->message, decoder->message + decoder->size};
    const uint8_t *next_tick = reader.at;
    struct sg_field field;
    int more, result;
    while ((more = sg_next_field(&reader, &field)) > 0) {
        if (field.type == SG_DELIMITED)
            result = decode_message(decoder, &field);
        else if (field.number == 13)
            result = decode_comments(decoder, &field);
        else
            result = decode_number(decoder, &field);
        if (result < 0)
            return result;
        if (reader.at >= next_tick) {
            double done = (double)(reader.at - decoder->message) / (double)decoder->size;
            if (sg_tick(decoder->ticker, PASS_1_SHARE * done) < 0)
                return STOPPED;
            next_tick = reader.at + TICK_BYTES;
        }
    }
    if (more < 0)
        return fail(decoder, "it is truncated or damaged");
    if (sg_push_i32(&decoder->profile->location_lines, (int32_t)decoder->profile->line_number.n))
        return NO_MEMORY;
    return 0;
}

static int check_strings(struct decoder *decoder, const struct sg_column *column) {
    const int32_t *strings = sg_i32(column);
    for (size_t i = 0; i < column->n; i++)
        if ((size_t)strings[i] >= decoder->profile->string_at.n)
            return fail(decoder, "it is damaged: it refers to a string that is not there");
    return 0;
}

static int check_tables(struct decoder *decoder) {
    struct sg_profile *p = decoder->profile;
    size_t n_strings = p->string_at.n;
    if (n_strings == 0)
        return fail(decoder, "it is no pprof profile, or truncated: it has no strings");
    if (sg_i64(&p->string_size)[0] != 0)
        return fail(decoder, "it is damaged: its first string is not empty");
    if (n_strings >= MAX_ROWS || p->location_address.n >= MAX_ROWS ||
        p->function_name.n >= MAX_ROWS || decoder->n_samples >= MAX_ROWS ||
        p->line_number.n >= MAX_ROWS)
        return fail(decoder, "it has too many rows");
    const struct sg_column *const columns[] = {
        &p->type_name,         &p->type_unit,        &p->function_name,    &p->function_system_name,
        &p->function_filename, &p->mapping_filename, &p->mapping_build_id, &p->comment,
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (check_strings(decoder, columns[i]) < 0)
            return BROKEN;
    const int64_t numbers[] = {p->drop_frames, p->keep_frames, p->default_type,
                               p->doc_url,     p->period_name, p->period_unit};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] < -1 || numbers[i] >= (int64_t)n_strings)
            return fail(decoder, "it is damaged: it refers to a string that is not there");
    if (decoder->n_samples && p->type_name.n == 0)
        return fail(decoder, "it has samples but does not say of what type");
    return 0;
}

static int map_ids(struct decoder *decoder, struct sg_id_map *map, const struct sg_column *ids,
                   const char *text) {
    int result = sg_build_id_map(map, sg_u64(ids), ids->n);
    return result == -1 ? fail(decoder, text) : result;
}

/* References by id to references by position. What refers to nothing becomes -1, as in pprof. */
static int resolve(const struct sg_id_map *map, const struct sg_column *ids,
                   struct sg_column *positions) {
    if (sg_reserve(positions, ids->n, sizeof(int32_t)) < 0)
        return NO_MEMORY;
    for (size_t i = 0; i < ids->n; i++)
        sg_i32(positions)[i] = sg_find_id(map, sg_u64(ids)[i]);
    positions->n = ids->n;
    return 0;
}

static int resolve_tables(struct decoder *decoder) {
    struct sg_profile *p = decoder->profile;
    int result;
    if ((result = map_ids(decoder, &decoder->functions, &decoder->function_id,
                          "it is damaged: the id of a function is 0 or occurs twice")) < 0 ||
        (result = map_ids(decoder, &decoder->mappings, &decoder->mapping_id,
                          "it is damaged: the id of a mapping is 0 or occurs twice")) < 0 ||
        (result = map_ids(decoder, &decoder->locations, &decoder->location_id,
                          "it is damaged: the id of a location is 0 or occurs twice")) < 0 ||
        (result = resolve(&decoder->functions, &decoder->line_function_id, &p->line_function)) <
            0 ||
        (result =
             resolve(&decoder->mappings, &decoder->location_mapping_id, &p->location_mapping)) < 0)
        return result;
    sg_release(&decoder->line_function_id);
    sg_release(&decoder->location_mapping_id);
    return 0;
}

static int push_location(struct decoder *decoder, uint64_t id) {
    int32_t location = sg_find_id(&decoder->locations, id);
    if (location < 0)
        return fail(decoder, "it is damaged: a sample refers to a location that is not there");
    return sg_push_i32(&decoder->profile->stack, location) < 0 ? NO_MEMORY : 0;
}

static int decode_stack(struct decoder *decoder, struct sg_reader packed) {
    struct sg_column *stack = &decoder->profile->stack;
    /* A location takes a byte at least: room for all, so the loop need not ask. */
    if (sg_reserve(stack, (size_t)(packed.end - packed.at), sizeof(int32_t)) < 0)
        return NO_MEMORY;
    int32_t *at = sg_i32(stack) + stack->n;
    uint64_t id;
    while (packed.at < packed.end) {
        if (sg_read_varint(&packed, &id) < 0)
            return fail_field(decoder, "stack");
        int32_t location = sg_find_id(&decoder->locations, id);
        if (location < 0)
            return fail(decoder, "it is damaged: a sample refers to a location that is not there");
        *at++ = location;
    }
    stack->n = (size_t)(at - sg_i32(stack));
    return 0;
}

static int decode_label(struct decoder *decoder, struct sg_reader reader, size_t sample) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[5] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return fail_field(decoder, "label");
    size_t n_strings = p->string_at.n;
    if (v[1] >= n_strings || v[2] >= n_strings || v[4] >= n_strings)
        return fail(decoder, "it is damaged: a label refers to a string that is not there");
    if (p->label_key.n >= MAX_ROWS)
        return fail(decoder, "it has too many labels");
    if (sg_push_i32(&p->label_sample, (int32_t)sample) < 0 ||
        sg_push_i32(&p->label_key, (int32_t)v[1]) < 0 ||
        sg_push_i32(&p->label_text, v[2] ? (int32_t)v[2] : -1) < 0 ||
        sg_push_i64(&p->label_number, v[2] ? 0 : (int64_t)v[3]) < 0 ||
        sg_push_i32(&p->label_unit, v[2] ? 0 : (int32_t)v[4]) < 0)
        return NO_MEMORY;
    return 0;
}

static int decode_sample(struct decoder *decoder, struct sg_reader reader, size_t sample) {
    struct sg_profile *p = decoder->profile;
    size_t n_types = p->type_name.n, n_values = 0;
    int64_t *values = sg_i64(&p->values) + sample;
    struct sg_field field;
    uint64_t value;
    int more, result = 0;
    while ((more = sg_next_field(&reader, &field)) > 0) {
        if (field.number == 1) {
            result = field.type == SG_DELIMITED ? decode_stack(decoder, field.content)
                                                : push_location(decoder, field.value);
        } else if (field.number == 2) {
            struct sg_reader packed = field.content;
            int is_packed = field.type == SG_DELIMITED;
            value = field.value;
            while (!is_packed || packed.at < packed.end) {
                if (is_packed && sg_read_varint(&packed, &value) < 0)
                    return fail_field(decoder, "value");
                if (n_values < n_types)
                    values[n_values * decoder->n_samples] = (int64_t)value;
                n_values++;
                if (!is_packed)
                    break;
            }
        } else if (field.number == 3 && field.type == SG_DELIMITED) {
            result = decode_label(decoder, field.content, sample);
        }
        if (result < 0)
            return result;
    }
    if (more < 0)
        return fail_field(decoder, "sample");
    if (n_values != n_types)
        return fail(decoder, "it is damaged: a sample has more or fewer values than there are "
                             "sample types");
    return sg_push_i64(&p->stack_start, (int64_t)p->stack.n) < 0 ? NO_MEMORY : 0;
}

/* Pass 2. */
static int decode_samples(struct decoder *decoder) {
    struct sg_profile *p = decoder->profile;
    struct sg_reader reader = {decoder->message, decoder->message + decoder->size};
    size_t n = decoder->n_samples, n_types = p->type_name.n, sample = 0;
    /* A value takes a byte at least, so what is made room for is there. */
    if (n_types && n > decoder->sample_bytes / n_types)
        return fail(decoder, "it is damaged: a sample has more or fewer values than there are "
                             "sample types");
    if (sg_reserve(&p->values, n * n_types, sizeof(int64_t)) < 0 ||
        sg_reserve(&p->stack_start, n + 1, sizeof(int64_t)) < 0 ||
        sg_reserve(&p->stack, decoder->sample_bytes / 4, sizeof(int32_t)) < 0)
        return NO_MEMORY;
    p->values.n = n * n_types;
    sg_push_i64(&p->stack_start, 0);
    const uint8_t *next_tick = reader.at;
    struct sg_field field;
    while (sg_next_field(&reader, &field) > 0) {
        if (field.number == 2 && field.type == SG_DELIMITED) {
            int result = decode_sample(decoder, field.content, sample++);
            if (result < 0)
                return result;
        }
        if (reader.at >= next_tick) {
            double done = (double)(reader.at - decoder->message) / (double)decoder->size;
            if (sg_tick(decoder->ticker, PASS_1_SHARE + (1 - PASS_1_SHARE) * done) < 0)
                return STOPPED;
            next_tick = reader.at + TICK_BYTES;
        }
    }
    return 0;
}

int sg_decode_pprof(const uint8_t *message, size_t size, struct sg_profile *profile,
                    struct sg_ticker *ticker) {
    memset(profile, 0, sizeof *profile);
    profile->period_name = profile->period_unit = -1;
    struct decoder decoder = {
        .profile = profile, .message = message, .size = size, .ticker = ticker};
    int result;
    if ((result = decode_tables(&decoder)) == 0 && (result = check_tables(&decoder)) == 0 &&
        (result = resolve_tables(&decoder)) == 0)
        result = decode_samples(&decoder);
    sg_release_id_map(&decoder.functions);
    sg_release_id_map(&decoder.mappings);
    sg_release_id_map(&decoder.locations);
    sg_release(&decoder.function_id);
    sg_release(&decoder.mapping_id);
    sg_release(&decoder.location_id);
    sg_release(&decoder.line_function_id);
    sg_release(&decoder.location_mapping_id);
    return result;
}

void sg_release_profile(struct sg_profile *profile) {
#define SG_RELEASE(name, kind) sg_release(&profile->name);
    SG_PROFILE_COLUMNS(SG_RELEASE)
#undef SG_RELEASE
}
