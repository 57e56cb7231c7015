/* Plain line loops, the measure for readers of text: `line_loop SEPARATORS FILE` prints the CPU
 * seconds and the seconds by the clock that it takes to go through the lines of a file.
 *
 *     ""     getline alone, and nothing done with the line
 *     ";"    the line split at each of these characters, its fields and their bytes counted, and
 *            the number behind its last space read
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    double cpu_s = read_clock(CLOCK_PROCESS_CPUTIME_ID), clock_s = read_clock(CLOCK_MONOTONIC);
    FILE *file = fopen(argv[2], "r");
    if (!file)
        return 1;
    char *line = NULL, *rest = NULL;
    size_t capacity = 0, n_lines = 0, n_fields = 0, n_bytes = 0;
    long long sum = 0;
    for (; getline(&line, &capacity, file) >= 0; n_lines++) {
        if (!*argv[1])
            continue;
        const char *space = strrchr(line, ' ');
        sum += space ? strtoll(space, NULL, 10) : 0;
        for (char *field = line; (field = strtok_r(field, argv[1], &rest)); field = NULL) {
            n_fields++;
            n_bytes += strlen(field);
        }
    }
    printf("{\"cpu_s\": %.6f, \"clock_s\": %.6f, \"lines\": %zu, \"fields\": %zu, \"sum\": %lld}\n",
           read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu_s, read_clock(CLOCK_MONOTONIC) - clock_s,
           n_lines, n_fields, sum + (long long)n_bytes);
    free(line);
    return fclose(file);
}
