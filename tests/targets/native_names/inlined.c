/* Calls that are inlined, three deep and from a loop, with lines that a test knows. */

#define ALWAYS static inline __attribute__((always_inline))

volatile unsigned long seen;

ALWAYS void innermost(unsigned long value) { seen += value * 3; /* innermost line */ }

ALWAYS void middle(unsigned long value) {
    if (value & 1)
        innermost(value + 1); /* middle line */
    seen ^= value;
}

__attribute__((noinline, visibility("default"))) unsigned long outer(unsigned long n) {
    for (unsigned long i = 0; i < n; i++)
        middle(i); /* outer line */
    innermost(n);  /* second outer line */
    return seen;
}

__attribute__((noinline, visibility("default"))) unsigned long plain(unsigned long n) {
    return n + seen; /* plain line */
}
