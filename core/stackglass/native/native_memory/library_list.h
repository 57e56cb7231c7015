/* Library list: the loaded libraries, and how far private_allocators.h has got with each of them.
 * One thread at a time. */
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
    uintptr_t base, start, end; /* load base; address range */
    char *path;                 /* owned; only until the library has been searched */
};

/* The libraries, owned by this list; an update moves them. */
extern struct sg_library *sg_library_list; /* (sg_library_list_length,) */
extern uint32_t sg_library_list_length;

/* Whether libraries have been loaded or unloaded since the last update. */
bool sg_library_list_is_old(void);
/* Update the list, which holds at most 2048 libraries. It stays empty if memory is short. */
void sg_library_list_update(void);

/* Find the library that `info` describes, during a visit of the loaded libraries. NULL = it was
 * loaded after the last update, or found no room. */
struct sg_library *sg_library_list_find(const struct dl_phdr_info *info);
/* Whether `address` lies in a library of the list. */
bool sg_library_list_has(uintptr_t address);

void sg_library_list_forget(void);
/* Forget the list in a forked child, without calling free: the lock of malloc may have been held at
 * the fork. */
void sg_library_list_forget_in_child(void);

#endif
