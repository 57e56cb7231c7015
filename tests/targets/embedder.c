/* A program that keeps its Python to itself: libpython is loaded RTLD_LOCAL, as a plug-in would,
 * so that libraries which come later do not see its symbols. Argument: the path of libpython. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *python = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
    if (python == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    void (*initialize)(void) = (void (*)(void))dlsym(python, "Py_Initialize");
    int (*run)(const char *) = (int (*)(const char *))dlsym(python, "PyRun_SimpleString");
    initialize();
    return run("print('ready', flush=True); input()");
}
