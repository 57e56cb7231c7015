/* The macro releases every column of SG_PROFILE_COLUMNS. */
#include "pprof_profile.h"

void sg_release_profile(struct sg_profile *profile) {
#define SG_RELEASE(name, kind) sg_release(&profile->name);
    SG_PROFILE_COLUMNS(SG_RELEASE)
#undef SG_RELEASE
}
