// In C, because as an array of a Swift module these files would take two minutes to compile.
#include "embedded.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char favicon_ico_bytes[] = {
#embed "../Assets/favicon.ico"
};
const struct EmbeddedFile favicon_ico = {favicon_ico_bytes, sizeof favicon_ico_bytes};

static const unsigned char homeroom_js_bytes[] = {
#embed "../Assets/homeroom.js"
};
const struct EmbeddedFile homeroom_js = {homeroom_js_bytes, sizeof homeroom_js_bytes};

static const unsigned char icons_svg_bytes[] = {
#embed "../Assets/icons.svg"
};
const struct EmbeddedFile icons_svg = {icons_svg_bytes, sizeof icons_svg_bytes};

static const unsigned char style_css_bytes[] = {
#embed "../Assets/style.css"
};
const struct EmbeddedFile style_css = {style_css_bytes, sizeof style_css_bytes};

static const unsigned char de_txt_bytes[] = {
#embed "../Catalogues/de.txt"
};
const struct EmbeddedFile de_txt = {de_txt_bytes, sizeof de_txt_bytes};

static const unsigned char en_txt_bytes[] = {
#embed "../Catalogues/en.txt"
};
const struct EmbeddedFile en_txt = {en_txt_bytes, sizeof en_txt_bytes};

static const unsigned char ja_txt_bytes[] = {
#embed "../Catalogues/ja.txt"
};
const struct EmbeddedFile ja_txt = {ja_txt_bytes, sizeof ja_txt_bytes};

static const unsigned char zh_Hans_txt_bytes[] = {
#embed "../Catalogues/zh-Hans.txt"
};
const struct EmbeddedFile zh_Hans_txt = {zh_Hans_txt_bytes, sizeof zh_Hans_txt_bytes};

static const unsigned char class_lists_py_bytes[] = {
#embed "../../Program/Server/Examples/class_lists.py"
};
const struct EmbeddedFile class_lists_py = {class_lists_py_bytes, sizeof class_lists_py_bytes};

static const unsigned char class_lists_ts_bytes[] = {
#embed "../../Program/Server/Examples/class_lists.ts"
};
const struct EmbeddedFile class_lists_ts = {class_lists_ts_bytes, sizeof class_lists_ts_bytes};

static const unsigned char report_progress_py_bytes[] = {
#embed "../../Program/Server/Examples/report_progress.py"
};
const struct EmbeddedFile report_progress_py = {report_progress_py_bytes, sizeof report_progress_py_bytes};

static const unsigned char quizzler_css_bytes[] = {
#embed "../../Program/Server/Examples/quizzler.css"
};
const struct EmbeddedFile quizzler_css = {quizzler_css_bytes, sizeof quizzler_css_bytes};

static const unsigned char quizzler_html_bytes[] = {
#embed "../../Program/Server/Examples/quizzler.html"
};
const struct EmbeddedFile quizzler_html = {quizzler_html_bytes, sizeof quizzler_html_bytes};

static const unsigned char quizzler_js_bytes[] = {
#embed "../../Program/Server/Examples/quizzler.js"
};
const struct EmbeddedFile quizzler_js = {quizzler_js_bytes, sizeof quizzler_js_bytes};
