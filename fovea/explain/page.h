#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fovea/io/file_source.h"

namespace fovea {

// The page of web/, put into this program when it was built: index.html, app.js
// and app.css for the server, explain.html for explain_page(). Empty if it was
// built with FOVEA_PAGE=OFF. Written by tools/embed_assets.
std::span<const EmbeddedFile> page_files();

// One HTML file that shows an explanation document, or a JSON array of some
// (explain/explanation.h), and loads nothing from elsewhere. Whatever the
// tokens are, they stay data: no "<" of `json` gets into the page. A usage
// error if this program has no page.
std::string explain_page(std::string_view json);

}  // namespace fovea
