/* Rows by slot, each stamped with the number of its last change (n_taken).
 *
 *     program's counts ─▶ row: count, stamp ──stack named──▶ to each client whose last message
 *                                                            is older than the stamp
 *
 * So no client needs a queue. If a slot's serial has changed, it has another stack, and the row
 * starts again. A row that gets its names is stamped again, because no client has received it. */
#include "wire/custom_profiles_stream.h"

#include <stdlib.h>
#include <string.h>

#include "custom/counted_stacks.h"
#include "wire/messages.h"

enum { MOST_STEPS = 16 }; /* calls of sg_counted_stacks_take per turn of the writer */

static void unwatch(struct sg_custom_profiles_stream *stream) {
    if (stream->is_watching)
        sg_counted_stacks_unwatch();
    for (size_t i = 0; i < stream->rows.n; i++)
        free(stream->rows.at[i].frames);
    SG_ROWS_FREE(&stream->rows);
    stream->n_waiting = 0;
    stream->is_watching = stream->has_more = false;
}

void sg_custom_profiles_stream_close(struct sg_custom_profiles_stream *stream) { unwatch(stream); }

/* ---- From the program ---- */

static bool begin_row(struct sg_custom_profiles_stream *stream, struct sg_custom_row *row,
                      const struct sg_counted_stack *stack) {
    size_t size = stack->depth * sizeof *stack->frames;
    struct sg_frame *frames = malloc(size ? size : 1);
    if (!frames)
        return false;
    memcpy(frames, stack->frames, size);
    if (row->serial && row->node == SG_NO_NODE)
        stream->n_waiting--;
    stream->n_waiting++;
    free(row->frames);
    *row = (struct sg_custom_row){.serial = stack->serial,
                                  .profile = stack->profile,
                                  .node = SG_NO_NODE,
                                  .frames = frames,
                                  .depth = stack->depth};
    return true;
}

static void take(void *context, const struct sg_counted_stack *stack) {
    struct sg_custom_profiles_stream *stream = context;
    bool has_room = true;
    while (has_room && stream->rows.n <= stack->slot)
        has_room = SG_ROWS_ADD(&stream->rows, (struct sg_custom_row){.node = SG_NO_NODE});
    struct sg_custom_row *row = has_room ? &stream->rows.at[stack->slot] : NULL;
    if (!row || (row->serial != stack->serial && !begin_row(stream, row, stack))) {
        stream->n_refused++;
        return;
    }
    row->count = stack->count;
    row->n_taken = ++stream->n_taken;
}

/* Return the node of a row's stack. A stack without frames gets a single pseudo-frame; the
 * program's argument `skip` can remove all of them. */
static uint32_t find_node(struct sg_stacks *stacks, const struct sg_custom_row *row, bool is_last) {
    static const struct sg_frame lost = {SG_LOST_EVENT, -1};
    const struct sg_frame *frames = row->depth ? row->frames : &lost;
    uint32_t depth = row->depth ? row->depth : 1;
    return sg_stacks_node(stacks, frames, depth, is_last);
}

static void name(struct sg_custom_profiles_stream *stream, struct sg_stacks *stacks, bool is_last) {
    for (size_t i = 0; stream->n_waiting && i < stream->rows.n; i++) {
        struct sg_custom_row *row = &stream->rows.at[i];
        if (!row->serial || row->node != SG_NO_NODE)
            continue;
        row->node = find_node(stacks, row, is_last);
        if (row->node == SG_NO_NODE)
            continue;
        free(row->frames);
        row->frames = NULL;
        row->n_taken = ++stream->n_taken; /* clients have not received it */
        stream->n_waiting--;
    }
}

static bool is_wanted(const struct sg_clients *clients) {
    for (size_t i = 0; i < clients->n; i++)
        if (clients->at[i]->wants_custom_profiles)
            return true;
    return false;
}

