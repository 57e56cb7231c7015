/* Wrappers of three functions of the C library, and sums of the time spent in two of them. At the
 * time `now`:
 *
 *     begin     n_waiting + 1    area_ns - now
 *     end       n_waiting - 1    area_ns + now
 *     read      waited = area_ns + n_waiting * now    each wait under way lacks only its end
 *
 * So the time waited up to now is known without a list of waiters.
 *
 * Each GIL has an account, with sums for each of its two mutexes. A thread writes the sums with
 * their mutex held, when it enters and leaves pthread_cond_wait, so there is one writer at a time;
 * readers use a seqlock. While the engine makes others wait, the sums are read at the beginning and
 * at the end, and the difference is subtracted. The engine takes the main GIL only, so these are
 * the sums of that account. */
#include "gil/waits.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "gil/state.h"
#include "gil/switches.h"
#include "interpreter/got_slot.h"
#include "platform/engine_threads.h"
#include "platform/thread_ids.h"
#include "platform/time.h"

enum { MOST_READS = 1000 }; /* attempts to read a seqlock; then its writer must be descheduled */

/* Size of a cache line. A thread that releases the GIL uses only the first line of an account,
 * which changes once for each forced release; waiters write the others. */
enum { LINE_BYTES = 64 };

/* Sums of the waits with one mutex of a GIL. */
struct sums {
    _Alignas(LINE_BYTES) _Atomic uint32_t turns; /* the seqlock; odd = being written */
    _Atomic uint32_t n_waiting;
    _Atomic uint64_t n_waits;
    _Atomic uint64_t area_ns; /* sum of the ends of waits, less the sum of their beginnings */
};

/* TAKING: waits with the GIL's mutex, to take the GIL. SWITCHING: waits with its switch_mutex. */
enum { TAKING, SWITCHING, N_WAYS };
enum { TIMEDWAIT, WAIT, SIGNAL, N_IMPORTS };

struct account {
    _Alignas(LINE_BYTES) _Atomic uintptr_t gil; /* set once; 0 = the account is not in use */
    _Atomic bool is_wanted; /* a waiter's switch interval has passed: it requests the GIL */
    struct sums sums[N_WAYS];
};

static struct account accounts[SG_MOST_GILS]; /* lock-free: the head says who writes what */
static _Atomic bool is_on; /* lock-free; false: waits that begin are not counted */

/* Spans in which the engine makes others wait: see sg_gil_waits_engine_took. The two words have the
 * form │ ns: 63 │ bit │. A span is open while their bits differ, so one store opens it, and one
 * store adds its time and closes it. Lock-free. */
static _Atomic uint64_t engine_ns;       /* time waited for the main GIL in spans that are closed */
static _Atomic uint64_t engine_began;    /* time waited for it when the last span was opened */
static _Atomic bool has_engine_released; /* close the span once another thread has the GIL */
static _Atomic bool is_engine_waiting;   /* an engine thread waits for a GIL */

static int hook_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                          const struct timespec *until);
static int hook_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
static int hook_signal(pthread_cond_t *cond);

/* Patched by the sampler's thread. Restored by the same thread, by sg_gil_sampling_unprepare after
 * that thread has ended, or by a forked child. */
static struct sg_got_slot imports[N_IMPORTS] = {
    [TIMEDWAIT] = {.name = "pthread_cond_timedwait", .hook = (void *)hook_timedwait},
    [WAIT] = {.name = "pthread_cond_wait", .hook = (void *)hook_wait},
    [SIGNAL] = {.name = "pthread_cond_signal", .hook = (void *)hook_signal},
};

/* ---- Writing ---- */

static struct account *account_of(uintptr_t gil) {
    for (int i = 0; i < SG_MOST_GILS; i++) {
        uintptr_t none = 0;
        if (atomic_load_explicit(&accounts[i].gil, memory_order_relaxed) == gil ||
            atomic_compare_exchange_strong(&accounts[i].gil, &none, gil) || none == gil)
            return &accounts[i];
    }
    return NULL; /* not counted: a program with that many subinterpreters */
}

