# The C++ of a page of docs/ as one program: each snippet a function.
BEGIN { print "#include <cstdio>" }
/^```cpp/ { inside = 1; ++count; body = ""; next }
/^```/ && inside {
  inside = 0
  functions = functions "void snippet_" count "() {\n" body "}\n"
  next
}
inside && /^#include/ { print; next }
inside { body = body $0 "\n" }
END { print functions "int main() {}" }
