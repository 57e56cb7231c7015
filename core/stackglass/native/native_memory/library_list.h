/* The list of loaded libraries, with the state of private_allocators.h for each. One thread at a
 * time. */
#ifndef STACKGLASS_NATIVE_MEMORY_LIBRARY_LIST_H
#define STACKGLASS_NATIVE_MEMORY_LIBRARY_LIST_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

enum sg_library_state {
    SG_LIBRARY_HAS_NONE, /* no allocator that is known */
    SG_LIBRARY_TO_SEARCH,
    SG_LIBRARY_SEARCHED, /* being searched */
    SG_LIBRARY_LOADING,  /* found; the loader has not finished with it */
    SG_LIBRARY_FOLLOWED,
};

struct sg_library {
    enum sg_library_state state;
    bool is_there;   /* at the last update */
    uint64_t name;   /* hash of its path */
    uint64_t folder; /* hash of its folder's path */
    bool has_arenas; /* that are counted */
    bool are_calls_patched;
    uintptr_t base, start, end;
    char *path; /* owned; only while it is to be searched */
};

/* Owned by this list; they move when it changes. */
extern struct sg_library *sg_library_list; /* (sg_library_list_length,) */
extern uint32_t sg_library_list_length;

/* Have libraries been loaded or unloaded since the last update? */
bool sg_library_list_is_old(void);
/* Update the list; it stays empty if there is no memory. */
void sg_library_list_update(void);

/* In a visit of the loaded libraries: the one that `info` is of; NULL = it has come since. */
struct sg_library *sg_library_list_find(const struct dl_phdr_info *info);
/* Does an address lie in any of them? */
bool sg_library_list_has(uintptr_t address);

void sg_library_list_forget(void);
/* In a forked child: frees nothing, since a thread of the parent's may hold malloc's lock. */
void sg_library_list_forget_in_child(void);

#endif
