/* Pass 1 of decoding pprof: every message but the samples, which are counted. */
#include "pprof_parts.h"

/* A string's number from the file. What does not fit becomes one that the check will refuse. */
static int32_t to_string(uint64_t value) { return value > INT32_MAX ? INT32_MAX : (int32_t)value; }

static int decode_type(struct sg_decoder *decoder, struct sg_reader reader, uint64_t *type,
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
    return more < 0 ? sg_fail_field(decoder, "sample type") : 0;
}

static int decode_mapping(struct sg_decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[11] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return sg_fail_field(decoder, "mapping");
    int flags = (v[7] ? 1 : 0) | (v[8] ? 2 : 0) | (v[9] ? 4 : 0) | (v[10] ? 8 : 0);
    if (sg_push_u64(&decoder->mapping_id, v[1]) < 0 || sg_push_u64(&p->mapping_start, v[2]) < 0 ||
        sg_push_u64(&p->mapping_limit, v[3]) < 0 || sg_push_u64(&p->mapping_offset, v[4]) < 0 ||
        sg_push_i32(&p->mapping_filename, to_string(v[5])) < 0 ||
        sg_push_i32(&p->mapping_build_id, to_string(v[6])) < 0 ||
        sg_push_i32(&p->mapping_flags, flags) < 0)
        return SG_NO_MEMORY;
    return 0;
}

static int decode_line(struct sg_decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[4] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return sg_fail_field(decoder, "line");
    if (sg_push_u64(&decoder->line_function_id, v[1]) < 0 ||
        sg_push_i64(&p->line_number, (int64_t)v[2]) < 0 ||
        sg_push_i64(&p->line_column, (int64_t)v[3]) < 0)
        return SG_NO_MEMORY;
    return 0;
}

static int decode_location(struct sg_decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[6] = {0};
    int more, result;
    if (p->line_number.n >= SG_MAX_ROWS)
        return sg_fail(decoder, "it has too many lines");
    if (sg_push_i32(&p->location_lines, (int32_t)p->line_number.n) < 0)
        return SG_NO_MEMORY;
    while ((more = sg_next_field(&reader, &field)) > 0) {
        if (field.number == 4 && field.type == SG_DELIMITED) {
            if ((result = decode_line(decoder, field.content)) < 0)
                return result;
        } else if (field.number < sizeof v / sizeof *v) {
            v[field.number] = field.value;
        }
    }
    if (more < 0)
        return sg_fail_field(decoder, "location");
    if (sg_push_u64(&decoder->location_id, v[1]) < 0 ||
        sg_push_u64(&decoder->location_mapping_id, v[2]) < 0 ||
        sg_push_u64(&p->location_address, v[3]) < 0 ||
        sg_push_i32(&p->location_is_folded, !!v[5]) < 0)
        return SG_NO_MEMORY;
    return 0;
}

static int decode_function(struct sg_decoder *decoder, struct sg_reader reader) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[6] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return sg_fail_field(decoder, "function");
    if (sg_push_u64(&decoder->function_id, v[1]) < 0 ||
        sg_push_i32(&p->function_name, to_string(v[2])) < 0 ||
        sg_push_i32(&p->function_system_name, to_string(v[3])) < 0 ||
        sg_push_i32(&p->function_filename, to_string(v[4])) < 0 ||
        sg_push_i64(&p->function_start_line, (int64_t)v[5]) < 0)
        return SG_NO_MEMORY;
    return 0;
}

static int decode_comments(struct sg_decoder *decoder, const struct sg_field *field) {
    struct sg_column *comments = &decoder->profile->comment;
    if (field->type != SG_DELIMITED)
        return sg_push_i32(comments, to_string(field->value)) < 0 ? SG_NO_MEMORY : 0;
    struct sg_reader packed = field->content;
    uint64_t value;
    while (packed.at < packed.end) {
        if (sg_read_varint(&packed, &value) < 0)
            return sg_fail_field(decoder, "comment");
        if (sg_push_i32(comments, to_string(value)) < 0)
            return SG_NO_MEMORY;
    }
    return 0;
}

static int decode_number(struct sg_decoder *decoder, const struct sg_field *field) {
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
            return sg_fail(decoder, "it is several profiles, one behind the other");
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

static int decode_message(struct sg_decoder *decoder, const struct sg_field *field) {
    struct sg_profile *p = decoder->profile;
    uint64_t type, unit;
    int result;
    switch (field->number) {
    case 1:
        if ((result = decode_type(decoder, field->content, &type, &unit)) < 0)
            return result;
        return sg_push_i32(&p->type_name, to_string(type)) < 0 ||
                       sg_push_i32(&p->type_unit, to_string(unit)) < 0
                   ? SG_NO_MEMORY
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
                   ? SG_NO_MEMORY
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

int sg_decode_tables(struct sg_decoder *decoder) {
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
            if (sg_tick(decoder->ticker, SG_PASS_1_SHARE * done) < 0)
                return SG_STOPPED;
            next_tick = reader.at + SG_TICK_BYTES;
        }
    }
    if (more < 0)
        return sg_fail(decoder, "it is truncated or damaged");
    if (sg_push_i32(&decoder->profile->location_lines, (int32_t)decoder->profile->line_number.n))
        return SG_NO_MEMORY;
    return 0;
}
