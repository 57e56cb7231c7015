/* Pass 2 of decoding pprof: the samples. Ids of locations become positions.
 *
 * Threads take the parts that pass 1 has marked, in the order of the file. A part has rows of its
 * own in every column, so the only state that threads share for writing is struct work. If parts
 * are damaged, the error of the first one in the file is reported: all parts before it were
 * decoded, because parts are taken in order.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "pprof_parts.h"
#include "worker_threads.h"

/* State of decoding one part. */
struct part {
    struct sg_decoder decoder; /* a copy with an `error` of its own */
    struct sg_sample_part at;  /* rows of the next sample, location and label */
    int has_units;             /* a label with a unit was seen */
};

static int decode_location(struct part *part, uint64_t id) {
    int32_t location = sg_id_map_find(&part->decoder.locations, id);
    if (location < 0)
        return sg_pprof_parts_fail(&part->decoder,
                                   "it is damaged: a sample refers to an undefined location");
    sg_i32(&part->decoder.profile->stack)[part->at.location++] = location;
    return 0;
}

/* Decode a packed list of location ids. This is the innermost loop of all, so its variables are
 * local copies, which can stay in registers. */
static int decode_stack(struct part *part, struct sg_reader packed) {
    const struct sg_id_map locations = part->decoder.locations;
    int32_t *first = sg_i32(&part->decoder.profile->stack), *at = first + part->at.location;
    uint64_t id;
    while (packed.at < packed.end) {
        if (sg_read_varint(&packed, &id) < 0)
            return sg_pprof_parts_fail_field(&part->decoder, "stack");
        int32_t location = sg_id_map_find(&locations, id);
        if (location < 0)
            return decode_location(part, id); /* sets the error */
        *at++ = location;
    }
    part->at.location = (size_t)(at - first);
    return 0;
}

static int decode_label(struct part *part, struct sg_reader reader) {
    struct sg_decoder *decoder = &part->decoder;
    struct sg_profile *p = decoder->profile;
    struct sg_field field;
    uint64_t v[PPROF_LABEL_NUM_UNIT + 1] = {0};
    int more;
    while ((more = sg_next_field(&reader, &field)) > 0)
        if (field.number < sizeof v / sizeof *v)
            v[field.number] = field.value;
    if (more < 0)
        return sg_pprof_parts_fail_field(decoder, "label");
    size_t n_strings = p->string_at.n, label = part->at.label++;
    if (v[PPROF_LABEL_KEY] >= n_strings || v[PPROF_LABEL_STR] >= n_strings ||
        v[PPROF_LABEL_NUM_UNIT] >= n_strings)
        return sg_pprof_parts_fail(decoder, "it is damaged: a label refers to an undefined string");
    int is_text = v[PPROF_LABEL_STR] != 0;
    sg_i32(&p->label_sample)[label] = (int32_t)part->at.sample;
    sg_i32(&p->label_key)[label] = (int32_t)v[PPROF_LABEL_KEY];
    sg_i32(&p->label_text)[label] = is_text ? (int32_t)v[PPROF_LABEL_STR] : -1;
    sg_i64(&p->label_number)[label] = is_text ? 0 : (int64_t)v[PPROF_LABEL_NUM];
    if (!is_text && v[PPROF_LABEL_NUM_UNIT]) {
        sg_i32(&p->label_unit)[label] = (int32_t)v[PPROF_LABEL_NUM_UNIT];
        part->has_units = 1;
    }
    return 0;
}

