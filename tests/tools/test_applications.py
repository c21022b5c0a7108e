"""Which application is meant, what .desktop files say, and that only what is there is ever started."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.system.applications import Application, application_tool, meant
from app.tools.system.desktop_entries import arguments, entries
from app.tools.system.installed import linux_applications, mac_applications, windows_applications
from app.tools.tool import MissingArgument, ToolFailure

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="files of a Linux desktop")


def named(*names: str, kinds: dict[str, str] | None = None) -> list[Application]:
    return [
        Application(name, (name,), lambda: None, frozenset([kinds[name]]) if kinds and name in kinds else frozenset())
        for name in names
    ]


DESKTOP = named(
    "Firefox",
    "LibreOffice",
    "LibreOffice Writer",
    "LibreOffice Calc",
    "Visual Studio Code",
    "Files",
    "GNU Image Manipulation Program",
    "Spotify",
    "Zoom",
    kinds={"Firefox": "web browser", "Files": "file manager"},
)


@pytest.mark.parametrize(
    ("spoken", "expected"),
    [
        ("firefox", ["Firefox"]),
        ("Fire fox", ["Firefox"]),
        ("the web browser", ["Firefox"]),
        ("file manager", ["Files"]),
        ("libreoffice", ["LibreOffice"]),
        ("libre office writer", ["LibreOffice Writer"]),
        ("calc", ["LibreOffice Calc"]),
        ("studio code", ["Visual Studio Code"]),
        ("spotifi", ["Spotify"]),
        ("spot if I", ["Spotify"]),
        ("writer or calc", []),
        ("photoshop", []),
        ("room", []),
        ("rm -rf /", []),
        ("../../bin/sh", []),
        ("$(reboot)", []),
        ("  ", []),
        ("the", []),
    ],
)
def test_the_application_that_is_meant(spoken: str, expected: list[str]) -> None:
    assert [one.name for one in meant(spoken, DESKTOP)] == expected


@given(st.text())
def test_whatever_is_said_means_only_what_is_there(spoken: str) -> None:
    assert set(one.name for one in meant(spoken, DESKTOP)) <= {one.name for one in DESKTOP}


def test_an_unclear_name_is_asked_about_and_an_unknown_one_refused() -> None:
    tool = application_tool(lambda: [one for one in DESKTOP if one.name != "LibreOffice"])
    with pytest.raises(MissingArgument) as question:
        tool.run({"application": "libre office"})
    assert question.value.question == "Which one do you mean, LibreOffice Writer or LibreOffice Calc?"
    with pytest.raises(ToolFailure, match="I found no application called photoshop on this computer"):
        tool.run({"application": "photoshop"})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("firefox %u", ["firefox"]),
        ("env A=b /usr/bin/x --new-window %U", ["env", "A=b", "/usr/bin/x", "--new-window"]),
        ('"/opt/My App/run" --title "a \\\\"quoted\\\\" $HOME" %f', ["/opt/My App/run", "--title", 'a "quoted" $HOME']),
        ("x %i --name=%c %k 100%%", ["x", "--name=Title", "100%"]),
        ('x ""', ["x", ""]),
        ('x "never closed', []),
        ("x; rm -rf ~ && y | z", ["x;", "rm", "-rf", "~", "&&", "y", "|", "z"]),
        ("", []),
    ],
)
def test_commands_become_arguments_and_no_shell_reads_them(line: str, expected: list[str]) -> None:
    assert arguments(line, "Title") == expected


@given(st.text())
def test_no_line_is_too_strange(line: str) -> None:
    assert all("\0" not in part for part in arguments(line.replace("\0", ""), "Title"))


class Desktop:
    """XDG folders with .desktop files, and a program that notes how it was started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "started.json"
        self.environment = {
            "HOME": str(folder / "home"),
            "XDG_DATA_HOME": str(folder / "user"),
            "XDG_DATA_DIRS": f"{folder / 'system'}:relative/path",
            "XDG_CONFIG_DIRS": str(folder / "etc"),
            "XDG_CURRENT_DESKTOP": "GNOME",
            "LANG": "de_DE.UTF-8",
            "PATH": os.environ["PATH"],
        }
        self.program = folder / "program"
        self.program.write_text(
            f"#!{sys.executable}\n"
            "import json, os, sys\n"
            f"with open({str(self.log)!r} + '.part', 'w') as log:\n"
            "    json.dump([sys.argv[1:], os.getcwd(), os.getsid(0) == os.getpid()], log)\n"
            f"os.rename({str(self.log)!r} + '.part', {str(self.log)!r})\n"
            "sys.exit('--fail' in sys.argv)\n"
        )
        self.program.chmod(0o755)

    def add(self, name: str, where: str = "system", **keys: str) -> None:
        values = {"Type": "Application", "Exec": f"{self.program} %U"} | keys
        file = self.folder / where / "applications" / f"{name}.desktop"
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"{key.replace('__', '[') + ']' if '__' in key else key}={value}" for key, value in values.items()]
        file.write_text("\n".join(["# comment", "[Desktop Entry]", *lines, "[Desktop Action New]", "Name=Other"]))

    def names(self) -> list[str]:
        return sorted(one.name for one in entries(self.environment))


