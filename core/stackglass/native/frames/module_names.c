/* Derives the name of a module from the path of its file, by the first rule that fits:
 *
 *     the main script, or a notebook's cell     __main__
 *     <frozen x>                                x
 *     another <…>                               the text as it is
 *     below a path of sys.path, the longest     the rest, with dots; without suffix and __init__
 *     another absolute path                     the file's own name, without suffix
 *     a relative path                           the path, with dots; without suffix and __init__ */
#include "frames/module_names.h"

#include "interpreter/python_text.h"
#include "platform/permitted_calls.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATH_BYTES = 4096 };

static const char FROZEN[] = "<frozen ", SHELL_CELL[] = "<ipython-input-",
                  KERNEL_FOLDER[] = "/ipykernel_", DIGITS[] = "0123456789";
static const char *const SUFFIXES[] = {".py", ".pyc", ".pyw", ".pyx", ".pyi"};

void sg_module_names_add_path(struct sg_paths *paths, const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (!length || path[0] != '/' || paths->n_paths == SG_MAX_PATHS)
        return;
    for (size_t i = 0; i < paths->n_paths; i++)
        if (paths->lengths[i] == length && !memcmp(paths->paths[i], path, length))
            return;
    char *copy = strndup(path, length);
    if (!copy)
        return;
    paths->paths[paths->n_paths] = copy;
    paths->lengths[paths->n_paths++] = length;
}

static void learn_paths(struct sg_paths *paths) {
    PyObject *path = PySys_GetObject("path"); /* borrowed from sys; no Python code runs below */
    if (!path || !PyList_Check(path))
        return;
    for (Py_ssize_t i = 0; i < PyList_Size(path); i++) {
        char *text = sg_python_text_copy(PyList_GetItem(path, i));
        if (text)
            sg_module_names_add_path(paths, text);
        free(text);
    }
    char here[MAX_PATH_BYTES]; /* the meaning of "" in sys.path */
    if (sg_permitted_calls_may(SG_CALL_OTHERS) && getcwd(here, sizeof here))
        sg_module_names_add_path(paths, here);
}

/* Return the file of __main__, malloc'ed; NULL if there is none. Once a script has ended, its
 * __file__ is removed, but its __loader__, which has the path, stays. */
static char *find_main_file(void) {
    PyObject *loader = sg_python_text_global("__main__", "__loader__"); /* borrowed */
    char *file = sg_python_text_copy(sg_python_text_global("__main__", "__file__"));
    if (file || !loader)
        return file;
    PyObject *path = sg_python_text_plain_attribute(loader, "path");
    PyErr_Clear();
    file = sg_python_text_copy(path);
    Py_XDECREF(path);
    return file;
}

void sg_module_names_learn_paths(struct sg_paths *paths) {
    learn_paths(paths);
    char *main_file = find_main_file();
    if (!main_file)
        return; /* -c, or the script has not been loaded yet */
    free(paths->main_file);
    paths->main_file = main_file;
}

void sg_module_names_copy_new(struct sg_paths *copy, const struct sg_paths *paths) {
    /* Paths are only ever appended, so the first ones are the same. */
    for (size_t i = copy->n_paths; i < paths->n_paths; i++)
        sg_module_names_add_path(copy, paths->paths[i]);
    if (!paths->main_file || (copy->main_file && !strcmp(copy->main_file, paths->main_file)))
        return;
    free(copy->main_file);
    copy->main_file = strdup(paths->main_file);
}

void sg_module_names_free(struct sg_paths *paths) {
    free(paths->main_file);
    for (size_t i = 0; i < paths->n_paths; i++)
        free(paths->paths[i]);
    memset(paths, 0, sizeof *paths);
}

/* Return the part of `filename` below the longest path that contains it; NULL if none does. */
static const char *find_below(const struct sg_paths *paths, const char *filename) {
    size_t longest = 0;
    for (size_t i = 0; i < paths->n_paths; i++) {
        size_t length = paths->lengths[i];
        if (length > longest && !strncmp(filename, paths->paths[i], length) &&
            filename[length] == '/')
            longest = length;
    }
    return longest ? filename + longest + 1 : NULL;
}

static size_t cut_suffix(const char *path, size_t length) {
    for (size_t i = 0; i < sizeof SUFFIXES / sizeof *SUFFIXES; i++) {
        size_t suffix = strlen(SUFFIXES[i]);
        if (length > suffix && !memcmp(path + length - suffix, SUFFIXES[i], suffix))
            return length - suffix;
    }
    return length;
}

/* Return the module of a relative path, malloc'ed: "a.b" for "a/b/__init__.py" or "a/b.py". */
static char *dot(const char *path) {
    static const char PACKAGE[] = "/__init__";
    size_t length = cut_suffix(path, strlen(path)), package = sizeof PACKAGE - 1;
    if (length > package && !memcmp(path + length - package, PACKAGE, package))
        length -= package;
    char *module = strndup(path, length);
    for (char *at = module; at && *at; at++)
        if (*at == '/')
            *at = '.';
    return module;
}

/* Is the file a notebook's cell? The name of a cell is "/tmp/ipykernel_4711/3979488051.py" in
 * Jupyter and "<ipython-input-1-9f…>" in IPython. */
static bool is_notebook_cell(const char *filename) {
    const char *folder = strstr(filename, KERNEL_FOLDER);
    if (!strncmp(filename, SHELL_CELL, sizeof SHELL_CELL - 1))
        return true;
    if (!folder)
        return false;
    const char *pid = folder + sizeof KERNEL_FOLDER - 1;
    size_t n_digits = strspn(pid, DIGITS);
    const char *name = pid + n_digits + 1;
    return n_digits && pid[n_digits] == '/' && strspn(name, DIGITS) &&
           !strcmp(name + strspn(name, DIGITS), ".py");
}

char *sg_module_names_of(const struct sg_paths *paths, const char *filename) {
    size_t length = strlen(filename), frozen = sizeof FROZEN - 1;
    if ((paths->main_file && !strcmp(filename, paths->main_file)) || is_notebook_cell(filename))
        return strdup("__main__");
    if (!strncmp(filename, FROZEN, frozen) && filename[length - 1] == '>')
        return strndup(filename + frozen, length - frozen - 1);
    if (filename[0] == '<')
        return strdup(filename);
    const char *below = find_below(paths, filename);
    if (below)
        return dot(below);
    const char *slash = strrchr(filename, '/');
    if (slash && filename[0] == '/')
        return dot(slash + 1); /* no path contains it: use the file's own name */
    return dot(strncmp(filename, "./", 2) ? filename : filename + 2);
}

char *sg_module_names_full_name(const struct sg_paths *paths, const char *filename,
                                const char *qualname) {
    char *module = sg_module_names_of(paths, filename);
    if (!module || !*module) {
        free(module);
        return strdup(qualname);
    }
    size_t size = strlen(module) + 1 + strlen(qualname) + 1;
    char *name = malloc(size);
    if (name) {
        strcpy(name, module);
        strcat(name, ".");
        strcat(name, qualname);
    }
    free(module);
    return name;
}
