/* Record of a failed start, for the attacher to read: see failure.h. */
#include "platform/failure.h"

_Atomic int stackglass_failure[2];
