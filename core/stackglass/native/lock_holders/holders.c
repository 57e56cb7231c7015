/* Holders that are known without a search, in this order: the joined thread, the holder in the
 * hooks' table of a plain lock that is held now, the owner word of an RLock. */
#include "lock_holders/holders.h"

#include <string.h>

#include "locks/state.h"
#include "locks/table.h"
#include "platform/thread_ids.h"

static bool is_primitive_of(enum sg_primitive primitive, const char *type) {
    return strcmp(sg_primitive_owner(primitive), type) == 0;
}

bool sg_lock_holders_is_plain_held(const void *lock, enum sg_primitive primitive) {
    return lock && sg_lock_state_words.is_known && is_primitive_of(primitive, "Lock") &&
           sg_lock_state_is_held(lock);
}

static const struct sg_lock_holder UNKNOWN = {0, SG_HOLDER_UNKNOWN};

static struct sg_lock_holder make_holder(pid_t tid, enum sg_holder_source source) {
    return tid ? (struct sg_lock_holder){tid, source} : UNKNOWN;
}

struct sg_lock_holder sg_lock_holders_find(const void *lock, enum sg_primitive primitive,
                                           pid_t joined) {
    if (joined)
        return make_holder(joined, SG_HOLDER_JOINED);
    if (!lock || !sg_lock_state_words.is_known || !sg_thread_ids_offset())
        return UNKNOWN;
    if (sg_lock_holders_is_plain_held(lock, primitive))
        return make_holder(sg_lock_table_holder(lock), SG_HOLDER_TOOK);
    if (is_primitive_of(primitive, "RLock"))
        return make_holder(sg_thread_ids_of(sg_lock_state_rlock_owner(lock)), SG_HOLDER_OWNS);
    return UNKNOWN;
}
