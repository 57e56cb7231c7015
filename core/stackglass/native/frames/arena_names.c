/* A table of names. Row 0 stands for all libraries for which the table has no room. */
#include "frames/arena_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 80 };

/* The writer fills in an element before it returns the element's number. From then on the element
 * is constant, even after a detach. */
static struct {
    char file[NAME_BYTES], frame[NAME_BYTES + sizeof "<arena of >"];
} names[SG_MOST_ARENA_LIBRARIES + 1] = {{"another library", "<arena>"}};
static uint32_t n_names = 1; /* only the writer uses it */

uint32_t sg_arena_names_number(const char *file) {
    char cut[NAME_BYTES];
    snprintf(cut, sizeof cut, "%s", file);
    for (uint32_t i = 1; i < n_names; i++) {
        if (strcmp(names[i].file, cut) == 0)
            return i;
    }
    if (n_names > SG_MOST_ARENA_LIBRARIES)
        return 0;
    memcpy(names[n_names].file, cut, sizeof cut);
    snprintf(names[n_names].frame, sizeof names[n_names].frame, "<arena of %s>", cut);
    return n_names++;
}

const char *sg_arena_names_file(uint32_t number) { return names[number].file; }

const char *sg_arena_names_frame(uint32_t number) {
    bool is_known = number <= SG_MOST_ARENA_LIBRARIES && *names[number].frame;
    return names[is_known ? number : 0].frame;
}
