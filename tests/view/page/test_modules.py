"""The page's modules: each obeys the convention by which they are inlined, and nothing leads to a network."""

from __future__ import annotations

import pytest

from multibody.view.page import modules

ALL = sorted(file.stem for file in modules.HERE.glob("*.js"))


@pytest.mark.parametrize("name", ALL)
def test_a_module_keeps_the_convention_and_its_lines(name: str) -> None:
    made, text = modules.inlined(name), modules.source(f"{name}.js")
    assert made.startswith(f"modules.{name} = ") and made.endswith(f"sourceURL={name}.js")
    assert "/**" not in made and "@param" not in made
    lines = made.split("\n")
    for number, line in enumerate(text.split("\n")):
        if line and not line.startswith(("import", "export", " ", "}", "/")):
            assert line in lines[number]


@pytest.mark.parametrize("name", ALL)
def test_a_module_names_no_address(name: str) -> None:
    text = modules.source(f"{name}.js")
    assert "http:" not in text and "https:" not in text and "//www" not in text


def test_what_is_imported_comes_first(tmp_path, monkeypatch) -> None:
    two = 'import { b } from "./b.js";\nimport {\n  c,\n  d as e,\n} from "./c.js";\n'
    (tmp_path / "a.js").write_text(two + "export const a = b;\n")
    (tmp_path / "b.js").write_text('import { c } from "./c.js";\nexport function b() {}\n')
    (tmp_path / "c.js").write_text("export class c {}\nexport const d = 1;\n")
    modules.source.cache_clear()
    monkeypatch.setattr(modules, "HERE", tmp_path)
    try:
        assert modules.in_order("a") == ["c", "b", "a"]
        made = modules.inlined("a")
        assert "const { b } = modules.b;" in made and "d: e" in made and "return { a };" in made
        assert modules.in_order("a", frozenset({"b"})) == ["c", "a"]
        assert "const { b } = ({});" in modules.inlined("a", frozenset({"b"}))
        (tmp_path / "b.js").write_text("export default 3;\n")
        modules.source.cache_clear()
        with pytest.raises(ValueError, match="breaks the convention"):
            modules.inlined("b")
    finally:
        modules.source.cache_clear()
