/* The loaded libraries, and what private_allocators.h knows of each. One thread at a time. */
#ifndef STACKGLASS_NATIVE_MEMORY_LIBRARY_LIST_H
#define STACKGLASS_NATIVE_MEMORY_LIBRARY_LIST_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

enum sg_library_state {
    SG_LIBRARY_HAS_NONE, /* no allocator that is known */
    SG_LIBRARY_TO_SEARCH,
    SG_LIBRARY_SEARCHED, /* at the moment */
    SG_LIBRARY_LOADING,  /* found; the loader has not finished with it */
    SG_LIBRARY_FOLLOWED,
};

struct sg_library {
    enum sg_library_state state;
    bool is_there;   /* at the last look */
    uint64_t name;   /* hash of its path */
    uint64_t folder; /* and of the folder's */
    bool has_arenas; /* that are counted */
    bool are_calls_led;
    uintptr_t base, start, end;
    char *path; /* owned; only while it is to be searched */
};

/* Owned by this list; they move when it changes. */
extern struct sg_library *sg_library_list; /* (sg_library_list_length,) */
extern uint32_t sg_library_list_length;

/* Have libraries come or gone since the last look? */
bool sg_library_list_is_old(void);
/* Look at all that are loaded: new ones are added, those that have gone are dropped. False if there
 * is no memory. */
bool sg_library_list_look(void);

/* In a callback of dl_iterate_phdr: the one that `info` is of; NULL = it has come since. */
struct sg_library *sg_library_list_find(const struct dl_phdr_info *info);
/* Does an address lie in any of them? */
bool sg_library_list_has(uintptr_t address);

void sg_library_list_forget(void);
/* In a forked child: nothing is freed, since the allocator's lock may be held by a thread that has
 * stayed behind. */
void sg_library_list_forget_in_child(void);

#endif
