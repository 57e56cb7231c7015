/* Visibility of symbols. What is not exported is hidden: the compiler's options say so. */
#ifndef STACKGLASS_PLATFORM_EXPORT_H
#define STACKGLASS_PLATFORM_EXPORT_H

/* For a symbol that is visible outside of the library. */
#define SG_EXPORT __attribute__((visibility("default")))

/* For a variable of another file that fast paths read. The compiler's options hide definitions
 * only: without this attribute the compiler assumes that a declared variable may be exported, and
 * loads its address first. */
#define SG_NEAR __attribute__((visibility("hidden")))

#endif