#define ADD(sum, more)                                                                             \
    atomic_store_explicit(&(sum), atomic_load_explicit(&(sum), memory_order_relaxed) + (more),     \
                          memory_order_relaxed)

/* Add to the sums. The caller holds their mutex, so there is one writer at a time. */
static void add(struct sums *sums, uint32_t n_waiting, uint64_t n_waits, uint64_t area_ns) {
    uint32_t turn = atomic_load_explicit(&sums->turns, memory_order_relaxed);
    atomic_store_explicit(&sums->turns, turn + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    ADD(sums->n_waiting, n_waiting);
    ADD(sums->n_waits, n_waits);
    ADD(sums->area_ns, area_ns);
    atomic_store_explicit(&sums->turns, turn + 2, memory_order_release);
}

static void begin(struct sums *sums) {
    int saved_errno = errno;
    uint64_t lost_ns = sg_gil_switches_close_gap();
    add(sums, 1, 0, lost_ns - sg_time_clock_ns(CLOCK_MONOTONIC));
    errno = saved_errno;
}

static void end(struct sums *sums, bool is_over) {
    add(sums, (uint32_t)-1, is_over, sg_time_clock_ns(CLOCK_MONOTONIC));
}

/* The words of the engine's last span, read together. */
struct span {
    uint64_t ns, began;
};

static struct span read_span(void) {
    struct span span;
    do {
        span.ns = atomic_load(&engine_ns);
        span.began = atomic_load(&engine_began);
    } while (atomic_load(&engine_ns) != span.ns);
    return span;
}

static bool is_open(struct span span) { return (span.ns ^ span.began) & 1; }

/* Was the span open when it was read, and is it still? */
static bool is_still_open(struct span span) {
    return is_open(span) && atomic_load(&engine_ns) == span.ns;
}

/* Is this the GIL that the engine takes? */
static bool is_main(uintptr_t gil) { return gil == sg_gil_state_main(); }

static bool is_counting(void) { return atomic_load_explicit(&is_on, memory_order_relaxed); }

static bool is_engine(void) {
    int saved_errno = errno;
    bool is_engine = sg_engine_threads_has(sg_thread_ids_own());
    errno = saved_errno;
    return is_engine;
}

static struct account *find_account(pthread_cond_t *cond, pthread_mutex_t *mutex, bool is_switch) {
    int saved_errno = errno;
    uintptr_t gil = is_switch ? sg_gil_state_of_switch(cond, mutex) : sg_gil_state_of(cond, mutex);
    errno = saved_errno;
    return gil ? account_of(gil) : NULL;
}

/* Wait on an engine thread; the wait is not counted. pthread_cond_timedwait returns with the mutex
 * held: if the GIL is free at that moment, the engine takes it. */
static int wait_as_engine(pthread_cond_t *cond, pthread_mutex_t *mutex,
                          const struct timespec *until) {
    int saved_errno = errno;
    uintptr_t gil = sg_gil_state_of(cond, mutex);
    errno = saved_errno;
    atomic_store(&is_engine_waiting, gil != 0);
    int result = pthread_cond_timedwait(cond, mutex, until);
    /* In this order: the thread that has released the GIL may begin to wait at any moment, and the
     * engine causes each such wait. */
    if (gil && sg_gil_state_is_free(gil))
        sg_gil_waits_engine_took();
    atomic_store(&is_engine_waiting, false);
    return result;
}

static int hook_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                          const struct timespec *until) {
    if (is_counting() && is_engine())
        return wait_as_engine(cond, mutex, until);
    struct account *account = is_counting() ? find_account(cond, mutex, false) : NULL;
    if (!account)
        return pthread_cond_timedwait(cond, mutex, until);
    uintptr_t gil = atomic_load(&account->gil);
    struct span span = read_span();
    begin(&account->sums[TAKING]);
    int result = pthread_cond_timedwait(cond, mutex, until);
    /* The mutex is held: if the GIL is free, this thread takes it now; if not, it waits on. */
    bool is_free = sg_gil_state_is_free(gil);
    if (result == ETIMEDOUT && !is_free)
        atomic_store_explicit(&account->is_wanted, true, memory_order_relaxed);
    bool is_for_engine = is_main(gil) && is_still_open(span);
    end(&account->sums[TAKING], is_free && !is_for_engine);
    if (is_free)
        sg_gil_waits_program_has(gil);
    return result;
}

