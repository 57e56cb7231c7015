/* Searches the loaded libraries for extensions of other installations, by file name and by their
 * exported function. The paths are copied first, because dlopen must not be called while the
 * loader's list is visited. */
#include "agent/other_engine.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "agent/lifecycle.h"
#include "platform/loaded_libraries.h"

enum { MOST_OTHERS = 8, PATH_BYTES = 1024 };

/* Static, because the thread may have a small stack. Used by one thread at a time: the one that has
 * begun the engine's life. */
static struct {
    size_t n;
    char paths[MOST_OTHERS][PATH_BYTES];
} others;

int stackglass_is_begun(void) { return sg_lifecycle_state() != SG_AGENT_ABSENT; }

/* Extensions are called _core.abi3.so, and copies for other users _core-SIZE-TIME.so. */
static bool is_named_like_ours(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen("_core");
    return !strncmp(name, "_core", length) && (name[length] == '.' || name[length] == '-');
}

static int note(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    const char *path = info->dlpi_name;
    if (path && is_named_like_ours(path) && strlen(path) < PATH_BYTES &&
        !sg_loaded_libraries_holds(info, (uintptr_t)&others, 0))
        strcpy(others.paths[others.n++], path);
    return others.n == MOST_OTHERS;
}

static bool is_begun_in(const char *path) {
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return false; /* unloaded meanwhile */
    int (*is_begun)(void) = NULL;
    void *found = dlsym(library, "stackglass_is_begun");
    memcpy(&is_begun, &found, sizeof is_begun);
    bool answer = is_begun && is_begun();
    dlclose(library);
    return answer;
}

bool sg_other_engine_is_begun(void) {
    others.n = 0;
    sg_loaded_libraries_visit(note, NULL);
    for (size_t i = 0; i < others.n; i++)
        if (is_begun_in(others.paths[i]))
            return true;
    return false;
}
