/* Pass 1 of decoding pprof: every message but the samples, whose locations and labels are counted.
 */
#include <stdio.h>
#include <string.h>

#include "pprof_parts.h"

/* Convert a string's number from the file. One that is too large becomes INT32_MAX, which
 * check_strings refuses. */
static int32_t to_string(uint64_t value) { return value > INT32_MAX ? INT32_MAX : (int32_t)value; }

static int decode_type(struct sg_decoder *decoder, struct sg_reader reader, uint64_t *type,
                       uint64_t *unit) {
    struct sg_field field;
    int more;
    *type = *unit = 0;
    while ((more = sg_next_field(&reader, &field)) > 0) {
        if (field.number == PPROF_VALUE_TYPE_TYPE)
            *type = field.value;
        else if (field.number == PPROF_VALUE_TYPE_UNIT)
            *unit = field.value;
    }
    return more < 0 ? sg_pprof_parts_fail_field(decoder, "sample type") : 0;
}

static int decode_mapping(struct sg_decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[PPROF_MAPPING_HAS_INLINE_FRAMES + 1] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return sg_pprof_parts_fail_field(decoder, "mapping");
    int flags =
        (v[PPROF_MAPPING_HAS_FUNCTIONS] ? 1 : 0) | (v[PPROF_MAPPING_HAS_FILENAMES] ? 2 : 0) |
        (v[PPROF_MAPPING_HAS_LINE_NUMBERS] ? 4 : 0) | (v[PPROF_MAPPING_HAS_INLINE_FRAMES] ? 8 : 0);
    if (sg_push_u64(&decoder->mapping_id, v[PPROF_MAPPING_ID]) < 0 ||
        sg_push_u64(&p->mapping_start, v[PPROF_MAPPING_MEMORY_START]) < 0 ||
        sg_push_u64(&p->mapping_limit, v[PPROF_MAPPING_MEMORY_LIMIT]) < 0 ||
        sg_push_u64(&p->mapping_offset, v[PPROF_MAPPING_FILE_OFFSET]) < 0 ||
        sg_push_i32(&p->mapping_filename, to_string(v[PPROF_MAPPING_FILENAME])) < 0 ||
        sg_push_i32(&p->mapping_build_id, to_string(v[PPROF_MAPPING_BUILD_ID])) < 0 ||
        sg_push_i32(&p->mapping_flags, flags) < 0)
        return SG_NO_MEMORY;
    return 0;
}

static int decode_line(struct sg_decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[PPROF_LINE_COLUMN + 1] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return sg_pprof_parts_fail_field(decoder, "line");
    if (sg_push_u64(&decoder->line_function_id, v[PPROF_LINE_FUNCTION_ID]) < 0 ||
        sg_push_sparse_i64(&p->line_column, p->line_number.n, (int64_t)v[PPROF_LINE_COLUMN]) < 0 ||
        sg_push_i64(&p->line_number, (int64_t)v[PPROF_LINE_LINE]) < 0)
        return SG_NO_MEMORY;
    return 0;
}

static int decode_location(struct sg_decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[PPROF_LOCATION_IS_FOLDED + 1] = {0};
    int more, result;
    if (p->line_number.n >= SG_MAX_ROWS)
        return sg_pprof_parts_fail(decoder, "it has too many lines");
    if (sg_push_i32(&p->location_lines, (int32_t)p->line_number.n) < 0)
        return SG_NO_MEMORY;
    while ((more = sg_next_field(&reader, &field)) > 0) {
        if (field.number == PPROF_LOCATION_LINE && field.type == SG_DELIMITED) {
            if ((result = decode_line(decoder, field.content)) < 0)
                return result;
        } else if (field.number < sizeof v / sizeof *v) {
            v[field.number] = field.value;
        }
    }
    if (more < 0)
        return sg_pprof_parts_fail_field(decoder, "location");
    if (sg_push_u64(&decoder->location_id, v[PPROF_LOCATION_ID]) < 0 ||
        sg_push_u64(&decoder->location_mapping_id, v[PPROF_LOCATION_MAPPING_ID]) < 0 ||
        sg_push_u64(&p->location_address, v[PPROF_LOCATION_ADDRESS]) < 0 ||
        sg_push_i32(&p->location_is_folded, !!v[PPROF_LOCATION_IS_FOLDED]) < 0)
        return SG_NO_MEMORY;
    return 0;
}

