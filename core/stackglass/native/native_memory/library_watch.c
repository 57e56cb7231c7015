/* Library watch: the loader counts loads and unloads; a change of their sum starts a second of
 * short pauses. The counts are read without a system call. */
#include "native_memory/library_watch.h"

#include "platform/loaded_libraries.h"
#include "platform/time.h"

enum {
    WATCH_NS = 1000 * 1000 * 1000,
    SHORT_NS = 2 * 1000 * 1000,
    WORK_PART = 8, /* a pause is at least so many times as long as the look before it */
    NS_A_MS = 1000 * 1000,
};

/* Of the thread that looks, and of the one that resets while it does not. */
static unsigned long long n_changes; /* loads and unloads up to the last look; 0 = no look yet */
static int64_t began_ns, watched_until_ns, look_after_ns;

void sg_library_watch_begin_look(void) {
    struct sg_library_counts now = sg_loaded_libraries_count();
    began_ns = sg_time_mono_ns();
    if (now.n_loads + now.n_unloads == n_changes)
        return;
    n_changes = now.n_loads + now.n_unloads;
    watched_until_ns = began_ns + WATCH_NS;
}

void sg_library_watch_end_look(void) {
    int64_t now_ns = sg_time_mono_ns(), pause_ns = (now_ns - began_ns) * WORK_PART;
    look_after_ns = now_ns + (pause_ns > SHORT_NS ? pause_ns : SHORT_NS);
}

int sg_library_watch_pause_ms(int most_ms) {
    int64_t now_ns = sg_time_mono_ns();
    if (now_ns >= watched_until_ns)
        return most_ms;
    int64_t pause_ms = (look_after_ns - now_ns + NS_A_MS - 1) / NS_A_MS;
    return pause_ms > most_ms ? most_ms : pause_ms < 1 ? 1 : (int)pause_ms;
}

void sg_library_watch_reset(void) { n_changes = 0; }
