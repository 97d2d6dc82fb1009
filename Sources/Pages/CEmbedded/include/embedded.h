// Files that are part of the program, byte for byte.
#ifndef HOMEROOM_EMBEDDED_H
#define HOMEROOM_EMBEDDED_H

#include <stddef.h>

struct EmbeddedFile {
    const unsigned char *bytes;
    size_t count;
} __attribute__((swift_attr("@Sendable")));

// Sources/Pages/Assets
extern const struct EmbeddedFile favicon_ico, homeroom_js, icons_svg, style_css;
// Sources/Pages/Catalogues
extern const struct EmbeddedFile de_txt, en_txt, ja_txt, zh_Hans_txt;
// Sources/Program/Server/Examples
extern const struct EmbeddedFile class_lists_py, class_lists_ts, report_progress_py, quizzler_css, quizzler_html, quizzler_js;

#endif
