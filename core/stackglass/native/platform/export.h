/* Visibility of symbols. What is not exported is hidden: the compiler's options say so. */
#ifndef STACKGLASS_PLATFORM_EXPORT_H
#define STACKGLASS_PLATFORM_EXPORT_H

/* Seen from outside the library. */
#define SG_EXPORT __attribute__((visibility("default")))

/* Variables of other files that fast paths read. The options hide definitions only; of a plain
 * declaration the compiler assumes that it may be exported, and loads the address first. */
#define SG_NEAR __attribute__((visibility("hidden")))

#endif
