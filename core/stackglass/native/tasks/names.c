/* Names of tasks: an open hash table, see names.h. */
#include "tasks/names.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/memory.h"

enum { N_PLACES = 2 * SG_MOST_TASK_NAMES, FREE = 0, BEING_WRITTEN = 1, WRITTEN = 2 };

struct place {
    _Atomic uint32_t state;
    uint32_t n_bytes;
    char text[SG_TASK_NAME_BYTES]; /* NUL-terminated */
};

/* Written by prepare and discard, while nothing reads. */
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
    sg_memory_unmap(places, N_PLACES * sizeof *places);
    places = NULL;
    atomic_store(&n_names, 0);
    atomic_store(&n_numbered, 0);
}

void sg_task_names_limit(uint32_t names, uint32_t numbered) {
    atomic_store(&most_names, names);
    atomic_store(&most_numbered, numbered);
}

/* "Task-12": made up by asyncio. */
static bool is_numbered(const char *text, size_t n_bytes) {
    static const char prefix[] = "Task-";
    size_t at = sizeof prefix - 1;
    if (n_bytes <= at || memcmp(text, prefix, at) != 0)
        return false;
    while (at < n_bytes && text[at] >= '0' && text[at] <= '9')
        at++;
    return at == n_bytes;
}

static uint32_t hash(const char *text, size_t n_bytes) { /* FNV-1a */
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n_bytes; i++)
        sum = (sum ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(sum >> 32 ^ sum);
}

/* Count one more; false = there are as many as there may be. */
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

uint32_t sg_task_names_put(const char *text, size_t n_bytes) {
    if (!places || n_bytes >= SG_TASK_NAME_BYTES)
        return SG_NO_TASK_NAME;
    for (uint32_t at = hash(text, n_bytes) % N_PLACES;; at = (at + 1) % N_PLACES) {
        struct place *place = &places[at];
        uint32_t state = atomic_load_explicit(&place->state, memory_order_acquire);
        if (state == FREE) {
            if (!take_room(is_numbered(text, n_bytes)))
                return SG_OTHER_TASKS;
            if (atomic_compare_exchange_strong(&place->state, &state, BEING_WRITTEN)) {
                memcpy(place->text, text, n_bytes);
                place->n_bytes = (uint32_t)n_bytes;
                atomic_store_explicit(&place->state, WRITTEN, memory_order_release);
                return at + 1;
            }
            atomic_fetch_sub(&n_names, 1);
            if (is_numbered(text, n_bytes))
                atomic_fetch_sub(&n_numbered, 1);
        }
        if (state == BEING_WRITTEN)
            return SG_NO_TASK_NAME; /* it may be this very name */
        if (place->n_bytes == n_bytes && memcmp(place->text, text, n_bytes) == 0)
            return at + 1;
    }
}

const char *sg_task_names_text(uint32_t number) {
    if (number == SG_OTHER_TASKS)
        return "<other tasks>";
    if (!places || !number || number > N_PLACES ||
        atomic_load_explicit(&places[number - 1].state, memory_order_acquire) != WRITTEN)
        return NULL;
    return places[number - 1].text;
}
