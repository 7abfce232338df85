#include "fovea/explain/render_png.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "fovea/base/check.h"

namespace fovea {
namespace {

// What is called of librsvg, cairo and GObject, as their manuals have it.
struct RsvgRectangle {
  double x, y, width, height;
};
struct Library {
  void* (*from_data)(const unsigned char*, size_t, void**);
  int (*size)(void*, double*, double*);
  int (*render)(void*, void*, const RsvgRectangle*, void**);
  void (*unref)(void*);
  void* (*create_surface)(int, int, int);
  void (*destroy_surface)(void*);
  int (*surface_status)(void*);
  void* (*create_context)(void*);
  void (*destroy_context)(void*);
  int (*write_png)(void*, int (*)(void*, const unsigned char*, unsigned),
                   void*);
};

constexpr const char* kInstall =
    "pictures as PNG need librsvg, which is not installed (Debian: librsvg2-2);"
    " write SVG instead";

template <class Function>
void find(void* library, const char* name, Function& function) {
  void* found = dlsym(library, name);
  check_usage(found, kInstall);
  function = reinterpret_cast<Function>(found);
}

Library open_library() {
  void* all = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
  check_usage(all, kInstall);
  Library lib{};
  find(all, "rsvg_handle_new_from_data", lib.from_data);
  find(all, "rsvg_handle_get_intrinsic_size_in_pixels", lib.size);
  find(all, "rsvg_handle_render_document", lib.render);
  find(all, "g_object_unref", lib.unref);
  find(all, "cairo_image_surface_create", lib.create_surface);
  find(all, "cairo_surface_destroy", lib.destroy_surface);
  find(all, "cairo_surface_status", lib.surface_status);
  find(all, "cairo_create", lib.create_context);
  find(all, "cairo_destroy", lib.destroy_context);
  find(all, "cairo_surface_write_to_png_stream", lib.write_png);
  return lib;
}

int append(void* to, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes),
                                        count);
  return 0;
}

using Handle = std::unique_ptr<void, void (*)(void*)>;

// A huge picture has letters enough to be read without more pixels than its
// own, which would take seconds and hundreds of megabytes; and cairo has a
// longest side.
double bounded_scale(double width, double height, double wanted) {
  constexpr double kMostPixels = 12e6, kLongest = 32000;
  return std::min({wanted, std::sqrt(kMostPixels / (width * height)),
                   kLongest / std::max(width, height)});
}

}  // namespace

std::string render_png(const std::string& svg, double wanted) {
  static const Library lib = open_library();
  const auto* bytes = reinterpret_cast<const unsigned char*>(svg.data());
  const Handle picture(lib.from_data(bytes, svg.size(), nullptr), lib.unref);
  check(picture != nullptr, "png: the picture cannot be read");
  double width = 0, height = 0;
  check(lib.size(picture.get(), &width, &height), "png: it has no size");
  const double scale = bounded_scale(width, height, wanted);
  constexpr int kArgb = 0;
  const auto across = static_cast<int>(std::ceil(width * scale)),
             down = static_cast<int>(std::ceil(height * scale));
  const Handle surface(lib.create_surface(kArgb, across, down),
                       lib.destroy_surface);
  check(lib.surface_status(surface.get()) == 0, "png: ", across, " x ", down,
        " pixels are too many; write SVG instead");
  const Handle context(lib.create_context(surface.get()), lib.destroy_context);
  const RsvgRectangle whole{0, 0, static_cast<double>(across),
                            static_cast<double>(down)};
  check(lib.render(picture.get(), context.get(), &whole, nullptr),
        "png: the picture cannot be drawn");
  std::string png;
  check(lib.write_png(surface.get(), append, &png) == 0,
        "png: the picture cannot be written");
  return png;
}

}  // namespace fovea