@pytest.fixture
def desktop(tmp_path: Path) -> Desktop:
    return Desktop(tmp_path)


@linux_only
def test_what_the_menu_would_not_show_is_not_there(desktop: Desktop) -> None:
    desktop.add("good", Name="Good")
    desktop.add("deep/er", Name="Deeper", OnlyShowIn="KDE;GNOME;")
    desktop.add("link", Name="Link", Type="Link")
    desktop.add("hidden", Name="Hidden", NoDisplay="true")
    desktop.add("terminal", Name="Terminal program", Terminal="true")
    desktop.add("kde", Name="Kde only", OnlyShowIn="KDE;")
    desktop.add("not", Name="Not here", NotShowIn="GNOME;")
    desktop.add("gone", Name="Gone", Exec="/nowhere/gone")
    desktop.add("try", Name="Try", TryExec="/nowhere/gone")
    desktop.add("removed", Name="Removed by the system")
    desktop.add("removed", where="user", Name="Removed", Hidden="true")
    desktop.add("changed", Name="System's name")
    desktop.add("changed", where="user", Name="User's name")
    desktop.add("broken", Name="")
    (desktop.folder / "system/applications/noise.desktop").write_bytes(bytes(range(256)) * 20)
    (desktop.folder / "system/applications/dangling.desktop").symlink_to("/nowhere/at/all")
    assert desktop.names() == ["Deeper", "Good", "User's name"]


@linux_only
def test_an_application_is_started_by_its_own_command(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    work = desktop.folder / "work"
    work.mkdir()
    command = f'"{desktop.program}" "two words" $HOME %F ; echo'
    desktop.add("editor", Name="Fine Editor", Name__de="Feiner Schreiber", Exec=command, Path=str(work))
    for name, value in desktop.environment.items():
        monkeypatch.setenv(name, value)
    tool = application_tool(linux_applications)
    assert tool.run({"application": "feiner schreiber"}).data == {"application": "Fine Editor"}
    deadline = time.monotonic() + 60
    while not desktop.log.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    argv, folder, own_session = json.loads(desktop.log.read_text())
    assert argv == ["two words", "$HOME", ";", "echo"] and folder == str(work) and own_session


@linux_only
def test_an_application_that_ends_with_an_error_has_not_opened(desktop: Desktop) -> None:
    desktop.add("bad", Name="Bad", Exec=f"{desktop.program} --fail")
    desktop.add("worse", Name="Worse", Path="/nowhere")
    desktop.folder.joinpath("home").mkdir()
    tool = application_tool(lambda: linux_applications(desktop.environment))
    with pytest.raises(ToolFailure, match="Worse would not open"):
        tool.run({"application": "worse"})
    # A slow machine may need longer to end it than it is watched.
    try:
        tool.run({"application": "bad"})
    except ToolFailure as failure:
        assert str(failure) == "Sorry, Bad would not open."


@linux_only
def test_the_browser_that_the_user_chose_is_the_web_browser(desktop: Desktop) -> None:
    desktop.add("a", Name="Aurora", Categories="Network;WebBrowser;")
    desktop.add("b", Name="Borealis", Categories="Network;WebBrowser;")
    desktop.add("c", Name="Abacus", Categories="Utility;Calculator;")

    def browser() -> list[str]:
        return [one.name for one in meant("web browser", linux_applications(desktop.environment))]

    assert browser() == ["Aurora"]
    chosen = desktop.folder / "home/.config/mimeapps.list"
    chosen.parent.mkdir(parents=True)
    chosen.write_text("[Default Applications]\nx-scheme-handler/http=b.desktop;a.desktop\n")
    assert browser() == ["Borealis"]
    chosen.write_text("[Default Applications]\nx-scheme-handler/http=uninstalled.desktop\n")
    assert browser() == ["Aurora"]
    assert [one.name for one in meant("the calculator", linux_applications(desktop.environment))] == ["Abacus"]


def test_bundles_of_macos_and_shortcuts_of_windows_are_found(tmp_path: Path) -> None:
    for name in ("Safari.app", "Utilities", "Utilities/Activity Monitor.app"):
        (tmp_path / name).mkdir()
    found = mac_applications([tmp_path, tmp_path / "Utilities", tmp_path / "missing"])
    assert [one.name for one in meant("task manager", found)] == ["Activity Monitor"]
    assert [one.name for one in meant("safari", found)] == ["Safari"]
    (tmp_path / "Editor").mkdir()
    for name in ("Editor/Fine Editor.lnk", "Editor/Uninstall Fine Editor.lnk", "Firefox.lnk", "readme.txt"):
        (tmp_path / name).write_bytes(b"")
    found = windows_applications([tmp_path])
    assert [one.name for one in meant("fine editor", found)] == ["Fine Editor"]
    assert [one.name for one in meant("calculator", found)] == ["the calculator"]
