/* Open-addressing hash table that signal handlers fill.
 *
 *     place: FREE ──compare-and-swap──▶ BEING_WRITTEN ──release──▶ WRITTEN, for ever
 *
 * No thread waits: a handler that meets a place in state BEING_WRITTEN gives up, because it may
 * have interrupted the thread that writes there. A row is counted against the limit before its
 * place is taken, and uncounted if another thread takes the place first. There are twice as many
 * places as rows, so a search ends. */
#include "tasks/names.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/memory.h"

enum { N_PLACES = 2 * SG_MOST_TASK_NAMES, FREE = 0, BEING_WRITTEN = 1, WRITTEN = 2 };

struct place {
    _Atomic uint32_t state;
    uint32_t n_bytes;
    uint8_t row[SG_TASK_ROW_BYTES];
};

/* sg_task_names_prepare and sg_task_names_discard write it while no thread reads. */
static struct place *places; /* (N_PLACES,) */

/* Lock-free. */
static _Atomic uint32_t n_names, n_numbered;
static _Atomic uint32_t most_names = SG_MOST_TASK_NAMES, most_numbered = SG_MOST_NUMBERED_TASKS;

int sg_task_names_prepare(void) {
    if (!places)
        places = sg_memory_map(N_PLACES * sizeof *places);
    return places ? 0 : -1;
}

void sg_task_names_discard(void) {
    SG_MEMORY_DROP(places, N_PLACES * sizeof *places);
    atomic_store(&n_names, 0);
    atomic_store(&n_numbered, 0);
}

void sg_task_names_limit(uint32_t names, uint32_t numbered) {
    atomic_store(&most_names, names);
    atomic_store(&most_numbered, numbered);
}

static uint32_t hash(const uint8_t *row, size_t n_bytes) { /* FNV-1a */
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n_bytes; i++)
        sum = (sum ^ row[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(sum >> 32 ^ sum);
}

/* Increment `n`, unless it has reached `most`; then return false. */
static bool take(_Atomic uint32_t *n, uint32_t most) {
    if (atomic_fetch_add(n, 1) < most)
        return true;
    atomic_fetch_sub(n, 1);
    return false;
}

static bool take_room(bool numbered) {
    if (numbered && !take(&n_numbered, atomic_load(&most_numbered)))
        return false;
    if (take(&n_names, atomic_load(&most_names)))
        return true;
    if (numbered)
        atomic_fetch_sub(&n_numbered, 1);
    return false;
}

uint32_t sg_task_names_put(const uint8_t *row, size_t n_bytes, bool is_numbered) {
    if (!places || n_bytes > SG_TASK_ROW_BYTES)
        return SG_NO_TASK_NAME;
    for (uint32_t at = hash(row, n_bytes) % N_PLACES;; at = (at + 1) % N_PLACES) {
        struct place *place = &places[at];
        uint32_t state = atomic_load_explicit(&place->state, memory_order_acquire);
        if (state == FREE) {
            if (!take_room(is_numbered))
                return SG_OTHER_TASKS;
            if (atomic_compare_exchange_strong(&place->state, &state, BEING_WRITTEN)) {
                memcpy(place->row, row, n_bytes);
                place->n_bytes = (uint32_t)n_bytes;
                atomic_store_explicit(&place->state, WRITTEN, memory_order_release);
                return at + 1;
            }
            atomic_fetch_sub(&n_names, 1);
            if (is_numbered)
                atomic_fetch_sub(&n_numbered, 1);
        }
        if (state == BEING_WRITTEN)
            return SG_NO_TASK_NAME; /* the row that is being written may be the same */
        if (place->n_bytes == n_bytes && memcmp(place->row, row, n_bytes) == 0)
            return at + 1;
    }
}

bool sg_task_names_next(uint32_t number, size_t *at, uint32_t *key, char text[SG_TASK_NAME_BYTES]) {
    if (number == SG_OTHER_TASKS && !*at) {
        static const char others[] = "<other tasks>";
        memcpy(text, others, sizeof others);
        *key = 0;
        *at = 1;
        return true;
    }
    if (!places || !number || number > N_PLACES ||
        atomic_load_explicit(&places[number - 1].state, memory_order_acquire) != WRITTEN)
        return false;
    const struct place *place = &places[number - 1];
    if (*at + 2 > place->n_bytes)
        return false;
    *key = place->row[*at];
    size_t n = place->row[*at + 1];
    memcpy(text, place->row + *at + 2, n);
    text[n] = 0;
    *at += 2 + n;
    return true;
}