static int decode_function(struct sg_decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[PPROF_FUNCTION_START_LINE + 1] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return sg_pprof_parts_fail_field(decoder, "function");
    if (sg_push_u64(&decoder->function_id, v[PPROF_FUNCTION_ID]) < 0 ||
        sg_push_i32(&p->function_name, to_string(v[PPROF_FUNCTION_NAME])) < 0 ||
        sg_push_i32(&p->function_system_name, to_string(v[PPROF_FUNCTION_SYSTEM_NAME])) < 0 ||
        sg_push_i32(&p->function_filename, to_string(v[PPROF_FUNCTION_FILENAME])) < 0 ||
        sg_push_i64(&p->function_start_line, (int64_t)v[PPROF_FUNCTION_START_LINE]) < 0)
        return SG_NO_MEMORY;
    return 0;
}

static int decode_comments(struct sg_decoder *decoder, const struct sg_field *field) {
    struct sg_vector *comments = &decoder->profile->comment;
    if (field->type != SG_DELIMITED)
        return sg_push_i32(comments, to_string(field->value)) < 0 ? SG_NO_MEMORY : 0;
    struct sg_reader packed = field->content;
    uint64_t value;
    while (packed.at < packed.end) {
        if (sg_read_varint(&packed, &value) < 0)
            return sg_pprof_parts_fail_field(decoder, "comment");
        if (sg_push_i32(comments, to_string(value)) < 0)
            return SG_NO_MEMORY;
    }
    return 0;
}

static int decode_number(struct sg_decoder *decoder, const struct sg_field *field) {
    struct sg_profile *p = decoder->profile;
    int64_t value = (int64_t)field->value;
    switch (field->number) {
    case PPROF_PROFILE_DROP_FRAMES:
        p->drop_frames = to_string(field->value);
        break;
    case PPROF_PROFILE_KEEP_FRAMES:
        p->keep_frames = to_string(field->value);
        break;
    case PPROF_PROFILE_TIME_NANOS:
        if (decoder->has_time)
            return sg_pprof_parts_fail(decoder, "it is several profiles, one behind the other");
        decoder->has_time = value != 0;
        p->time_ns = value;
        break;
    case PPROF_PROFILE_DURATION_NANOS:
        p->duration_ns = value;
        break;
    case PPROF_PROFILE_PERIOD:
        p->period = value;
        break;
    case PPROF_PROFILE_DEFAULT_SAMPLE_TYPE:
        p->default_type = to_string(field->value);
        break;
    case PPROF_PROFILE_DOC_URL:
        p->doc_url = to_string(field->value);
        break;
    }
    return 0;
}

/* Count the varints in a packed field; each ends with a byte below 0x80. For eight bytes at a time,
 * a multiplication adds up their inverted high bits in the topmost byte. */
static size_t count_varints(struct sg_reader packed) {
    const uint64_t ones = 0x0101010101010101u;
    size_t n = 0;
    for (uint64_t bytes; packed.end - packed.at >= 8; packed.at += 8) {
        memcpy(&bytes, packed.at, sizeof bytes);
        n += (size_t)((~bytes >> 7 & ones) * ones >> 56);
    }
    for (; packed.at < packed.end; packed.at++)
        n += *packed.at < 0x80;
    return n;
}

/* Count a sample, whose field begins at `field_start`, and begin a part with it if the last one has
 * 4 MB. Pass 2 reports what is wrong inside a sample; until then it finds no more locations and
 * labels than are counted here. */
