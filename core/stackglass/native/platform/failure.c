/* Two words under a name that the attacher looks up in the process: what failed, and errno. */
#include "platform/failure.h"

_Atomic int stackglass_failure[2];
