/* Any number in the file may be wrong: every index and id is checked before it is used, and memory
 * grows only with bytes that the file has. */
#include "pprof_decoder.h"

#include <string.h>

#include "pprof_parts.h"

static int check_strings(struct sg_decoder *decoder, const struct sg_vector *column) {
    const int32_t *strings = sg_i32(column);
    for (size_t i = 0; i < column->n; i++)
        if ((size_t)strings[i] >= decoder->profile->string_at.n)
            return sg_pprof_parts_fail(decoder, "it is damaged: it refers to an undefined string");
    return 0;
}

static int check_tables(struct sg_decoder *decoder) {
    struct sg_profile *p = decoder->profile;
    size_t n_strings = p->string_at.n;
    if (n_strings == 0)
        return sg_pprof_parts_fail(decoder,
                                   "it is truncated, or not a pprof profile: it has no strings");
    if (sg_i32(&p->string_size)[0] != 0)
        return sg_pprof_parts_fail(decoder, "it is damaged: its first string is not empty");
    if (n_strings >= SG_MAX_ROWS || p->location_address.n >= SG_MAX_ROWS ||
        p->function_name.n >= SG_MAX_ROWS || decoder->at.sample >= SG_MAX_ROWS ||
        p->line_number.n >= SG_MAX_ROWS)
        return sg_pprof_parts_fail(decoder, "it has too many rows");
    if (decoder->at.label >= SG_MAX_ROWS)
        return sg_pprof_parts_fail(decoder, "it has too many labels");
    const struct sg_vector *const columns[] = {
        &p->type_name,         &p->type_unit,        &p->function_name,    &p->function_system_name,
        &p->function_filename, &p->mapping_filename, &p->mapping_build_id, &p->comment,
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (check_strings(decoder, columns[i]) < 0)
            return SG_BROKEN;
    const int64_t numbers[] = {p->drop_frames, p->keep_frames, p->default_type,
                               p->doc_url,     p->period_name, p->period_unit};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] < -1 || numbers[i] >= (int64_t)n_strings)
            return sg_pprof_parts_fail(decoder, "it is damaged: it refers to an undefined string");
    if (decoder->at.sample && p->type_name.n == 0)
        return sg_pprof_parts_fail(decoder, "it has samples but no sample types");
    return 0;
}

static int map_ids(struct sg_decoder *decoder, struct sg_id_map *map, const struct sg_vector *ids,
                   const char *text) {
    int result = sg_id_map_build(map, sg_u64(ids), ids->n);
    return result == -1 ? sg_pprof_parts_fail(decoder, text) : result;
}

/* Convert ids to positions. An unknown id becomes -1; pprof accepts such ids, too. Returns 0, or
 * SG_NO_MEMORY. */
static int resolve(const struct sg_id_map *map, const struct sg_vector *ids,
                   struct sg_vector *positions) {
    if (sg_reserve(positions, ids->n, sizeof(int32_t)) < 0)
        return SG_NO_MEMORY;
    for (size_t i = 0; i < ids->n; i++)
        sg_i32(positions)[i] = sg_id_map_find(map, sg_u64(ids)[i]);
    positions->n = ids->n;
    return 0;
}

static int resolve_tables(struct sg_decoder *decoder) {
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

int sg_pprof_decoder_decode(const uint8_t *message, size_t size, struct sg_profile *profile,
                            struct sg_progress *progress) {
    memset(profile, 0, sizeof *profile);
    profile->period_name = profile->period_unit = -1;
    struct sg_decoder decoder = {
        .profile = profile, .message = message, .size = size, .progress = progress};
    decoder.error = profile->error;
    int result;
    if (size > INT32_MAX)
        result = sg_pprof_parts_fail(&decoder, "it is larger than 2 GiB");
    else if ((result = sg_pprof_tables_decode(&decoder)) == 0 &&
             (result = check_tables(&decoder)) == 0 && (result = resolve_tables(&decoder)) == 0)
        result = sg_pprof_samples_decode(&decoder);
    sg_id_map_release(&decoder.functions);
    sg_id_map_release(&decoder.mappings);
    sg_id_map_release(&decoder.locations);
    sg_release(&decoder.parts);
    sg_release(&decoder.function_id);
    sg_release(&decoder.mapping_id);
    sg_release(&decoder.location_id);
    sg_release(&decoder.line_function_id);
    sg_release(&decoder.location_mapping_id);
    return result;
}