static int count_sample(struct sg_decoder *decoder, const uint8_t *field_start,
                        struct sg_reader sample) {
    struct sg_sample_part *at = &decoder->at;
    size_t byte = (size_t)(field_start - decoder->message);
    if (at->sample == 0 || byte - at->byte >= SG_PART_BYTES) {
        at->byte = byte;
        if (sg_reserve(&decoder->parts, 1, sizeof *at) < 0)
            return SG_NO_MEMORY;
        ((struct sg_sample_part *)(void *)decoder->parts.data)[decoder->parts.n++] = *at;
    }
    at->sample++;
    decoder->sample_bytes += (size_t)(sample.end - sample.at);
    struct sg_field field;
    while (sg_next_field(&sample, &field) > 0) {
        if (field.number == PPROF_SAMPLE_LOCATION_ID)
            at->location += field.type == SG_DELIMITED ? count_varints(field.content) : 1;
        else if (field.number == PPROF_SAMPLE_LABEL && field.type == SG_DELIMITED)
            at->label++;
    }
    return 0;
}

/* Decode a delimited field; `start` is where it begins, with its number and size. */
static int decode_message(struct sg_decoder *decoder, const uint8_t *start,
                          const struct sg_field *field) {
    struct sg_profile *p = decoder->profile;
    uint64_t type, unit;
    int result;
    switch (field->number) {
    case PPROF_PROFILE_SAMPLE_TYPE:
        if (p->type_name.n >= SG_MAX_TYPES)
            return sg_pprof_parts_fail(decoder, "it has too many sample types");
        if ((result = decode_type(decoder, field->content, &type, &unit)) < 0)
            return result;
        return sg_push_i32(&p->type_name, to_string(type)) < 0 ||
                       sg_push_i32(&p->type_unit, to_string(unit)) < 0
                   ? SG_NO_MEMORY
                   : 0;
    case PPROF_PROFILE_SAMPLE:
        return count_sample(decoder, start, field->content);
    case PPROF_PROFILE_MAPPING:
        return decode_mapping(decoder, field->content);
    case PPROF_PROFILE_LOCATION:
        return decode_location(decoder, field->content);
    case PPROF_PROFILE_FUNCTION:
        return decode_function(decoder, field->content);
    case PPROF_PROFILE_STRING_TABLE:
        return sg_push_i32(&p->string_at, (int32_t)(field->content.at - decoder->message)) < 0 ||
                       sg_push_i32(&p->string_size,
                                   (int32_t)(field->content.end - field->content.at)) < 0
                   ? SG_NO_MEMORY
                   : 0;
    case PPROF_PROFILE_PERIOD_TYPE:
        if ((result = decode_type(decoder, field->content, &type, &unit)) < 0)
            return result;
        p->period_name = to_string(type);
        p->period_unit = to_string(unit);
        return 0;
    case PPROF_PROFILE_COMMENT:
        return decode_comments(decoder, field);
    }
    return 0;
}

/* Set the error that the field at offset `at` cannot be read. Returns SG_BROKEN. */
static int fail_at(struct sg_decoder *decoder, size_t at) {
    char text[SG_ERROR_BYTES];
    snprintf(text, sizeof text,
             "it is truncated or damaged: its field at byte %zu of %zu cannot be read", at,
             decoder->size);
    return sg_pprof_parts_fail(decoder, text);
}

int sg_pprof_tables_decode(struct sg_decoder *decoder) {
    struct sg_reader reader = {decoder->message, decoder->message + decoder->size};
    const uint8_t *next_report = reader.at, *start = reader.at;
    struct sg_field field;
    int more, result;
    for (; (more = sg_next_field(&reader, &field)) > 0; start = reader.at) {
        if (field.type == SG_DELIMITED)
            result = decode_message(decoder, start, &field);
        else if (field.number == PPROF_PROFILE_COMMENT)
            result = decode_comments(decoder, &field);
        else
            result = decode_number(decoder, &field);
        if (result < 0)
            return result;
        if (reader.at >= next_report) {
            double done = (double)(reader.at - decoder->message) / (double)decoder->size;
            if (sg_progress_report(decoder->progress, SG_PASS_1_SHARE * done) < 0)
                return SG_STOPPED;
            next_report = reader.at + SG_PART_BYTES;
        }
    }
    if (more < 0)
        return fail_at(decoder, (size_t)(start - decoder->message));
    if (sg_push_i32(&decoder->profile->location_lines, (int32_t)decoder->profile->line_number.n))
        return SG_NO_MEMORY;
    return 0;
}
