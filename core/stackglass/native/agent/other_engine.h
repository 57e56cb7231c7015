/* Other engine: that of another installation of Stackglass in this process. Two engines would patch
 * each other's functions, so the second one does not start. */
#ifndef STACKGLASS_AGENT_OTHER_ENGINE_H
#define STACKGLASS_AGENT_OTHER_ENGINE_H

#include <stdbool.h>

#include "platform/export.h"

/* Whether this library's engine has begun in this process. Other installations call it. */
SG_EXPORT int stackglass_is_begun(void);

/* Whether an engine of another library has begun. Takes the loader's lock for a moment, and calls
 * dlopen if another such library is loaded. Called by the thread that starts the engine, one at a
 * time. */
bool sg_other_engine_is_begun(void);

#endif
