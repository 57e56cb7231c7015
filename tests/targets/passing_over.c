/* Lists of threads that lack one, as the kernel's may: to be preloaded. pass_over(TID, ENDED) makes
 * the next list name the thread ENDED in place of TID. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define VISIBLE __attribute__((visibility("default")))

static int passed_over, ended;

VISIBLE void pass_over(int tid, int ended_tid) {
    ended = ended_tid;
    passed_over = tid;
}

VISIBLE struct dirent64 *readdir64(DIR *directory) {
    static struct dirent64 changed;
    struct dirent64 *(*next)(DIR *) = (struct dirent64 * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir64");
    struct dirent64 *entry = next(directory);
    if (!entry || !passed_over || atoi(entry->d_name) != passed_over)
        return entry;
    passed_over = 0;
    changed = *entry;
    snprintf(changed.d_name, sizeof changed.d_name, "%d", ended);
    return &changed;
}