static int decode_sample(struct part *part, struct sg_reader reader) {
    struct sg_decoder *decoder = &part->decoder;
    struct sg_profile *p = decoder->profile;
    size_t n_types = p->type_name.n, n_values = 0, n_samples = decoder->at.sample;
    int64_t *values = sg_i64(&p->values) + part->at.sample;
    struct sg_field field;
    uint64_t value;
    int more, result = 0;
    while ((more = sg_next_field(&reader, &field)) > 0) {
        if (field.number == PPROF_SAMPLE_LOCATION_ID) {
            result = field.type == SG_DELIMITED ? decode_stack(part, field.content)
                                                : decode_location(part, field.value);
        } else if (field.number == PPROF_SAMPLE_VALUE) {
            struct sg_reader packed = field.content;
            int is_packed = field.type == SG_DELIMITED;
            value = field.value;
            while (!is_packed || packed.at < packed.end) {
                if (is_packed && sg_read_varint(&packed, &value) < 0)
                    return sg_pprof_parts_fail_field(decoder, "value");
                if (n_values < n_types)
                    values[n_values * n_samples] = (int64_t)value;
                n_values++;
                if (!is_packed)
                    break;
            }
        } else if (field.number == PPROF_SAMPLE_LABEL && field.type == SG_DELIMITED) {
            result = decode_label(part, field.content);
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
    sg_i64(&p->stack_start)[++part->at.sample] = (int64_t)part->at.location;
    return 0;
}

/* State that the threads share. */
struct work {
    const struct sg_decoder *decoder;
    char (*errors)[SG_ERROR_BYTES]; /* (n_parts) each is written only by its part's thread */
    atomic_size_t n_taken;          /* parts that threads have taken */
    atomic_int is_over; /* a part is damaged, or the progress has stopped the decoding */
    atomic_int has_units;
};

static int decode_part(struct work *work, size_t number) {
    const struct sg_vector *parts = &work->decoder->parts;
    const struct sg_sample_part *start = (struct sg_sample_part *)(void *)parts->data + number;
    struct part part = {.decoder = *work->decoder, .at = *start};
    part.decoder.error = work->errors[number];
    const uint8_t *message = work->decoder->message;
    size_t end = number + 1 < parts->n ? start[1].byte : work->decoder->size;
    struct sg_reader reader = {message + start->byte, message + end};
    struct sg_field field;
    int result = 0;
    while (result == 0 && sg_next_field(&reader, &field) > 0)
        if (field.number == PPROF_PROFILE_SAMPLE && field.type == SG_DELIMITED)
            result = decode_sample(&part, field.content);
    if (part.has_units)
        atomic_store(&work->has_units, 1);
    return result;
}

/* Decode parts until none are left. `progress`: NULL in a worker thread. */
static int take_parts(struct work *work, struct sg_progress *progress) {
    size_t n_parts = work->decoder->parts.n, number;
    while (!atomic_load(&work->is_over) &&
           (number = atomic_fetch_add(&work->n_taken, 1)) < n_parts) {
        double done = (double)number / (double)n_parts;
        if (progress &&
            sg_progress_report(progress, SG_PASS_1_SHARE + (1 - SG_PASS_1_SHARE) * done) < 0) {
            atomic_store(&work->is_over, 1);
            return SG_STOPPED;
        }
        if (decode_part(work, number) < 0)
            atomic_store(&work->is_over, 1);
    }
    return 0;
}

static void *help(void *work) {
    take_parts(work, NULL);
    return NULL;
}

/* Reserve rows for all that pass 1 has counted. The file limits their number, because an id takes
 * at least one byte. Returns 0, or SG_NO_MEMORY. */
static int reserve_rows(struct sg_decoder *decoder) {
    struct sg_profile *p = decoder->profile;
    size_t n_samples = decoder->at.sample, n_labels = decoder->at.label;
    size_t n_values = n_samples * p->type_name.n;
    if (sg_reserve(&p->values, n_values, sizeof(int64_t)) < 0 ||
        sg_reserve(&p->stack_start, n_samples + 1, sizeof(int64_t)) < 0 ||
        sg_reserve(&p->stack, decoder->at.location, sizeof(int32_t)) < 0 ||
        sg_reserve(&p->label_sample, n_labels, sizeof(int32_t)) < 0 ||
        sg_reserve(&p->label_key, n_labels, sizeof(int32_t)) < 0 ||
        sg_reserve(&p->label_text, n_labels, sizeof(int32_t)) < 0 ||
        sg_reserve(&p->label_number, n_labels, sizeof(int64_t)) < 0 ||
        sg_reserve(&p->label_unit, n_labels, sizeof(int32_t)) < 0)
        return SG_NO_MEMORY;
    if (n_labels && !p->label_unit.mapped_bytes) /* a new mapping is all zeros */
        memset(p->label_unit.data, 0, n_labels * sizeof(int32_t));
    p->values.n = n_values;
    p->stack_start.n = n_samples + 1;
    p->stack.n = decoder->at.location;
    p->label_sample.n = p->label_key.n = p->label_text.n = n_labels;
    p->label_number.n = p->label_unit.n = n_labels;
    sg_i64(&p->stack_start)[0] = 0;
    return 0;
}

int sg_pprof_samples_decode(struct sg_decoder *decoder) {
    struct sg_profile *p = decoder->profile;
    size_t n_types = p->type_name.n, n_parts = decoder->parts.n;
    /* A value takes at least one byte, so the file limits the number of values, too. */
    if (n_types && decoder->at.sample > decoder->sample_bytes / n_types)
        return sg_pprof_parts_fail(
            decoder, "it is damaged: a sample has more or fewer values than there are "
                     "sample types");
    struct work work = {.decoder = decoder, .errors = calloc(n_parts + 1, SG_ERROR_BYTES)};
    if (!work.errors || reserve_rows(decoder) < 0) {
        free(work.errors);
        return SG_NO_MEMORY;
    }
    struct sg_worker_threads workers = {.n = 0};
    if (n_parts > 1)
        sg_worker_threads_start(&workers, help, &work);
    int result = take_parts(&work, decoder->progress);
    sg_worker_threads_join(&workers);
    for (size_t i = 0; i < n_parts && result == 0; i++)
        if (work.errors[i][0])
            result = sg_pprof_parts_fail(decoder, work.errors[i]);
    if (!atomic_load(&work.has_units))
        sg_release(&p->label_unit);
    free(work.errors);
    return result;
}
