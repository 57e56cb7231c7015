/* Hints to the compiler about code that runs often, and code that runs seldom. */
#ifndef STACKGLASS_PLATFORM_HINTS_H
#define STACKGLASS_PLATFORM_HINTS_H

/* A condition that nearly always holds. */
#define SG_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* For a function that is called seldom: it is kept out of its callers. */
#define SG_COLD __attribute__((noinline, cold))

#endif
