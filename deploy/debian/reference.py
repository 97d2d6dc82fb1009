"""Makes the reference from the program's own help.

reference.py PROGRAM man FOLDER           writes the manual pages: homeroom.1, and one for each command
reference.py PROGRAM bash|zsh|fish        prints what a shell completes
"""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field


@dataclass
class Option:
    name: str
    placeholder: str
    meaning: str


@dataclass
class Command:
    name: str
    summary: str
    usage: str = ""
    options: list[Option] = field(default_factory=list)

    @property
    def operands(self) -> bool:
        """Whether it takes arguments without a name, such as import FILE."""
        rest = self.usage.removeprefix(f"homeroom {self.name}").split()
        return bool(rest) and not rest[0].startswith(("-", "[-"))


def said(program: str, *words: str) -> str:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        [program, *words], check=True, capture_output=True, text=True, env=environment
    ).stdout


def commands(program: str) -> list[Command]:
    found = []
    for name, summary in re.findall(r"^  (\S+(?: \S+)*)  +(.+)$", said(program, "--help"), re.MULTILINE):
        text = said(program, *name.split(), "--help")
        usage = re.search(r"^Usage: (.+)$", text, re.MULTILINE)
        if not usage:
            sys.exit(f"reference.py: the help of {name} has no usage")
        options = [
            Option(option, placeholder, meaning)
            for option, placeholder, meaning in re.findall(
                r"^  --(\S+) ?(.*)\n      (.+)$", text, re.MULTILINE
            )
        ]
        if len(options) != len(re.findall(r"^  --", text, re.MULTILINE)):
            sys.exit(f"reference.py: the help of {name} has an option of another form")
        found.append(Command(name, summary, usage[1], options))
    if not found:
        sys.exit("reference.py: the help names no command")
    return found


def common(all_commands: list[Command]) -> list[Option]:
    """The options that every command has."""
    return [o for o in all_commands[0].options if all(o in c.options for c in all_commands)]


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def heading(name: str, version: str) -> str:
    day = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    return f'.TH {name.upper()} 1 "{day}" "{roff(version)}" "Homeroom"'


def page(command: Command) -> str:
    """The name of the manual page of a command, as of `homeroom organization create`."""
    return "homeroom-" + command.name.replace(" ", "-")


EXIT_STATUS = [
    ".SH EXIT STATUS",
    "0 for success, 1 for a failure, 64 for a command or setting that is not understood.",
]


def manual(all_commands: list[Command], version: str) -> str:
    shared = common(all_commands)
    lines = [
        heading("homeroom", version),
        ".SH NAME",
        "homeroom \\- school administration and progress service",
        ".SH SYNOPSIS",
        ".B homeroom",
        ".I COMMAND",
        ".RI [ OPTIONS ]",
        ".SH DESCRIPTION",
        "Homeroom keeps a school's people, classes, rosters and app licences, lets teachers hand out work in apps, and",
        "reports what students did. It uses a private PostgreSQL in its data folder, or a database server that you name.",
        ".PP",
        "As a service it runs as the account",
        ".BR homeroom .",
        "Run commands as root or as that account. They read the settings of the service in",
        ".IR /etc/homeroom/environment ,",
        "and so use its database:",
        ".PP",
        ".EX",
        "homeroom organization list",
        ".EE",
        ".PP",
        "What writes files that the service needs, run as the account:",
        ".PP",
        ".EX",
        "runuser \\-u homeroom \\-\\- homeroom backup /var/backups/homeroom",
        ".EE",
        ".SH COMMANDS",
    ]
    for command in all_commands:
        lines += [".TP", f".BR {roff(page(command))} (1)", roff(command.summary)]
    lines += [".SH OPTIONS OF EVERY COMMAND", *entries(shared)]
    lines += [
        ".SH ENVIRONMENT",
        "Every setting is a variable, and",
        ".I /etc/homeroom/environment",
        "explains each. An option of the same name overrides it. Where a variable that begins with HOMEROOM_ is set, a",
        "command does not read that file.",
        ".SH FILES",
        ".TP",
        ".I /etc/homeroom/environment",
        "Settings of the service and of commands.",
        ".TP",
        ".I /var/lib/homeroom",
        "The private PostgreSQL, ordered exports and the nightly exports.",
        ".TP",
        ".I /usr/share/doc/homeroom/guides",
        "How to install, back up, restore, upgrade and watch it.",
        *EXIT_STATUS,
        ".SH SEE ALSO",
        *[f".BR {roff(page(c))} (1){',' if c is not all_commands[-1] else ''}" for c in all_commands],
    ]
    return "\n".join(lines)