void sg_custom_profiles_stream_take(struct sg_custom_profiles_stream *stream,
                                    struct sg_stacks *stacks, const struct sg_clients *clients,
                                    bool is_last) {
    bool is_watched = is_wanted(clients);
    if (is_watched && !stream->is_watching && !stream->is_ending) {
        stream->is_watching = true;
        sg_counted_stacks_watch();
    } else if (!is_watched) {
        unwatch(stream);
    }
    /* Take nothing while ending: the changes of a busy program might never end. */
    stream->has_more = stream->is_watching && !stream->is_ending;
    for (int i = 0; stream->has_more && i < MOST_STEPS; i++)
        stream->has_more = sg_counted_stacks_take(take, stream);
    name(stream, stacks, is_last);
}

/* ---- To the clients ---- */

bool sg_custom_profiles_stream_is_waiting(const struct sg_custom_profiles_stream *stream,
                                          const struct sg_clients *clients) {
    return (stream->n_waiting || stream->has_more) && is_wanted(clients);
}

/* List the slots of rows that have changed since a client's last message. Returns false if memory
 * is short. */
static bool choose(const struct sg_custom_profiles_stream *stream, uint64_t n_sent,
                   struct sg_vector *slots) {
    for (size_t i = 0; i < stream->rows.n; i++) {
        const struct sg_custom_row *row = &stream->rows.at[i];
        if (row->node != SG_NO_NODE && row->n_taken > n_sent && !sg_vector_add(slots, (uint32_t)i))
            return false;
    }
    return true;
}

static void put(const struct sg_custom_profiles_stream *stream, struct sg_client *client,
                const struct sg_vector *slots, uint32_t n_profiles, int64_t now_ns) {
    struct sg_buffer *out = &client->out;
    const struct sg_custom_row *rows = stream->rows.at;
    const uint32_t *slot = slots->values;
    struct sg_message message =
        sg_messages_begin_from_engine(out, SG_TAG_FROM_ENGINE_CUSTOM_PROFILES);
    sg_encoder_put_int(out, SG_TAG_CUSTOM_PROFILES_TIME_MONO_NS, now_ns);
    sg_encoder_put_uint(out, SG_TAG_CUSTOM_PROFILES_N_LOST,
                        sg_counted_stacks_lost() + stream->n_refused);
    for (uint32_t i = client->n_custom_names_sent; i < n_profiles; i++) {
        const char *text = sg_counted_stacks_profile_name(i);
        sg_encoder_put_string_element(out, SG_TAG_CUSTOM_PROFILES_PROFILE_NAME, text, strlen(text));
    }
    SG_PUT_COLUMN(out, SG_TAG_CUSTOM_PROFILES_ROW, slots->n, slot[i]);
    SG_PUT_COLUMN(out, SG_TAG_CUSTOM_PROFILES_ROW_PROFILE, slots->n, rows[slot[i]].profile);
    SG_PUT_COLUMN(out, SG_TAG_CUSTOM_PROFILES_ROW_NODE, slots->n, rows[slot[i]].node);
    SG_PUT_COLUMN(out, SG_TAG_CUSTOM_PROFILES_ROW_COUNT, slots->n, rows[slot[i]].count);
    sg_messages_end_from_engine(out, message);
}

void sg_custom_profiles_stream_send(const struct sg_custom_profiles_stream *stream,
                                    struct sg_clients *clients, int64_t now_ns) {
    /* Read after the rows were taken, so it counts each row's profile. */
    uint32_t n_profiles = sg_counted_stacks_n_profiles();
    for (size_t i = 0; i < clients->n; i++) {
        struct sg_client *client = clients->at[i];
        bool is_new = client->n_custom_changes_sent != stream->n_taken ||
                      client->n_custom_names_sent != n_profiles;
        if (!is_new || !client->is_up_to_date || !client->wants_custom_profiles)
            continue;
        struct sg_vector slots = {0};
        if (choose(stream, client->n_custom_changes_sent, &slots)) {
            put(stream, client, &slots, n_profiles, now_ns);
            client->n_custom_changes_sent = stream->n_taken;
            client->n_custom_names_sent = n_profiles;
        }
        sg_vector_free(&slots);
    }
}
