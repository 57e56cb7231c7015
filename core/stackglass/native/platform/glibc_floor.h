/* Oldest glibc that the extension runs on: 2.28 on x86-64, whatever it was built with.
 *
 * glibc 2.29 to 2.34 gave older functions a new symbol version, because they moved from libpthread,
 * libdl and libm or changed in a detail that does not matter here. A linker takes the newest
 * version, and an older C library then refuses the whole library. Included in front of every file;
 * tests/contract/test_engine_imports.py reads the result. */
#ifndef STACKGLASS_PLATFORM_GLIBC_FLOOR_H
#define STACKGLASS_PLATFORM_GLIBC_FLOOR_H

#if defined(__x86_64__) && defined(__linux__) && __has_include(<gnu/libc-version.h>)
#define SG_SINCE(version, name) __asm__(".symver " #name "," #name "@GLIBC_" version)
SG_SINCE("2.2.5", dladdr);
SG_SINCE("2.3.3", dladdr1);
SG_SINCE("2.2.5", dlclose);
SG_SINCE("2.2.5", dlopen);
SG_SINCE("2.2.5", dlsym);
SG_SINCE("2.2.5", exp);
SG_SINCE("2.2.5", log);
SG_SINCE("2.3.3", __pthread_register_cancel); /* pthread_cleanup_push */
SG_SINCE("2.3.3", __pthread_unregister_cancel);
SG_SINCE("2.3.3", __pthread_unwind_next);
SG_SINCE("2.2.5", pthread_attr_setstack);
SG_SINCE("2.2.5", pthread_attr_setstacksize);
SG_SINCE("2.2.5", pthread_create);
SG_SINCE("2.2.5", pthread_detach);
SG_SINCE("2.2.5", pthread_join);
SG_SINCE("2.2.5", pthread_mutex_trylock);
SG_SINCE("2.2.5", pthread_sigmask);
#undef SG_SINCE
#endif

#endif