/* Is the engine the only one that waits for the GIL that this thread has released? */
static bool is_made_by_engine(const struct account *account) {
    return atomic_load(&is_engine_waiting) &&
           !atomic_load_explicit(&account->sums[TAKING].n_waiting, memory_order_relaxed);
}

static int hook_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    struct account *account =
        is_counting() && !is_engine() ? find_account(cond, mutex, true) : NULL;
    if (!account || is_made_by_engine(account))
        return pthread_cond_wait(cond, mutex);
    begin(&account->sums[SWITCHING]);
    int result = pthread_cond_wait(cond, mutex);
    end(&account->sums[SWITCHING], false);
    sg_gil_switches_open_gap();
    return result;
}

/* The interpreter calls this for each condition that it signals. For the condition of a GIL the
 * caller releases the GIL, and holds the GIL's mutex. */
static int hook_signal(pthread_cond_t *cond) {
    for (int i = 0; i < SG_MOST_GILS && is_counting(); i++) {
        uintptr_t gil = atomic_load_explicit(&accounts[i].gil, memory_order_relaxed);
        if (!gil)
            break;
        if (!sg_gil_state_is_cond_of(gil, cond))
            continue;
        if (atomic_load_explicit(&accounts[i].is_wanted, memory_order_relaxed)) {
            atomic_store_explicit(&accounts[i].is_wanted, false, memory_order_relaxed);
            sg_gil_switches_open_gap();
        }
        break;
    }
    return pthread_cond_signal(cond);
}

/* ---- Reading ---- */

