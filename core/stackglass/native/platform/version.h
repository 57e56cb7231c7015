/* The engine's version, as it introduces itself; a test holds it to version.py. */
#ifndef STACKGLASS_PLATFORM_VERSION_H
#define STACKGLASS_PLATFORM_VERSION_H

#define SG_VERSION "0.1.0"

#endif
