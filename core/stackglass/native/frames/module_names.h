/* Module names: the module of a file, derived from its path.
 *
 *     /usr/lib/python3.11/json/decoder.py   under /usr/lib/python3.11   json.decoder
 *     /srv/app/main.py                      the main script             __main__
 *     /tmp/ipykernel_4711/3979488051.py     a cell of a notebook        __main__
 *     <frozen importlib._bootstrap>                                     importlib._bootstrap
 *     <string>                                                          <string>
 *
 * The paths are learned with the GIL held and used without it: the GIL worker learns them during
 * its jobs, and after each job the writer copies what is new for itself. */
#ifndef STACKGLASS_FRAMES_MODULE_NAMES_H
#define STACKGLASS_FRAMES_MODULE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { SG_MAX_PATHS = 256 };

struct sg_paths {
    char *main_file;           /* file of the module __main__, owned; NULL = it has none */
    char *paths[SG_MAX_PATHS]; /* folders of modules, owned, without a slash at the end */
    size_t lengths[SG_MAX_PATHS];
    size_t n_paths;
};

/* Add a folder of modules, an absolute path, unless it is known or there are SG_MAX_PATHS. */
void sg_module_names_add_path(struct sg_paths *paths, const char *path);
/* Add the folders of the present sys.path, the current directory and the file of __main__. Known
 * paths stay, because a program may remove a path after importing from it. The caller holds the
 * GIL; runs no Python code unless the class of __main__'s loader has a property `path`. */
void sg_module_names_learn_paths(struct sg_paths *paths);
/* Add to `copy` what `paths` has and it lacks. If memory is short, it still lacks some. */
void sg_module_names_copy_new(struct sg_paths *copy, const struct sg_paths *paths);
void sg_module_names_free(struct sg_paths *paths);

/* Return the module of the code object's file `filename`, malloc'ed; NULL if memory runs out. Pure.
 */
char *sg_module_names_of(const struct sg_paths *paths, const char *filename);
/* Return "module.qualname", or `qualname` alone if the module has no name, malloc'ed; NULL if
 * memory runs out. Pure. */
char *sg_module_names_full_name(const struct sg_paths *paths, const char *filename,
                                const char *qualname);

#endif
