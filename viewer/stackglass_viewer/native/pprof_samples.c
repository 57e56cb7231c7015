/* Pass 2 of decoding pprof: samples; their references are positions already. */
#include "pprof_parts.h"

static int push_location(struct sg_decoder *decoder, uint64_t id) {
    int32_t location = sg_id_map_find(&decoder->locations, id);
    if (location < 0)
        return sg_pprof_parts_fail(decoder,
                                   "it is damaged: a sample refers to an undefined location");
    return sg_push_i32(&decoder->profile->stack, location) < 0 ? SG_NO_MEMORY : 0;
}

static int decode_stack(struct sg_decoder *decoder, struct sg_reader packed) {
    struct sg_vector *stack = &decoder->profile->stack;
    /* A location takes a byte at least: room for all, so the loop need not ask. */
    if (sg_reserve(stack, (size_t)(packed.end - packed.at), sizeof(int32_t)) < 0)
        return SG_NO_MEMORY;
    int32_t *at = sg_i32(stack) + stack->n;
    uint64_t id;
    while (packed.at < packed.end) {
        if (sg_read_varint(&packed, &id) < 0)
            return sg_pprof_parts_fail_field(decoder, "stack");
        int32_t location = sg_id_map_find(&decoder->locations, id);
        if (location < 0)
            return sg_pprof_parts_fail(decoder,
                                       "it is damaged: a sample refers to an undefined location");
        *at++ = location;
    }
    stack->n = (size_t)(at - sg_i32(stack));
    return 0;
}

static int decode_label(struct sg_decoder *decoder, struct sg_reader reader, size_t sample) {
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[PPROF_LABEL_NUM_UNIT + 1] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return sg_pprof_parts_fail_field(decoder, "label");
    size_t n_strings = p->string_at.n;
    if (v[PPROF_LABEL_KEY] >= n_strings || v[PPROF_LABEL_STR] >= n_strings ||
        v[PPROF_LABEL_NUM_UNIT] >= n_strings)
        return sg_pprof_parts_fail(decoder, "it is damaged: a label refers to an undefined string");
    if (p->label_key.n >= SG_MAX_ROWS)
        return sg_pprof_parts_fail(decoder, "it has too many labels");
    if (sg_push_i32(&p->label_sample, (int32_t)sample) < 0 ||
        sg_push_i32(&p->label_key, (int32_t)v[PPROF_LABEL_KEY]) < 0 ||
        sg_push_i32(&p->label_text, v[PPROF_LABEL_STR] ? (int32_t)v[PPROF_LABEL_STR] : -1) < 0 ||
        sg_push_sparse_i32(&p->label_unit, p->label_number.n,
                           v[PPROF_LABEL_STR] ? 0 : (int32_t)v[PPROF_LABEL_NUM_UNIT]) < 0 ||
        sg_push_i64(&p->label_number, v[PPROF_LABEL_STR] ? 0 : (int64_t)v[PPROF_LABEL_NUM]) < 0)
        return SG_NO_MEMORY;
    return 0;
}

static int decode_sample(struct sg_decoder *decoder, struct sg_reader reader, size_t sample) {
    struct sg_profile *p = decoder->profile;
    size_t n_types = p->type_name.n, n_values = 0;
    int64_t *values = sg_i64(&p->values) + sample;
    struct sg_field field;
    uint64_t value;
    int more, result = 0;
    while ((more = sg_next_field(&reader, &field)) > 0) {
        if (field.number == PPROF_SAMPLE_LOCATION_ID) {
            result = field.type == SG_DELIMITED ? decode_stack(decoder, field.content)
                                                : push_location(decoder, field.value);
        } else if (field.number == PPROF_SAMPLE_VALUE) {
            struct sg_reader packed = field.content;
            int is_packed = field.type == SG_DELIMITED;
            value = field.value;
            while (!is_packed || packed.at < packed.end) {
                if (is_packed && sg_read_varint(&packed, &value) < 0)
                    return sg_pprof_parts_fail_field(decoder, "value");
                if (n_values < n_types)
                    values[n_values * decoder->n_samples] = (int64_t)value;
                n_values++;
                if (!is_packed)
                    break;
            }
        } else if (field.number == PPROF_SAMPLE_LABEL && field.type == SG_DELIMITED) {
            result = decode_label(decoder, field.content, sample);
        }
        if (result < 0)
            return result;
    }
    if (more < 0)
        return sg_pprof_parts_fail_field(decoder, "sample");
    if (n_values != n_types)
        return sg_pprof_parts_fail(
            decoder, "it is damaged: a sample has more or fewer values than there are "
                     "sample types");
    return sg_push_i64(&p->stack_start, (int64_t)p->stack.n) < 0 ? SG_NO_MEMORY : 0;
}

int sg_pprof_samples_decode(struct sg_decoder *decoder) {
    struct sg_profile *p = decoder->profile;
    struct sg_reader reader = {decoder->message, decoder->message + decoder->size};
    size_t n = decoder->n_samples, n_types = p->type_name.n, sample = 0;
    /* A value takes a byte at least, so what is made room for is there. */
    if (n_types && n > decoder->sample_bytes / n_types)
        return sg_pprof_parts_fail(
            decoder, "it is damaged: a sample has more or fewer values than there are "
                     "sample types");
    if (sg_reserve(&p->values, n * n_types, sizeof(int64_t)) < 0 ||
        sg_reserve(&p->stack_start, n + 1, sizeof(int64_t)) < 0 ||
        sg_reserve(&p->stack, decoder->sample_bytes / 4, sizeof(int32_t)) < 0)
        return SG_NO_MEMORY;
    p->values.n = n * n_types;
    sg_push_i64(&p->stack_start, 0);
    const uint8_t *next_report = reader.at;
    struct sg_field field;
    while (sg_next_field(&reader, &field) > 0) {
        if (field.number == PPROF_PROFILE_SAMPLE && field.type == SG_DELIMITED) {
            int result = decode_sample(decoder, field.content, sample++);
            if (result < 0)
                return result;
        }
        if (reader.at >= next_report) {
            double done = (double)(reader.at - decoder->message) / (double)decoder->size;
            if (sg_progress_report(decoder->progress,
                                   SG_PASS_1_SHARE + (1 - SG_PASS_1_SHARE) * done) < 0)
                return SG_STOPPED;
            next_report = reader.at + SG_PROGRESS_BYTES;
        }
    }
    return 0;
}