static bool read_once(const struct sums *from, struct sg_gil_account *account) {
    uint32_t turn = atomic_load_explicit(&from->turns, memory_order_acquire);
    uint32_t n_waiting = atomic_load_explicit(&from->n_waiting, memory_order_relaxed);
    uint64_t n_waits = atomic_load_explicit(&from->n_waits, memory_order_relaxed);
    uint64_t area_ns = atomic_load_explicit(&from->area_ns, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (turn % 2 || atomic_load_explicit(&from->turns, memory_order_relaxed) != turn)
        return false;
    account->n_waiting += n_waiting;
    account->n_waits += n_waits;
    account->waited_ns += area_ns + n_waiting * sg_time_clock_ns(CLOCK_MONOTONIC);
    return true;
}

static bool read_sums(const struct sums *from, struct sg_gil_account *account) {
    for (int n = 0; n < MOST_READS; n++) {
        if (read_once(from, account))
            return true;
    }
    return false;
}

bool sg_gil_waits_read(size_t i, struct sg_gil_account *account) {
    struct sg_gil_account read = {.gil = i < SG_MOST_GILS ? atomic_load(&accounts[i].gil) : 0};
    *account = read;
    if (!read.gil || !read_sums(&accounts[i].sums[TAKING], &read) ||
        !read_sums(&accounts[i].sums[SWITCHING], &read))
        return false;
    *account = read;
    return true;
}

bool sg_gil_waits_sum(struct sg_gil_sums *sums) {
    struct sg_gil_account account;
    *sums = (struct sg_gil_sums){0};
    for (size_t i = 0; i < SG_MOST_GILS && atomic_load(&accounts[i].gil); i++) {
        if (!sg_gil_waits_read(i, &account))
            return false;
        sums->n_waits += account.n_waits;
        sums->waited_ns += account.waited_ns;
        if (is_main(account.gil))
            sums->main_ns = account.waited_ns;
    }
    return true;
}

/* Read the account of the main GIL, which is empty if no thread has waited for it yet. */
static bool read_main(struct sg_gil_account *account) {
    *account = (struct sg_gil_account){0};
    for (size_t i = 0; i < SG_MOST_GILS && atomic_load(&accounts[i].gil); i++) {
        if (is_main(atomic_load(&accounts[i].gil)))
            return sg_gil_waits_read(i, account);
    }
    return true;
}

/* ---- Holds of the engine ---- */

void sg_gil_waits_engine_took(void) {
    struct sg_gil_account account;
    struct span span = read_span();
    atomic_store(&has_engine_released, false);
    if (!is_open(span) && read_main(&account))
        atomic_compare_exchange_strong(&engine_began, &span.began,
                                       account.waited_ns << 1 | (~span.ns & 1));
}

/* Close the span, if one is open. Returns false if a descheduled thread is writing the sums: then
 * the span stays open. */
static bool close_span(void) {
    struct sg_gil_account account;
    struct span span = read_span();
    if (!is_open(span))
        return true;
    if (!read_main(&account))
        return false;
    uint64_t total_ns = (span.ns >> 1) + (account.waited_ns - (span.began >> 1));
    /* Fails if another thread has closed the span meanwhile. */
    atomic_compare_exchange_strong(&engine_ns, &span.ns, total_ns << 1 | (span.began & 1));
    return true;
}

static bool is_anyone_waiting(void) {
    struct sg_gil_account account;
    return !read_main(&account) || account.n_waiting;
}

void sg_gil_waits_engine_releases(void) {
    if (is_anyone_waiting() || !close_span())
        atomic_store(&has_engine_released, true);
}

void sg_gil_waits_program_has(uintptr_t gil) {
    if (is_main(gil) && atomic_load_explicit(&has_engine_released, memory_order_relaxed) &&
        atomic_exchange(&has_engine_released, false) && !close_span())
        atomic_store(&has_engine_released, true);
}

uint64_t sg_gil_waits_engine_ns(uint64_t main_ns) {
    struct span span = read_span();
    uint64_t closed_ns = span.ns >> 1, began_ns = span.began >> 1;
    return is_open(span) && main_ns > began_ns ? closed_ns + (main_ns - began_ns) : closed_ns;
}

/* ---- Lifecycle ---- */

const char *sg_gil_waits_redirect(void) {
#if !defined(__x86_64__)
    return "waiting for the GIL is only seen on x86-64: import tables have not been tried on this "
           "processor";
#else
    const char *problem = NULL;
    for (int i = 0; i < N_IMPORTS && !problem; i++) {
        if (!imports[i].n_entries)
            problem = sg_got_slot_patch(&imports[i]);
    }
    if (problem)
        sg_gil_waits_restore();
    atomic_store(&is_on, !problem);
    return problem;
#endif
}

bool sg_gil_waits_is_redirected(void) { return imports[TIMEDWAIT].n_entries != 0; }

void sg_gil_waits_maintain(void) {
    for (int i = 0; i < N_IMPORTS; i++)
        sg_got_slot_maintain(&imports[i]);
}

void sg_gil_waits_restore(void) {
    atomic_store(&is_on, false);
    close_span(); /* no wait that begins from here on is counted */
    for (int i = 0; i < N_IMPORTS; i++)
        sg_got_slot_restore(&imports[i]);
}

void sg_gil_waits_after_fork_in_child(void) {
    sg_gil_waits_restore();
    memset(accounts, 0, sizeof accounts);
    atomic_store(&engine_ns, 0);
    atomic_store(&engine_began, 0);
    atomic_store(&has_engine_released, false);
    atomic_store(&is_engine_waiting, false);
}
