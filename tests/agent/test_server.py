"""The server of tools, asked by a real client over standard input and output; and the fence around its folder."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from cli_runs import run, run_json
from multibody.agent.bounded import bounded, size_of
from multibody.agent.calls import Caller, Limits
from multibody.agent.folder import Folder
from multibody.errors import ModelError

mcp = pytest.importorskip("mcp")
posix = pytest.mark.skipif(sys.platform == "win32", reason="links and signals as on Unix")
PENDULUM = """\
name: bob
dimension: 2
gravity: [0, -9.81]
bodies: {bob: {mass: 1, inertia: 0.1, com: [0.5, 0]}}
joints: {O: {revolute: [ground, bob]}}
initial: {O: 0.4}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("models")
    (made / "bob.yaml").write_text(PENDULUM)
    (made / "secret").mkdir()
    (made.parent / "outside.yaml").write_text(PENDULUM)
    (made / "leak.yaml").write_text("name: leak\ndimension: 2\ninclude: [{model: ../outside.yaml, prefix: a_}]\n")
    if sys.platform != "win32":
        (made / "link.yaml").symlink_to(made.parent / "outside.yaml")
        (made / "around.yaml").write_text("name: around\ndimension: 2\ninclude: [{model: link.yaml, prefix: a_}]\n")
    return made


def talk(folder: pathlib.Path, calls: list[tuple[str, dict[str, Any]]], *options: str) -> tuple[list[str], list[Any]]:
    """Return the names of the tools, and the answers to calls; those of a client and a server in a process of its own."""
    arguments = ["-m", "multibody", "mcp", "--folder", str(folder), "--seconds", "300", *options]
    server = mcp.StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))

    async def asked() -> tuple[list[str], list[Any]]:
        async with mcp.Client(server) as client:
            tools = await client.list_tools()
            answers = await asyncio.gather(*(client.call_tool(name, given) for name, given in calls))
            return [tool.name for tool in tools.tools], list(answers)

    return asyncio.run(asked())


def content(answer: Any) -> Any:
    assert not answer.is_error, answer.content[0].text
    found = json.loads(answer.content[0].text)
    assert answer.structured_content == found
    return found


def test_a_client_lists_and_calls_every_tool(folder: pathlib.Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("files", {}), ("examples", {}), ("examples", {"name": "pendulum"}), ("schema", {}), ("check", {"model": "bob.yaml"}),
        ("assemble", {"text": PENDULUM}),
        ("kinematics", {"model": "slider-crank", "until": 0.01, "steps": 4, "paths": ["slider.x"]}),
        ("run", {"model": "bob.yaml", "until": "0.1", "paths": ["bob.x"], "save": "new.csv"}),
        ("run", {"model": "pendulum", "until": 0.1, "set": {"l": 2.0}, "paths": ["O.angle"]}),
        ("reactions", {"model": "bob.yaml", "at": 0.1, "joints": ["O"]}), ("inverse", {"model": "slider-crank", "at": 0.01}),
    ]  # fmt: skip
    names, answers = talk(folder, calls)
    assert names == ["files", "examples", "schema", "check", "assemble", "kinematics", "run", "reactions", "inverse"]
    found = dict(enumerate(answers))
    assert "bob.yaml" in content(found[0])["files"]
    assert any(item["name"] == "four-bar" for item in content(found[1])["examples"])
    assert "revolute" in content(found[2])["text"]
    assert "joints" in content(found[3]).get("properties", content(found[3]).get("sections"))
    assert content(found[4]) == run_json("check", str(folder / "bob.yaml")), "the JSON of the command line"
    assert content(found[5])["final"]["joints"]["O"]["coordinates"] == pytest.approx([0.4])
    assert len(content(found[6])["curves"]["slider.x"]["values"]) == 5
    assert found[7].is_error
    assert "nothing is written here; start the server with --write" in found[7].content[0].text
    curve = content(found[8])["curves"]["O.angle"]
    assert curve["unit"] == "rad"
    assert content(found[8])["final"]["joints"]["O"]["coordinates"][0] == curve["values"][-1]
    assert content(found[9]) == run_json("reactions", str(folder / "bob.yaml"), "--at", "0.1", "--joints", "O")
    assert len(content(found[10])["efforts"]) == 1
    assert sorted(path.name for path in folder.iterdir() if path.suffix == ".csv") == []


def test_faults_are_one_sentence_and_nothing_leaves_the_folder(folder: pathlib.Path) -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("check", {"text": "name: x\nbodies: {a: {mas: 1}}\n"}, 'unknown field "mas"; did you mean "mass"?'),
        ("check", {"model": "../outside.yaml"}, "leaves the folder"),
        ("check", {"model": str(folder.parent / "outside.yaml")}, "leaves the folder"),
        ("check", {"model": "leak.yaml"}, "leaves the directory of the model"),
        ("check", {"model": "none.yaml"}, "there is no such file"),
        ("check", {"model": "four-barr"}, 'did you mean "four-bar"?'),
        ("check", {}, "give a model or a text"),
        ("run", {"model": "bob.yaml", "until": "--out=/tmp/x.csv"}, ""),
        ("run", {"model": "bob.yaml", "until": 0.01, "paths": ["nothing"]}, 'no path "nothing"'),
    ]  # fmt: skip
    if sys.platform != "win32":
        wrong.append(("check", {"model": "link.yaml"}, "goes through a link"))
        wrong.append(("check", {"model": "around.yaml"}, "leaves the directory of the model"))
    _, answers = talk(folder, [(name, given) for name, given, _ in wrong])
    for (name, given, words), answer in zip(wrong, answers, strict=True):
        text = answer.content[0].text
        assert answer.is_error, (name, given)
        assert words in text
        assert "\n" not in text, text
        assert "Traceback" not in text
        assert str(folder) not in text, "places on this machine are nobody's business"


