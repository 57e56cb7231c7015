/* Library list: the loaded libraries, and how far private_allocators.h is with each one. One thread
 * at a time. */
#ifndef STACKGLASS_NATIVE_MEMORY_LIBRARY_LIST_H
#define STACKGLASS_NATIVE_MEMORY_LIBRARY_LIST_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

enum sg_library_state {
    SG_LIBRARY_HAS_NONE, /* no allocator that the engine knows */
    SG_LIBRARY_TO_SEARCH,
    SG_LIBRARY_SEARCHED, /* the search is under way */
    SG_LIBRARY_LOADING,  /* found; the loader has not finished with it */
    SG_LIBRARY_FOLLOWED,
};

struct sg_library {
    enum sg_library_state state;
    bool is_there;   /* still loaded at the last update */
    uint64_t name;   /* hash of its path */
    uint64_t folder; /* hash of its folder's path */
    bool has_arenas; /* arenas.h counts them */
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

/* Find the library that `info` describes, during a visit of the loaded libraries. NULL = it was
 * loaded after the last update. */
struct sg_library *sg_library_list_find(const struct dl_phdr_info *info);
/* Does an address lie in any of them? */
bool sg_library_list_has(uintptr_t address);

void sg_library_list_forget(void);
/* In a forked child: frees nothing, because malloc's lock may have been held at the fork. */
void sg_library_list_forget_in_child(void);

#endif