def manual_of(command: Command, shared: list[Option], version: str) -> str:
    own = [o for o in command.options if o not in shared]
    lines = [
        heading(page(command), version),
        ".SH NAME",
        # One line, as the index of all pages takes it.
        f"{roff(page(command))} \\- {roff(command.summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f"\\fB{roff(command.usage)}\\fR",
    ]
    if own:
        lines += [".SH OPTIONS", *entries(own)]
    lines += [".SH OPTIONS OF EVERY COMMAND", *entries(shared), *EXIT_STATUS]
    lines += [".SH SEE ALSO", ".BR homeroom (1)"]
    return "\n".join(lines)


def write_manuals(all_commands: list[Command], version: str, folder: str) -> None:
    shared = common(all_commands)
    pages = {"homeroom": manual(all_commands, version)}
    for command in all_commands:
        pages[page(command)] = manual_of(command, shared, version)
    for name, text in pages.items():
        with open(os.path.join(folder, f"{name}.1"), "w", encoding="utf-8") as file:
            file.write(text + "\n")


def entries(options: list[Option]) -> list[str]:
    lines = []
    for option in options:
        placeholder = f" \\fI{roff(option.placeholder)}\\fR" if option.placeholder else ""
        lines += [".TP", f"\\fB\\-\\-{roff(option.name)}\\fR{placeholder}", roff(option.meaning)]
    return lines


def values(option: Option) -> tuple[str, list[str]]:
    """What follows an option: `files`, `folders`, or `words` with those that it takes."""
    if "FILE" in option.placeholder:
        return "files", []
    if option.placeholder == "FOLDER":
        return "folders", []
    return "words", option.placeholder.split("|") if "|" in option.placeholder else []


def bash(all_commands: list[Command]) -> str:
    names = [c.name for c in all_commands]
    seconds = {n.split()[0]: [m.split()[1] for m in names if m.startswith(n.split()[0] + " ")] for n in names}
    lines = [
        "# Completions of homeroom for bash, made from its help.",
        "_homeroom() {",
        '    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command options=""',
        "    COMPREPLY=()",
        '    command="${COMP_WORDS[1]} ${COMP_WORDS[2]}"',
        '    case "$command" in',
    ]
    two = [n for n in names if " " in n]
    lines.append(f'    {" | ".join(chr(34) + n + chr(34) for n in two)}) ;;')
    lines += ['    *) command=${COMP_WORDS[1]} ;;', "    esac"]
    lines += [
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
        f'        mapfile -t COMPREPLY < <(compgen -W "{" ".join(dict.fromkeys(n.split()[0] for n in names))}" -- "$word")',
        "        return",
        "    fi",
        '    case "$before" in',
    ]
    free = []
    for name, option in sorted({o.name: o for c in all_commands for o in c.options if o.placeholder}.items()):
        kind, words = values(option)
        if kind == "words" and not words:
            free.append(f"--{name}")
            continue
        action = {"files": "-f", "folders": "-d", "words": f'-W "{" ".join(words)}"'}[kind]
        lines.append(f'    --{name}) mapfile -t COMPREPLY < <(compgen {action} -- "$word"); return ;;')
    lines.append(f"    {' | '.join(free)}) return ;;")
    lines += ["    esac", '    case "$command" in']
    for command in all_commands:
        lines.append(f'    "{command.name}") options="{" ".join("--" + o.name for o in command.options)}" ;;')
    lines += ["    esac"]
    for first, words in seconds.items():
        if words:
            lines += [
                f'    if [ "$COMP_CWORD" -eq 2 ] && [ "${{COMP_WORDS[1]}}" = {first} ]; then',
                f'        options="$options {" ".join(words)}"',
                "    fi",
            ]
    lines += [
        '    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")',
        '    case "$command" in',
        f'    {" | ".join(chr(34) + c.name + chr(34) for c in all_commands if c.operands)})',
        '        [[ $word == -* ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$word") ;;',
        "    esac",
        "}",
        "complete -o bashdefault -F _homeroom homeroom",
    ]
    return "\n".join(lines)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def zsh(all_commands: list[Command]) -> str:
    def escaped(text: str) -> str:
        return re.sub(r"([\[\]:\\])", r"\\\1", text)

    lines = ["#compdef homeroom", "# Completions of homeroom for zsh, made from its help.", "_homeroom() {"]
    lines += ["    local -a commands seconds", "    if (( CURRENT == 2 )); then", "        commands=("]
    firsts: dict[str, str] = {}
    for command in all_commands:
        first, *rest = command.name.split()
        if first not in firsts or not rest:
            firsts[first] = command.summary
    lines += [f"            {quoted(escaped(f) + ':' + s)}" for f, s in firsts.items()]
    lines += ["        )", "        _describe command commands", "        return", "    fi"]
    for first in firsts:
        words = [c for c in all_commands if c.name.startswith(first + " ")]
        if not words:
            continue
        lines += [f"    if (( CURRENT == 3 )) && [[ $words[2] == {first} && $words[3] != -* ]]; then", "        seconds=("]
        lines += [f"            {quoted(c.name.split()[1] + ':' + c.summary)}" for c in words]
        lines += ["        )", "        _describe command seconds"]
        if first not in (c.name for c in all_commands):
            lines.append("        return")
        lines.append("    fi")
    lines.append('    case "$words[2] $words[3]" in')
    for command in sorted(all_commands, key=lambda c: -len(c.name.split())):
        pattern = f'"{command.name}"' if " " in command.name else f'"{command.name} "*'
        lines.append(f"    {pattern})")
        specs = []
        for option in command.options:
            spec = f"*--{option.name}[{escaped(option.meaning)}]"
            if option.placeholder:
                kind, words = values(option)
                action = {"files": "_files", "folders": "_files -/", "words": f"({' '.join(words)})" if words else " "}
                spec += f":{escaped(option.placeholder)}:{action[kind]}"
            specs.append(quoted(spec))
        if command.operands:
            specs.append(quoted("*:file:_files"))
        lines += ["        _arguments \\"] + [f"            {s} \\" for s in specs[:-1]]
        lines += [f"            {specs[-1]}", "        ;;"]
    return "\n".join([*lines, "    esac", "}", '_homeroom "$@"'])


