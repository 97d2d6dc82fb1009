// The simplified interface of libpng, and what Swift does not see of it: a macro with arithmetic in it.
#ifndef HOMEROOM_CPNG_H
#define HOMEROOM_CPNG_H

#include <png.h>
#include <stdint.h>

static const uint32_t png_format_rgba = PNG_FORMAT_RGBA;

#endif
