/* A UTF-8 encoder. ASCII text is copied as it is. Other text goes through a buffer of 200
 * characters, since the stable ABI does not expose the interpreter's representation. */
#include "threads/text_copy.h"

#include <stdbool.h>
#include <string.h>

#include "frames/code_info.h"

static size_t put_character(char *text, Py_UCS4 character) {
    if (character < 0x80) {
        text[0] = (char)character;
        return 1;
    }
    /* a lone surrogate, which UTF-8 cannot encode */
    bool is_lone = character >= 0xD800 && character < 0xE000;
    if (character < 0x800 || is_lone) {
        text[0] = is_lone ? '?' : (char)(0xC0 | character >> 6);
        text[1] = (char)(0x80 | (character & 0x3F));
        return is_lone ? 1 : 2;
    }
    size_t n = character < 0x10000 ? 3 : 4;
    text[0] = (char)((n == 3 ? 0xE0 : 0xF0) | character >> 6 * (n - 1));
    for (size_t i = 1; i < n; i++)
        text[i] = (char)(0x80 | (character >> 6 * (n - 1 - i) & 0x3F));
    return n;
}

void sg_text_copy_put(PyObject *string, char text[SG_TEXT_COPY_BYTES]) {
    size_t n_ascii, n_kept;
    const char *ascii = sg_code_info_ascii(string, &n_ascii);
    if (ascii) {
        n_kept = n_ascii < SG_MOST_CHARACTERS ? n_ascii : SG_MOST_CHARACTERS;
        memcpy(text, ascii, n_kept);
        text[n_kept] = '\0';
        return;
    }
    Py_UCS4 characters[SG_MOST_CHARACTERS];
    Py_ssize_t length = PyUnicode_GetLength(string);
    PyObject *cut = length > SG_MOST_CHARACTERS
                        ? PyUnicode_Substring(string, 0, length = SG_MOST_CHARACTERS)
                        : NULL;
    size_t n = 0;
    if (!PyUnicode_AsUCS4(cut ? cut : string, characters, SG_MOST_CHARACTERS, 0)) {
        PyErr_Clear();
        length = 0;
    }
    for (Py_ssize_t i = 0; i < length; i++)
        n += put_character(text + n, characters[i]);
    text[n] = '\0';
    Py_XDECREF(cut);
}