def fish(all_commands: list[Command]) -> str:
    lines = ["# Completions of homeroom for fish, made from its help.", "complete -c homeroom -f"]
    names = [c.name for c in all_commands]
    for command in all_commands:
        first, *rest = command.name.split()
        none = "test (count (commandline -opc)) -eq 1"
        if rest:
            lines.append(f"complete -c homeroom -n {quoted(none)} -a {first}")
            after = f"test (count (commandline -opc)) -eq 2; and __fish_seen_subcommand_from {first}"
            lines.append(f"complete -c homeroom -n {quoted(after)} -a {rest[0]} -d {quoted(command.summary)}")
        else:
            lines.append(f"complete -c homeroom -n {quoted(none)} -a {first} -d {quoted(command.summary)}")
        # Neither a command that has this name as its second word, nor one of two words that begins with it.
        others = "|".join(n.removeprefix(command.name + " ") for n in names if n.startswith(command.name + " "))
        not_others = f"(?! ({others})( |\\z))" if others else ""
        here = f'string match -qr -- "^\\S+ {command.name}{not_others}( |\\z)" (commandline -opc | string join " ")'
        for option in command.options:
            kind, words = values(option)
            line = f"complete -c homeroom -n {quoted(here)} -l {option.name} -d {quoted(option.meaning)}"
            if option.placeholder:
                line += {
                    "files": " -r -F",
                    "folders": " -x -a '(__fish_complete_directories)'",
                    "words": f" -x -a {quoted(' '.join(words))}" if words else " -x",
                }[kind]
            lines.append(line)
        if command.operands:
            lines.append(f"complete -c homeroom -n {quoted(here)} -F")
    return "\n".join(lines)


def main() -> None:
    kinds = {"bash": bash, "zsh": zsh, "fish": fish}
    words = sys.argv[1:]
    if not (len(words) == 3 and words[1] == "man" or len(words) == 2 and words[1] in kinds):
        sys.exit(__doc__)
    program, kind = words[:2]
    found = commands(program)
    if kind == "man":
        write_manuals(found, said(program, "--version").strip(), words[2])
    else:
        print(kinds[kind](found))


main()
