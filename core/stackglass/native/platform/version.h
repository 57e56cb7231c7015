/* Engine version, equal to that of version.py (a test checks it). */
#ifndef STACKGLASS_PLATFORM_VERSION_H
#define STACKGLASS_PLATFORM_VERSION_H

#define SG_VERSION "0.1.0"

#endif
