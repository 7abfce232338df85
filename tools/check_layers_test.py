#!/usr/bin/env python3
"""Self test of check_layers: it must accept what is right and name what is not."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # leave no __pycache__ in the tree
SCRIPT = pathlib.Path(__file__).resolve().parent / "check_layers"
loader = importlib.machinery.SourceFileLoader("check_layers", str(SCRIPT))
spec = importlib.util.spec_from_loader("check_layers", loader)
check_layers = importlib.util.module_from_spec(spec)
loader.exec_module(check_layers)

PAGE = """# A page
| folder | may include |
| --- | --- |
| nonsense | before the heading |

## Who may include whom

| folder | may include |
| --- | --- |
| base | |
| kernels | base |
| cli, bindings | all |

## Later
| base | kernels |
"""


class CheckLayers(unittest.TestCase):

    def faults(self, **files):
        """Faults of a tree with these files; __ stands for / in a name."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            tree = {
                "docs/architecture.md": PAGE,
                "fovea/base/check.h": "#pragma once\n",
                "fovea/kernels/gemm.h": '#include "fovea/base/check.h"\n',
            }
            for name, text in files.items():
                tree[name.replace("__", "/") + ".cc"] = text
            for name, text in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return check_layers.check(root)[0]

    def test_accepts_what_the_table_allows(self):
        self.assertEqual([], self.faults(
            fovea__kernels__gemm='#include "fovea/kernels/gemm.h"\n'
                                 "#include <vector>\n#include <hwy/highway.h>\n",
            fovea__base__parallel="#include <omp.h>\n#pragma omp parallel\n",
            cli__main='#include "fovea/kernels/gemm.h"\n'))

    def test_refuses_an_include_upwards_and_names_the_line(self):
        faults = self.faults(
            fovea__base__log='\n#include "fovea/kernels/gemm.h"\n')
        self.assertEqual(1, len(faults))
        self.assertIn("fovea/base/log.cc:2", faults[0])
        self.assertIn("base may not include kernels", faults[0])

    def test_refuses_a_folder_that_the_table_does_not_know(self):
        faults = self.faults(
            fovea__utils__x='#include "fovea/base/check.h"\n')
        self.assertIn('"utils" is not in the table', faults[0])

    def test_refuses_relative_includes(self):
        self.assertEqual(2, len(self.faults(
            fovea__kernels__a='#include "../base/check.h"\n',
            fovea__kernels__b='#include "gemm.h"\n')))

    def test_keeps_libraries_behind_their_doors(self):
        self.assertEqual(5, len(self.faults(
            fovea__base__a="#include <hwy/highway.h>\n",
            fovea__base__b="#include <cblas.h>\n",
            fovea__base__c="#include <oneapi/dnnl/dnnl.h>\n",
            fovea__kernels__d="#include <omp.h>\n",
            fovea__kernels__e="  #pragma omp parallel for\n")))

    def test_refuses_a_page_without_the_table(self):
        with self.assertRaises(ValueError):
            check_layers.read_table("# A page\n")

    def test_reads_only_the_table_under_its_heading(self):
        table = check_layers.read_table(PAGE)
        self.assertEqual({"base", "kernels", "cli", "bindings"}, set(table))
        self.assertEqual(set(), table["base"])
        self.assertIsNone(table["cli"])


if __name__ == "__main__":
    unittest.main()
