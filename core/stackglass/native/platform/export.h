/* The few symbols that are seen from outside the library. Everything else is hidden. */
#ifndef STACKGLASS_PLATFORM_EXPORT_H
#define STACKGLASS_PLATFORM_EXPORT_H

#define SG_EXPORT __attribute__((visibility("default")))

#endif
