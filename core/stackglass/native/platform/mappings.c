/* Search of /proc/self/maps. */
#include "platform/mappings.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 4096 };

struct search {
    uintptr_t address, start, end;
    bool is_over, is_found;
};

/* Read a line such as "7f12a000-7f12c000 r-xp …". Lines come in ascending order of addresses. */
static void take_line(struct search *search, const char *line) {
    char may_read, may_write, may_execute;
    int n = sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c%c%c", &search->start, &search->end,
                   &may_read, &may_write, &may_execute);
    search->is_over = n != 5 || search->end > search->address;
    search->is_found = n == 5 && search->is_over && search->start <= search->address &&
                       may_read == 'r' && may_execute == 'x';
}

bool sg_mappings_find_executable(uintptr_t address, uintptr_t *start, uintptr_t *end) {
    struct search search = {.address = address};
    char text[2 * PIECE_BYTES];
    size_t n_kept = 0;
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && !search.is_over) {
        ssize_t n = read(file, text + n_kept, PIECE_BYTES - 1);
        if (n <= 0)
            break;
        text[n_kept + (size_t)n] = '\0';
        char *line = text;
        for (char *behind; !search.is_over && (behind = strchr(line, '\n')); line = behind + 1) {
            *behind = '\0';
            take_line(&search, line);
        }
        n_kept = strlen(line);
        if (n_kept > PIECE_BYTES)
            break; /* no line is as long */
        memmove(text, line, n_kept);
    }
    if (file >= 0)
        close(file);
    *start = search.start;
    *end = search.end;
    return search.is_found;
}