def test_a_call_over_its_time_is_ended_and_told(folder: pathlib.Path) -> None:
    caller = Caller(Folder(folder), Limits(seconds=6.0))
    begin = time.monotonic()
    try:
        found = caller.ask("run", "bob.yaml", "", ["--until=1e9", "--output-step=1e6"])
        assert found["status"]["success"] is False
        said = found["ended"]
    except ModelError as error:  # a machine so busy that nothing was computed
        said = str(error)
    assert "it was ended after 6 s, the time limit of a call" in said
    assert time.monotonic() - begin < 6.0 + 5.0 + 15.0


def test_answers_are_bounded(folder: pathlib.Path) -> None:
    found = Caller(Folder(folder), Limits(300.0, characters=3000)).ask(
        "run", "bob.yaml", "", ["--until=0.2", "--output-step=0.0005"], paths=["bob.x", "bob.y"]
    )
    assert size_of(found) <= 3000
    assert "lists are thinned" in found["shortened"]
    values = found["curves"]["bob.x"]["values"]
    assert len(values) < 401
    large = {"status": {"success": True}, "x": list(range(100_000)), "deep": {str(k): {"a": [k] * 50} for k in range(1000)}}
    for most in (100_000, 10_000, 1000, 300):
        made = bounded(large, most)
        assert size_of(made) <= most
        assert "characters" in made["shortened"]
    assert bounded({"a": 1}, 1000) == {"a": 1}
    thinned = bounded({"x": [float(k) for k in range(10_000)]}, 10_000)["x"]
    assert (thinned[0], thinned[-1]) == (0.0, 9999.0)


def test_with_leave_new_files_are_written_and_none_is_replaced(folder: pathlib.Path) -> None:
    caller = Caller(Folder(folder, writes=True), Limits(300.0))
    found = caller.ask("run", "bob.yaml", "", ["--until=0.1"], save="curves.csv")
    assert found["written"] == "curves.csv"
    assert (folder / "curves.csv").read_text().startswith("time [s],")
    (folder / "curves.csv").write_text("mine")
    for name in ("curves.csv", "../x.csv", "bob.yaml", "nowhere/x.csv"):
        with pytest.raises(ModelError, match=r"exists already|leaves the folder|unknown ending|no such directory"):
            caller.ask("run", "bob.yaml", "", ["--until=0.1"], save=name)
    assert (folder / "curves.csv").read_text() == "mine"
    (folder / "curves.csv").unlink()


FENCED = """
import sys
from multibody.agent.child import fence
folder, private, outside = sys.argv[1:]
fence(folder, private, False)
import os, subprocess, socket
open(folder + "/bob.yaml").read()
open(private + "/note", "w").write("x")
for act in (
    lambda: open(outside), lambda: open(folder + "/new.txt", "w"), lambda: os.remove(folder + "/bob.yaml"),
    lambda: os.rename(private + "/note", folder + "/note"), lambda: subprocess.run(["true"]),
    lambda: open(folder + "/link.yaml"),
    lambda: os.symlink(outside, folder + "/other"), lambda: os.open(outside, os.O_RDONLY),
    lambda: socket.socket().connect(("127.0.0.1", 9)),
):
    try:
        act()
    except PermissionError:
        continue
    print("it got through")
print("done")
"""


@posix
def test_the_process_that_computes_is_fenced_in(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    given = [sys.executable, "-c", FENCED, str(folder), str(tmp_path), str(folder.parent / "outside.yaml")]
    done = subprocess.run(given, capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n", done.stderr
    assert (folder / "bob.yaml").is_file()


@posix
def test_a_process_without_its_server_ends_by_itself(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    head = [sys.executable, "-m", "multibody.agent.child", str(folder), str(tmp_path), "0", "1"]
    done = subprocess.run([*head, "run", str(folder / "bob.yaml"), "--until=1e9"], capture_output=True, timeout=120)
    assert done.returncode == -signal.SIGALRM


def test_the_command_judges_its_options(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for given, words in (
        (["--folder", str(folder / "none")], "there is no such folder"),
        (["--folder", str(folder), "--seconds", "0"], "is no time limit"),
        (["--folder", str(folder), "--characters", "10"], "hold no answer"),
    ):
        status, _, err = run("mcp", *given)
        assert status == 2
        assert words in err
    for name in ("mcp.server", "multibody.agent.server"):
        monkeypatch.setitem(sys.modules, name, None)
    status, _, err = run("mcp", "--folder", str(folder))
    assert status == 2
    assert "pip install multibody[agent]" in err
